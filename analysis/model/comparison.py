"""From measured runs to configurations that can be compared: what counts, what does not, and why (model section 16)."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.model.pricing import PricedInstance, price_runs
from analysis.model.unit_cost import judge_latency, unit_cost

LENGTH_TOLERANCE = 0.05
HIGHEST_ERROR_RATE = 0.05
LOADS = ("concurrency", "request_rate", "batch_size")
KEYS = ("model", "platform", "software_path", "instance_type", "precision", "engine", *LOADS)
LENGTHS = ("input_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """A unit of work: the column that gives it per second, and the multiple of it in which cost is quoted."""

    column: str
    quantity: float
    label: str
    inverse: bool = False

    def per_second(self, runs: pd.DataFrame) -> "pd.Series[float]":
        """Return units of work per second of each run; missing where the run does not say."""
        if self.column not in runs:
            return pd.Series(float("nan"), index=runs.index, dtype=float)
        values = pd.to_numeric(runs[self.column]).astype(float)
        values = values.where(values > 0)
        return 1.0 / values if self.inverse else values


WORK_UNITS = (
    WorkUnit("output_tok_per_s", 1e6, "million output tokens"),
    WorkUnit("total_tok_per_s", 1e6, "million tokens, input and output"),
    WorkUnit("req_per_s", 1e3, "thousand requests"),
    WorkUnit("samples_per_s", 1e3, "thousand samples"),
    WorkUnit("train_seq_per_s", 1e3, "thousand training sequences"),
    WorkUnit("time_to_train_s", 1.0, "training run", inverse=True),
)


@dataclass(frozen=True, slots=True)
class MeasuredConfiguration:
    """One configuration with its runs, and why it does not count where it does not.

    `units_per_second` and `latency_ms` hold one value a run; a latency that a run did not record is left out.
    `unit_cost_usd` is USD per unit of work at the mean throughput (geometric, as the model pools it).
    `latency_status` is ok, slo_not_met or latency_missing: the model itself judges those, so they count as measured.
    """

    name: str
    platform: str
    instance_type: str | None
    precision: str | None
    load: str
    concurrency: float | None
    input_tokens: float | None
    output_tokens: float | None
    units_per_second: tuple[float, ...]
    latency_ms: tuple[float, ...]
    price: PricedInstance | None
    unit_cost_usd: float | None
    latency_status: str
    runs: int
    files: tuple[str, ...]
    demo: bool
    excluded: str | None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a comparison: which platforms, model, unit of work and latency, and how much quality may be lost."""

    baseline: str = "cuda"
    candidate: str = "neuron"
    model: str | None = None
    metric: str | None = None
    slo_metric: str = "e2e_ms_p99"
    slo_ms: float | None = None
    utilisation: float = 1.0
    quality_tolerance: float = 0.0


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


Lengths = tuple[float | None, ...]
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

    `runs` has the canonical columns, one row a run, of the model of the terms; other platforms are ignored.
    `prices` holds, by instance type, the shipped prices of the chosen region.
    """
    sides = runs[runs["platform"].isin([terms.baseline, terms.candidate])].reset_index(drop=True)
    if terms.model is None or sides.empty:
        return Comparison(terms, None, (), ())
    sides = sides.assign(length=_length_classes(sides))
    unit = _choose_unit(sides, terms)
    rate = unit.per_second(sides) if unit else pd.Series(float("nan"), index=sides.index, dtype=float)
    sides = sides.assign(rate=rate, excluded=_exclusions(sides, rate, terms))
    chosen, lengths_warning = _choose_length(sides, terms)
    sides.loc[sides["excluded"].isna() & (sides["length"] != chosen), "excluded"] = "lengths_differ"
    sides, price_warnings = price_runs(sides, prices, sides["excluded"].isna())
    keys = [key for key in KEYS if key in sides]
    groups = sides.groupby([*keys, "length", "price", "excluded"], dropna=False, sort=False)
    configurations = tuple(_configuration(group, terms) for _, group in groups)
    return Comparison(
        terms,
        unit,
        configurations,
        tuple(
            dict.fromkeys(
                (*lengths_warning, *price_warnings, *_quality_warning(sides, terms), *_warnings(configurations, terms))
            )
        ),
    )


def _length_classes(runs: pd.DataFrame) -> "pd.Series[int]":
    """Number the classes of input and output length; lengths within 5 % of a class's first belong to the nearest class.

    A run that leaves a length open belongs to the one class that it can belong to, else to a class of its own kind.
    """
    pairs = list(zip(*(_column(runs, name) for name in LENGTHS), strict=True))
    stated = sorted({pair for pair in pairs if None not in pair})
    classes: list[Lengths] = []
    numbers: dict[Lengths, int] = {}
    for pair in stated:
        if not any(_distance(known, pair) <= LENGTH_TOLERANCE for known in classes):
            classes.append(pair)
        numbers[pair] = min(range(len(classes)), key=lambda i: _distance(classes[i], pair))
    known = tuple(classes)
    for pair in sorted(set(pairs) - set(stated), key=lambda pair: tuple(-1.0 if x is None else x for x in pair)):
        possible = [i for i, lengths in enumerate(known) if _distance(lengths, pair) <= LENGTH_TOLERANCE]
        if len(possible) == 1:
            numbers[pair] = possible[0]
        else:
            classes.append(pair)
            numbers[pair] = len(classes) - 1
    return pd.Series([numbers[pair] for pair in pairs], index=runs.index, dtype=int)


def _distance(a: Lengths, b: Lengths) -> float:
    """Return the largest relative difference of the lengths that both state."""
    both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return max((abs(x - y) / max(x, y, 1.0) for x, y in both), default=0.0)


def _column(runs: pd.DataFrame, name: str) -> list[float | None]:
    if name not in runs:
        return [None] * len(runs)
    return [None if pd.isna(value) else float(value) for value in runs[name]]


def _choose_unit(runs: pd.DataFrame, terms: Terms) -> WorkUnit | None:
    wanted = [u for u in WORK_UNITS if terms.metric in (None, u.column)]
    platforms = {terms.baseline, terms.candidate}
    have = {u.column: set(runs.loc[u.per_second(runs).notna(), "platform"]) for u in wanted}
    ranked = sorted(wanted, key=lambda u: -len(have[u.column] & platforms))
    return next((u for u in ranked if have[u.column]), None)


def _exclusions(runs: pd.DataFrame, rate: "pd.Series[float]", terms: Terms) -> "pd.Series[Any]":
    reasons: pd.Series[Any] = pd.Series(None, index=runs.index, dtype=object)
    reasons[rate.isna()] = "metric_missing"
    if "error_rate" in runs:
        reasons[pd.to_numeric(runs["error_rate"]).fillna(0.0) > HIGHEST_ERROR_RATE] = "error_rate_high"
    if {"quality_metric", "quality_value"} <= set(runs.columns):
        value = pd.to_numeric(runs["quality_value"])
        on_baseline = value.where(runs["platform"] == terms.baseline)
        reference = on_baseline.groupby(runs["quality_metric"], dropna=False).transform("mean")
        lost = (runs["platform"] == terms.candidate) & (value < reference - terms.quality_tolerance)
        reasons[lost.fillna(False)] = "quality_not_kept"
    return reasons


def _choose_length(runs: pd.DataFrame, terms: Terms) -> tuple[int, tuple[str, ...]]:
    """Return the class of lengths to compare: the one with most runs on the side that has fewer, then the newest."""
    usable = runs[runs["excluded"].isna()]
    counts = usable.groupby(["length", "platform"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=[terms.baseline, terms.candidate], fill_value=0)
    if counts.empty:
        return -1, ()
    newest = usable.groupby("length")["uploaded_at"].max()
    order = counts.min(axis=1).to_frame("both").assign(newest=newest, total=counts.sum(axis=1))
    best = order.sort_values(["both", "total", "newest"]).index[-1]
    warnings = ["several_lengths"] if len(order) > 1 else []
    if any(value is None for name in LENGTHS for value in _column(usable[usable["length"] == best], name)):
        warnings.append("lengths_unknown")
    return int(best), tuple(warnings)


def _configuration(group: pd.DataFrame, terms: Terms) -> MeasuredConfiguration:
    first = group.iloc[0]
    rates = tuple(float(rate) for rate in group["rate"].dropna())
    latency = tuple(x for x in _column(group, terms.slo_metric) if x is not None)
    price = None
    if not pd.isna(first["price"]):
        price = PricedInstance(float(first["price"]), str(first["purchase_option"]), str(first["price_label"]))
    cost = None
    if rates and price:
        cost = unit_cost(price.usd_per_hour, statistics.geometric_mean(rates), terms.utilisation)
    load = _load(first)
    instance, precision = _text(first, "instance_type"), _text(first, "precision")
    excluded = _text(first, "excluded")
    return MeasuredConfiguration(
        name=", ".join(part for part in (instance, precision, _text(first, "engine"), load) if part),
        platform=str(first["platform"]),
        instance_type=instance,
        precision=precision,
        load=load,
        concurrency=_column(group, "concurrency")[0],
        input_tokens=_column(group, "input_tokens")[0],
        output_tokens=_column(group, "output_tokens")[0],
        units_per_second=rates,
        latency_ms=latency,
        price=price,
        unit_cost_usd=cost,
        latency_status=judge_latency(latency, len(rates), terms.slo_ms),
        runs=len(group),
        files=tuple(dict.fromkeys(str(name) for name in group["file"])),
        demo=bool(group["demo"].any()),
        excluded=excluded or (None if price else "price_missing"),
    )


def _load(row: "pd.Series[Any]") -> str:
    words = {"concurrency": "concurrency {:g}", "request_rate": "{:g} requests/s offered", "batch_size": "batch {:g}"}
    return ", ".join(text.format(row[name]) for name, text in words.items() if name in row and not pd.isna(row[name]))


def _text(row: "pd.Series[Any]", name: str) -> str | None:
    return None if name not in row or pd.isna(row[name]) else str(row[name])


def _warnings(configurations: tuple[MeasuredConfiguration, ...], terms: Terms) -> list[str]:
    counted = [c for c in configurations if c.excluded is None]
    sides = [{c.precision for c in counted if c.platform == side} for side in (terms.baseline, terms.candidate)]
    found = []
    if all(sides) and sides[0] != sides[1]:
        found.append("precision_differs")
    if not sides[1] and any(c.excluded == "quality_not_kept" for c in configurations):
        found.append("quality_not_kept")
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
