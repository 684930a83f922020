"""From measured runs to configurations that can be compared: what counts, what does not, and why (model section 16)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pandas as pd

from analysis.model.lengths import LENGTHS, column, length_classes
from analysis.model.pricing import PricedInstance, price_runs
from analysis.model.run_groups import Record, as_groups, group_records, latencies, pool_rates, values
from analysis.model.unit_cost import judge_latency, unit_cost
from analysis.model.work_units import WORK_UNITS, WorkUnit, runs_of_kind

LOADS = ("concurrency", "request_rate", "batch_size")
KEYS = ("model", "platform", "software_path", "instance_type", "precision", "engine", *LOADS)
FAR_APART_DAYS = 180
_ROUNDING = 1e-9  # a mean of equal numbers may differ from them in its last digit


@dataclass(frozen=True, slots=True)
class MeasuredConfiguration:
    """One configuration with its runs, and why it does not count where it does not.

    `units_per_second` and `latency_ms` hold one value a run; a latency that a run did not record is left out. Of very
    many runs they hold the geometric mean alone, and the best and the worst latency.
    `mean_units_per_second` is geometric, as the model pools it; `sd_log` the sample standard deviation of ln(units/s),
    None for one run. `unit_cost_usd` is USD per unit of work at that mean.
    `latency_status` is ok, slo_not_met or latency_missing: the model itself judges those, so they count as measured.
    `worst_error_rate` and `lowest_quality` are those of the runs; `measured` the first and last date they state.
    """

    name: str
    platform: str
    instance_type: str | None
    precision: str | None
    engine: str | None
    load: str
    concurrency: float | None
    input_tokens: float | None
    output_tokens: float | None
    accelerators: float | None
    units_per_second: tuple[float, ...]
    mean_units_per_second: float | None
    sd_log: float | None
    latency_ms: tuple[float, ...]
    price: PricedInstance | None
    unit_cost_usd: float | None
    latency_status: str
    runs: int
    files: tuple[str, ...]
    sdk_versions: tuple[str, ...]
    measured: tuple[datetime, datetime] | None
    worst_error_rate: float | None
    quality_metric: str | None
    lowest_quality: float | None
    demo: bool
    excluded: str | None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a comparison: which platforms, model, unit of work and latency, and what a run must keep to count.

    `kind` restricts the units of work to those of inference or of training.
    """

    baseline: str = "cuda"
    candidate: str = "neuron"
    model: str | None = None
    metric: str | None = None
    slo_metric: str = "e2e_ms_p99"
    slo_ms: float | None = None
    utilisation: float = 1.0
    quality_tolerance: float = 0.0
    max_error_rate: float = 0.05
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the store holds for one model on two platforms.

    `configurations` lists all, also those set aside. `warnings` are codes; `unit` is None where no run states work.
    """

    terms: Terms
    unit: WorkUnit | None
    configurations: tuple[MeasuredConfiguration, ...]
    warnings: tuple[str, ...]

    def counted(self, platform: str) -> tuple[MeasuredConfiguration, ...]:
        """Return the configurations of a platform that count."""
        return tuple(c for c in self.configurations if c.platform == platform and c.excluded is None)

    def admissible(self, platform: str) -> tuple[MeasuredConfiguration, ...]:
        """Return the configurations of a platform that count and keep the latency objective in every run."""
        return tuple(c for c in self.counted(platform) if c.latency_status == "ok")


PriceTable = Mapping[str, tuple[PricedInstance, ...]]


def choose_model(models: pd.DataFrame, baseline: str, candidate: str) -> str | None:
    """Return the model that has runs on both platforms and the latest upload; None where none has both.

    `models` has the columns model, platform, runs and last_upload.
    """
    if models.empty:
        return None
    both = models[models["platform"].isin([baseline, candidate])]
    count = both.groupby("model")["platform"].nunique()
    names = count[count == len({baseline, candidate})].index
    latest = both[both["model"].isin(names)].groupby("model")["last_upload"].max()
    return str(latest.sort_values(kind="stable").index[-1]) if len(latest) else None


def compare(runs: pd.DataFrame, prices: PriceTable, terms: Terms) -> Comparison:
    """Group the runs of one model into configurations, price them, and set aside what cannot be compared.

    `runs` has the canonical columns, of the model of the terms, one row a run or a group of like runs (see
    `run_groups`); other platforms are ignored. `prices` holds, by instance type, the shipped prices of the region.
    """
    sides = runs[runs["platform"].isin([terms.baseline, terms.candidate])].reset_index(drop=True)
    if terms.model is None or sides.empty:
        return Comparison(terms, None, (), ())
    sides = as_groups(sides, terms.slo_metric)
    sides = sides.assign(length=length_classes(sides))
    unit = _choose_unit(sides, terms)
    rate = unit.per_second(sides) if unit else pd.Series(float("nan"), index=sides.index, dtype=float)
    sides = sides.assign(rate=rate, excluded=_exclusions(sides, rate, terms))
    sides["rate_sd_log"] = sides[f"sd_log_{unit.column}"] if unit and f"sd_log_{unit.column}" in sides else 0.0
    chosen, lengths_warning = _choose_length(sides, terms)
    sides.loc[sides["excluded"].isna() & (sides["length"] != chosen), "excluded"] = "lengths_differ"
    sides, price_warnings = price_runs(sides, prices, sides["excluded"].isna())
    groups = group_records(sides, (*KEYS, "length", "price", "excluded"))
    configurations = tuple(_configuration(group, terms) for group in groups)
    found = (*lengths_warning, *price_warnings, *_quality_warning(sides, terms), *_warnings(configurations, terms))
    return Comparison(terms, unit, configurations, tuple(dict.fromkeys(found)))


def compare_all(runs: pd.DataFrame, prices: PriceTable, terms: Terms) -> tuple[Comparison, ...]:
    """Return the comparison of the terms first, then those of other lengths and of the other kind of work.

    Runs of different lengths, and inference and training, are compared each on their own; what has runs that count on
    one side only is not listed apart.
    """
    first = compare(runs, prices, terms)
    found = [first]
    for kind in dict.fromkeys((first.unit.kind if first.unit else "inference", "inference", "training")):
        own_metric = terms.metric if first.unit and kind == first.unit.kind else None
        wanted = replace(terms, kind=kind, metric=own_metric)
        of_kind = runs_of_kind(runs[runs["platform"].isin([terms.baseline, terms.candidate])], kind)
        classes = length_classes(of_kind)
        for number in sorted(set(classes)):
            comparison = compare(of_kind[classes == number], prices, wanted)
            if comparison.counted(terms.baseline) and comparison.counted(terms.candidate):
                found.append(comparison)
    return tuple({_counted_names(comparison): comparison for comparison in reversed(found)}.values())[::-1]


def _counted_names(comparison: Comparison) -> frozenset[tuple[Any, ...]]:
    """Return what a comparison counts: two that count the same are one."""
    unit = comparison.unit.column if comparison.unit else None
    return frozenset(
        (unit, c.platform, c.name, c.input_tokens, c.output_tokens) for c in comparison.configurations if not c.excluded
    )


def _choose_unit(runs: pd.DataFrame, terms: Terms) -> WorkUnit | None:
    wanted = [u for u in WORK_UNITS if terms.metric in (None, u.column) and terms.kind in (None, u.kind)]
    platforms = {terms.baseline, terms.candidate}
    have = {u.column: set(runs.loc[u.per_second(runs).notna(), "platform"]) for u in wanted}
    ranked = sorted(wanted, key=lambda u: -len(have[u.column] & platforms))
    return next((u for u in ranked if have[u.column]), None)


def _exclusions(runs: pd.DataFrame, rate: "pd.Series[float]", terms: Terms) -> "pd.Series[Any]":
    reasons: pd.Series[Any] = pd.Series(None, index=runs.index, dtype=object)
    reasons[rate.isna()] = "metric_missing"
    if "error_rate" in runs:
        reasons[pd.to_numeric(runs["error_rate"]).fillna(0.0) > terms.max_error_rate] = "error_rate_high"
    if "run_valid" in runs and terms.max_error_rate < 1:  # a limit of 1 lets everything count
        reasons[runs["run_valid"] == "no"] = "run_not_valid"
    if {"quality_metric", "quality_value"} <= set(runs.columns):
        value = pd.to_numeric(runs["quality_value"])
        weight = runs["runs"].where((runs["platform"] == terms.baseline) & value.notna())
        by_metric = runs["quality_metric"]
        total = (value * weight).groupby(by_metric, dropna=False).transform("sum")
        reference = total / weight.groupby(by_metric, dropna=False).transform("sum")
        lowest = reference - terms.quality_tolerance - _ROUNDING * reference.abs()
        lost = (runs["platform"] == terms.candidate) & (value < lowest)
        reasons[lost.fillna(False)] = "quality_not_kept"
    return reasons


def _choose_length(runs: pd.DataFrame, terms: Terms) -> tuple[int, tuple[str, ...]]:
    """Return the class of lengths to compare: the one with most runs on the side that has fewer, then the newest."""
    usable = runs[runs["excluded"].isna()]
    counts = usable.groupby(["length", "platform"])["runs"].sum().unstack(fill_value=0)
    counts = counts.reindex(columns=[terms.baseline, terms.candidate], fill_value=0)
    if counts.empty:
        return -1, ()
    newest = usable.groupby("length")["uploaded_at"].max()
    order = counts.min(axis=1).to_frame("both").assign(newest=newest, total=counts.sum(axis=1))
    best = order.sort_values(["both", "total", "newest"]).index[-1]
    warnings = ["several_lengths"] if len(order) > 1 else []
    if any(value is None for name in LENGTHS for value in column(usable[usable["length"] == best], name)):
        warnings.append("lengths_unknown")
    return int(best), tuple(warnings)


def _configuration(group: list[Record], terms: Terms) -> MeasuredConfiguration:
    first = group[0]
    rates = pool_rates(group)
    latency = latencies(group)
    unrecorded = rates.count - sum(int(row["latency_runs"]) for row in group)
    price = None
    if first["price"] is not None:
        price = PricedInstance(float(first["price"]), str(first["purchase_option"]), str(first["price_label"]))
    cost = unit_cost(price.usd_per_hour, rates.mean, terms.utilisation) if price and rates.mean else None
    load = _load(first)
    instance, precision, engine = (first.get(name) for name in ("instance_type", "precision", "engine"))
    dates = values(group, "measured_first") + values(group, "measured_last")
    return MeasuredConfiguration(
        name=", ".join(part for part in (instance, precision, engine, load) if part),
        platform=str(first["platform"]),
        instance_type=instance,
        precision=precision,
        engine=engine,
        load=load,
        concurrency=first.get("concurrency"),
        input_tokens=first.get("input_tokens"),
        output_tokens=first.get("output_tokens"),
        accelerators=max(values(group, "accelerator_count"), default=None),
        units_per_second=rates.values,
        mean_units_per_second=rates.mean,
        sd_log=rates.sd_log,
        latency_ms=latency,
        price=price,
        unit_cost_usd=cost,
        latency_status=judge_latency(latency, len(latency) + unrecorded, terms.slo_ms),
        runs=sum(int(row["runs"]) for row in group),
        files=tuple(dict.fromkeys(name for row in group for name in row["files"])),
        sdk_versions=tuple(sorted({name for row in group for name in row["sdk_versions"]})),
        measured=(min(dates), max(dates)) if dates else None,
        worst_error_rate=max(values(group, "error_rate"), default=None),
        quality_metric=first.get("quality_metric"),
        lowest_quality=min(values(group, "quality_value"), default=None),
        demo=any(row["demo"] for row in group),
        excluded=first["excluded"] or (None if price else "price_missing"),
    )


def _load(row: Record) -> str:
    words = {"concurrency": "concurrency {:g}", "request_rate": "{:g} requests/s offered", "batch_size": "batch {:g}"}
    return ", ".join(text.format(row[name]) for name, text in words.items() if row.get(name) is not None)


def _warnings(configurations: tuple[MeasuredConfiguration, ...], terms: Terms) -> list[str]:
    counted = [c for c in configurations if c.excluded is None]
    sides = [{c.precision for c in counted if c.platform == side} for side in (terms.baseline, terms.candidate)]
    found = []
    if all(sides) and sides[0] != sides[1]:
        found.append("precision_differs")
    if not sides[1] and any(c.excluded == "quality_not_kept" for c in configurations):
        found.append("quality_not_kept")
    dates = [date for c in counted if c.measured for date in c.measured]
    if dates and (max(dates) - min(dates)).days > FAR_APART_DAYS:
        found.append("measured_far_apart")
    if any(c.demo for c in counted):
        found.append("demo_data")
    return found


def _quality_warning(runs: pd.DataFrame, terms: Terms) -> tuple[str, ...]:
    """Warn where the baseline states a quality and a candidate run that counts has none to set beside it."""
    if "quality_value" not in runs:
        return ()
    counted = runs[runs["excluded"].isna()]
    metric = counted["quality_metric"].fillna("") if "quality_metric" in counted else pd.Series("", index=counted.index)
    stated = metric[(counted["platform"] == terms.baseline) & counted["quality_value"].notna()]
    candidate = counted["platform"] == terms.candidate
    comparable = candidate & counted["quality_value"].notna() & metric.isin(set(stated))
    return ("quality_unknown",) if len(stated) and bool((candidate & ~comparable).any()) else ()
