"""Put what was measured into a scenario; what the user states stays (model section 16)."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import pandas as pd

from analysis.coverage.summary import CoverageSummary, summarise
from analysis.model.comparison import (
    Comparison,
    MeasuredConfiguration,
    Terms,
    choose_model,
    compare,
    compare_all,
)
from analysis.model.decision import Decision, decide
from analysis.model.pricing import read_prices
from analysis.model.reading import read_scenario
from analysis.model.scenario import Scenario

PATHS = {"neuron": "native", "neuron-xla": "xla"}
STATED, MEASURED, DERIVED, ASSUMED = "stated", "measured", "derived", "assumed"


class EvidenceSource(Protocol):
    """Where uploads and prices are read from. Frames have the canonical columns of docs/file-formats.md."""

    def models(self) -> pd.DataFrame:
        """Return model, platform, runs, last_upload of what is loaded."""

    def benchmark_runs(
        self,
        model: str,
        *,
        baseline: str,
        candidate: str,
        latency: str,
        max_error_rate: float,
        quality_tolerance: float,
    ) -> pd.DataFrame:
        """Return the runs of a model on two platforms, one row a run; of very many, one row a group of like runs.

        Runs on different sides of a limit are never in one group; `run_groups` says what columns a group has.
        """

    def prices(self, region: str) -> pd.DataFrame:
        """Return instance_type, purchase_option, usd_per_hour and label of the shipped prices of a region."""

    def newest_coverage(self, model: str | None, backend: str) -> tuple[str, pd.DataFrame] | None:
        """Return name and rows of the newest coverage report for a backend, of that model where one is given."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the store holds on one question: a comparison, and the newest coverage report with its name."""

    comparison: Comparison
    coverage: CoverageSummary | None
    report: str
    demo_coverage: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """A scenario with the evidence in it.

    `origins` says, for each input that evidence gave, its kind (measured or derived) and where it is from.
    `warnings` are those of the evidence itself.
    """

    scenario: Scenario
    origins: dict[str, tuple[str, str]]
    warnings: tuple[str, ...]


def gather_evidence(source: EvidenceSource, scenario: Scenario) -> Evidence:
    """Return what the source holds for the platforms and the model of a scenario."""
    terms = comparison_terms(source, scenario)
    shipped = source.prices(scenario.benchmarks.region)
    comparison = compare(_runs(source, terms), read_prices(shipped), terms)
    if shipped.empty and comparison.configurations:
        comparison = replace(comparison, warnings=(*comparison.warnings, "region_unknown"))
    report, rows = source.newest_coverage(terms.model, scenario.candidate) or ("", None)
    demo = rows is not None and bool(rows["demo"].any())
    return Evidence(comparison, None if rows is None else summarise(rows), report, demo)


def gather_comparisons(source: EvidenceSource, scenario: Scenario) -> tuple[Comparison, ...]:
    """Return the comparison that the decision uses, then those of other lengths and of the other kind of work."""
    terms = comparison_terms(source, scenario)
    return compare_all(_runs(source, terms), read_prices(source.prices(scenario.benchmarks.region)), terms)


def comparison_terms(source: EvidenceSource, scenario: Scenario) -> Terms:
    """Return the terms that a scenario states; where it names no model, the source chooses."""
    wanted = scenario.benchmarks
    return Terms(
        baseline=scenario.baseline,
        candidate=scenario.candidate,
        model=wanted.model or choose_model(source.models(), scenario.baseline, scenario.candidate),
        metric=wanted.metric,
        slo_metric=wanted.slo_metric,
        slo_ms=wanted.slo_ms,
        utilisation=wanted.utilisation,
        quality_tolerance=wanted.quality_tolerance,
        max_error_rate=wanted.max_error_rate,
    )


def _runs(source: EvidenceSource, terms: Terms) -> pd.DataFrame:
    if not terms.model:
        return pd.DataFrame({"platform": []})
    return source.benchmark_runs(
        terms.model,
        baseline=terms.baseline,
        candidate=terms.candidate,
        latency=terms.slo_metric,
        max_error_rate=terms.max_error_rate,
        quality_tolerance=terms.quality_tolerance,
    )


def fill_scenario(stated: dict[str, Any], evidence: Evidence) -> Filled:
    """Return the scenario that the user states, completed by evidence; what is stated is never replaced.

    Raises:
        ScenarioError: for a stated input that is wrong.
    """
    scenario = read_scenario(stated)
    found: dict[str, tuple[Any, str, str]] = {}
    if not (scenario.benchmarks.baseline or scenario.benchmarks.candidate):
        found |= _from_comparison(evidence.comparison)
    found["workload.path"] = (PATHS.get(scenario.candidate, "native"), DERIVED, "the candidate platform")
    if evidence.coverage:
        found |= _from_coverage(evidence.coverage, evidence.report)
    values = {name: value for name, value in stated.items() if value is not None}
    shares_stated = any(f"workload.share_{s}" in _stated_names(stated) for s in ("native", "fallback", "unsupported"))
    origins: dict[str, tuple[str, str]] = {}
    for name, (value, kind, source) in found.items():
        section, field = name.split(".")
        if name in _stated_names(stated) or (shares_stated and field.startswith("share_")):
            continue
        values[section] = {**(values.get(section) or {}), field: value}
        origins[name] = (kind, source)
    warnings = () if scenario.benchmarks.baseline or scenario.benchmarks.candidate else evidence.comparison.warnings
    if evidence.demo_coverage:
        warnings = tuple(dict.fromkeys((*warnings, "demo_data")))
    return Filled(read_scenario(values), origins, warnings)


def decide_filled(filled: Filled) -> Decision:
    """Return the decision on a completed scenario, with the warnings of its evidence among its own."""
    decision = decide(filled.scenario)
    return replace(decision, warnings=tuple(dict.fromkeys((*decision.warnings, *filled.warnings))))


def input_origin(
    name: str, stated: dict[str, Any], origins: dict[str, tuple[str, str]], source: str
) -> tuple[str, str]:
    """Return the kind of an input (stated, measured, derived or assumed) and its source."""
    if name in _stated_names(stated):
        return STATED, "you"
    return origins.get(name, (ASSUMED, source))


def _stated_names(stated: dict[str, Any]) -> set[str]:
    return {
        f"{section}.{field}" if isinstance(values, dict) else section
        for section, values in stated.items()
        for field, value in (values.items() if isinstance(values, dict) else [("", values)])
        if value is not None
    }


def _from_comparison(comparison: Comparison) -> dict[str, tuple[Any, str, str]]:
    terms = comparison.terms
    sides = {"baseline": terms.baseline, "candidate": terms.candidate}
    found: dict[str, tuple[Any, str, str]] = {}
    for side, platform in sides.items():
        counted = comparison.counted(platform)
        if not counted:
            continue
        files = ", ".join(dict.fromkeys(name for c in counted for name in c.files))
        found[f"benchmarks.{side}"] = (
            [_as_input(c, terms.utilisation) for c in counted],
            MEASURED,
            files or "no runs that count",
        )
    return found


def _as_input(configuration: MeasuredConfiguration, utilisation: float) -> dict[str, Any]:
    assert configuration.price is not None  # a configuration without a price does not count
    return {
        "name": configuration.name,
        "price_per_hour": configuration.price.usd_per_hour,
        "throughput_runs": list(configuration.units_per_second),
        "latency_ms_runs": list(configuration.latency_ms),
        "utilisation": utilisation,
    } | _summed_up(configuration)


def _summed_up(configuration: MeasuredConfiguration) -> dict[str, Any]:
    """Return what stands for very many runs beside their mean; nothing where each run is listed."""
    if configuration.runs == len(configuration.units_per_second):
        return {}
    judged = configuration.latency_status == "slo_not_met" or configuration.latency_status == "ok"
    worst = [max(configuration.latency_ms)] if judged and configuration.latency_ms else []
    return {"runs": configuration.runs, "sd_log": configuration.sd_log, "latency_ms_runs": worst}


def _from_coverage(coverage: CoverageSummary, report: str) -> dict[str, tuple[Any, str, str]]:
    found: dict[str, tuple[Any, str, str]] = {
        "workload.unsupported_ops": (coverage.unsupported_ops, DERIVED, f"operators that fail in {report}")
    }
    shares = coverage.shares()
    if shares and shares["native"] + shares["fallback"] > 0:
        by = {"time_us": "time", "calls": "calls"}[str(coverage.basis)]
        for state, value in shares.items():
            found[f"workload.share_{state}"] = (value, DERIVED, f"share of {by} in {report}")
    return found
