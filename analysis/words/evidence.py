"""The evidence behind a decision in a few sentences, for people: what was measured, and what is only assumed."""

from collections.abc import Iterable

from analysis.model.comparison import Comparison, MeasuredConfiguration, Terms
from analysis.model.evidence import Evidence
from analysis.words.numbers import money, number, percent, platform

REASONS = {
    "metric_missing": "does not state the unit of work compared",
    "run_not_valid": "the tool itself calls the run invalid",
    "error_rate_high": "more of its requests failed than the limit allows",
    "slo_not_met": "misses the latency objective",
    "latency_missing": "does not state the latency that the objective is about",
    "quality_not_kept": "falls below the baseline's quality",
    "lengths_differ": "input or output length differs from the pair compared",
    "price_missing": "no price: neither stated nor in the price table of the region",
}
WARNINGS = {
    "quality_unknown": "The baseline states a quality, but not every candidate run has one to set beside it.",
    "precision_differs": "The two sides ran at different precision: not like for like.",
    "purchase_options_differ": "The two sides are priced by different purchase options.",
    "lengths_unknown": "Some runs do not state input or output length, so equal work is not certain.",
    "several_lengths": "There are runs of several lengths; the pair with most runs is compared, the rest is set aside.",
    "quality_not_kept": "No run of the candidate keeps the baseline's quality, so none counts.",
    "measured_far_apart": "Runs of more than half a year apart are compared as one: SDK and prices may have changed.",
    "region_unknown": "The price table has no such region (benchmarks.region): runs that state no price do not count.",
    "demo_data": "Demo data: made-up numbers.",
    "contradictory_benchmarks": "The benchmarks contradict one another; their spread is added to the doubt.",
    "job_spend_exceeds_monthly_spend": "The jobs cost more than the stated bill; the jobs count.",
    "commitment_exceeds_spend": "The commitment is larger than the bill.",
    "migrate_gated_no_own_benchmark": "Migrating waits for an own benchmark on both platforms.",
    "baseline_latency_missing": "No baseline run states the latency that the objective is about.",
    "candidate_latency_missing": "No candidate run states the latency that the objective is about.",
    "baseline_slo_not_met": "Every measured baseline configuration misses the latency objective.",
    "candidate_slo_not_met": "Every measured candidate configuration misses the latency objective.",
}


def reason_text(reason: str, terms: Terms) -> str:
    """Say why runs do not count, with the limit that they are beyond and the input that states it."""
    limits = {
        "error_rate_high": f"{percent(terms.max_error_rate)}, benchmarks.max_error_rate",
        "run_not_valid": "it counts only where benchmarks.max_error_rate is 1",
        "quality_not_kept": f"by more than {number(terms.quality_tolerance)}, benchmarks.quality_tolerance",
        "slo_not_met": f"{terms.slo_metric} at most {number(terms.slo_ms or 0.0)} ms, benchmarks.slo_ms",
        "latency_missing": terms.slo_metric,
        "metric_missing": terms.metric or "the first unit that both sides state",
    }
    return REASONS.get(reason, reason) + (f" ({limits[reason]})" if reason in limits else "")


def describe_evidence(evidence: Evidence) -> list[str]:
    """Return the evidence in short phrases: benchmarks, coverage, prices."""
    comparison = evidence.comparison
    phrases = []
    for side in (comparison.terms.baseline, comparison.terms.candidate):
        counted = comparison.counted(side)
        runs = sum(c.runs for c in counted)
        phrase = f"{platform(side)}: {runs} run{'' if runs == 1 else 's'}" if runs else f"{platform(side)}: none"
        missed = len(comparison.counted(side)) - len(comparison.admissible(side))
        phrases.append(phrase + (f" ({missed} configurations miss the latency objective)" if missed else ""))
    model = comparison.terms.model
    text = [f"Benchmarks of {model}: {', '.join(phrases)}" if any(map(comparison.counted, _sides(comparison))) else ""]
    if not text[0]:
        reasons = dict.fromkeys(
            reason_text(c.excluded, comparison.terms) for c in comparison.configurations if c.excluded
        )
        text = [f"No benchmark that counts yet{f' ({_listed(reasons)})' if reasons else ''}"]
    coverage = evidence.coverage
    if coverage is None:
        text.append("no coverage report")
    else:
        shares = coverage.shares()
        share = f", {percent(shares['native'])} native of what is known" if shares else ""
        open_share = coverage.share_unknown()
        unknown = f", {percent(open_share)} unknown" if open_share else ""
        text.append(f"coverage: {sum(coverage.counts.values())} operators{share}{unknown} ({evidence.report})")
    prices = dict.fromkeys(c.price.label for c in comparison.configurations if c.price and not c.excluded)
    if prices:
        text.append(f"prices: {'; '.join(prices)}")
    return text


def price_contrast(comparison: Comparison) -> str | None:
    """Say what hourly price alone would have suggested, against what was measured; None without both sides."""
    cheapest = [_cheapest(comparison.admissible(side)) for side in _sides(comparison)]
    if comparison.unit is None or any(c is None for c in cheapest):
        return None
    baseline, candidate = (c for c in cheapest if c is not None)
    quantity, label = comparison.unit.quantity, comparison.unit.label
    text = (
        f"By hourly price alone {_compared(_price(candidate) / _price(baseline))}; as measured, each at its cheapest, "
        f"{_compared(_cost(candidate) / _cost(baseline))} per {label} "
        f"({money(quantity * _cost(candidate))} against {money(quantity * _cost(baseline))})."
    )
    pair = _same_load(comparison)
    if pair:
        text += (
            f" At the same {pair[0].load} it is {money(quantity * _cost(pair[1]))} against "
            f"{money(quantity * _cost(pair[0]))}."
        )
    return text


def _listed(reasons: Iterable[str]) -> str:
    return "set aside: " + "; ".join(reasons)


def _sides(comparison: Comparison) -> tuple[str, str]:
    return comparison.terms.baseline, comparison.terms.candidate


def _compared(ratio: float) -> str:
    if abs(ratio - 1) < 0.005:
        return "the candidate costs the same"
    if ratio < 1:
        return f"the candidate is {percent(1 - ratio)} cheaper"
    if ratio < 2:
        return f"the candidate is {percent(ratio - 1)} dearer"
    return f"the candidate costs {number(ratio)} times as much"


def _same_load(comparison: Comparison) -> tuple[MeasuredConfiguration, MeasuredConfiguration] | None:
    """Return the pair at the highest load that both sides ran, the cheapest of each side there."""
    sides = [{c.load: c for c in sorted(comparison.admissible(s), key=lambda c: -_cost(c))} for s in _sides(comparison)]
    common = [load for load in sides[0] if load and load in sides[1]]
    if not common:
        return None
    load = max(common, key=lambda name: sides[0][name].concurrency or 0.0)
    return sides[0][load], sides[1][load]


def _cheapest(counted: tuple[MeasuredConfiguration, ...]) -> MeasuredConfiguration | None:
    return min(counted, key=_cost, default=None)


def _cost(configuration: MeasuredConfiguration) -> float:
    assert configuration.unit_cost_usd is not None  # a configuration that counts has work and a price
    return configuration.unit_cost_usd


def _price(configuration: MeasuredConfiguration) -> float:
    assert configuration.price is not None
    return configuration.price.usd_per_hour
