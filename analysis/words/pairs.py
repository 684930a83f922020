"""One sentence a pair: what a unit of work costs here and there, how sure that is, and what is not equal."""

from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.model.pairs import CHEAPEST, Interval, Pair
from analysis.words.numbers import money, number, percent, platform

UNEQUAL = {
    "precision": "precision",
    "load": "load",
    "engine": "engine",
    "input_tokens": "input length",
    "output_tokens": "output length",
    "purchase option": "purchase option",
}


def say_lengths(comparison: Comparison) -> str:
    """Return the lengths that a comparison is about: «1,024 input and 256 output tokens», or what is known of them."""
    counted = [c for side in _sides(comparison) for c in comparison.counted(side)]
    if comparison.unit is not None and comparison.unit.kind == "training":
        return "training"
    known = [f"{number(getattr(c, f'{k}_tokens'))} {k}" for c in counted[:1] for k in ("input", "output") if _has(c, k)]
    return f"{' and '.join(known)} tokens" if known else "lengths not stated"


def label_pair(comparison: Comparison, pair: Pair) -> str:
    """Return a short label of a pair, for an axis."""
    loads = (pair.baseline.load, pair.candidate.load)
    how = "cheapest each" if pair.basis == CHEAPEST else loads[0].removeprefix("concurrency ")
    lengths = say_lengths(comparison).removesuffix(" tokens").replace(" input and ", " → ").replace(" output", "")
    return f"{lengths}, {how if pair.basis == CHEAPEST else f'load {how}'}"


def say_pair(comparison: Comparison, pair: Pair) -> str:
    """Say what a pair measured, in one sentence for each side, the ratio with its interval, and what is unequal."""
    assert comparison.unit is not None
    sides = [
        f"{platform(c.platform)} {_amount(cost)} ({c.name}, {_runs(c)})"
        for c, cost in ((pair.baseline, pair.baseline_usd), (pair.candidate, pair.candidate_usd))
    ]
    ratio = pair.cost_ratio
    text = (
        f"Per {comparison.unit.label}: {sides[0]}; {sides[1]}. {_verdict(ratio)} "
        f"Break-even is {number(pair.price_ratio)} times the throughput per instance; "
        f"measured {number(pair.throughput_ratio)} times."
    )
    if pair.unequal:
        text += f" Not equal: {', '.join(UNEQUAL[name] for name in pair.unequal)}."
    if ratio.assumed:
        text += " A single run has no spread of its own: the interval takes the assumed one (test.run_sd_log)."
    return text


def say_no_pair(comparison: Comparison) -> str:
    """Say why there is nothing to compare, and what can be said all the same."""
    terms = comparison.terms
    sides = _sides(comparison)
    missing = [side for side in sides if not comparison.counted(side)]
    if missing:
        names = " and ".join(map(platform, missing))
        have = [platform(side) for side in sides if side not in missing]
        known = f" What {have[0]} costs is known, not what it would cost elsewhere." if have else ""
        return f"Nothing that counts was measured on {names} yet: there is no comparison so far.{known}"
    parts = [_nearest(comparison, side) for side in sides if not comparison.admissible(side)]
    objective = f"{terms.slo_metric} at most {number(terms.slo_ms or 0.0)} ms"
    return (
        f"No cost can be compared under {objective}: {'; '.join(parts)}. A looser objective, or another "
        "configuration, would be needed."
    )


def _nearest(comparison: Comparison, side: str) -> str:
    worst = [max(c.latency_ms) for c in comparison.counted(side) if c.latency_ms]
    if not worst:
        return f"no run on {platform(side)} states that latency"
    return f"on {platform(side)} no configuration keeps it in every run, the nearest reaches {number(min(worst))} ms"


def _verdict(ratio: Interval) -> str:
    span = f"{number(ratio.value)} times the cost, 90 % interval {number(ratio.low)} to {number(ratio.high)} over runs"
    if ratio.high < 1:
        return f"The candidate is {percent(1 - ratio.value)} cheaper ({span})."
    if ratio.low > 1:
        return f"The candidate is {percent(ratio.value - 1)} dearer ({span})."
    return f"The runs do not tell which is cheaper ({span})."


def _amount(cost: Interval) -> str:
    return f"{money(cost.value)} [{money(cost.low)} to {money(cost.high)}]"


def _runs(configuration: MeasuredConfiguration) -> str:
    runs = configuration.runs
    quality = ""
    if configuration.lowest_quality is not None:
        quality = f", {configuration.quality_metric or 'quality'} {number(configuration.lowest_quality)} at the lowest"
    return f"{runs:,} run{'' if runs == 1 else 's'}{quality}"


def _has(configuration: MeasuredConfiguration, key: str) -> bool:
    return getattr(configuration, f"{key}_tokens") is not None


def _sides(comparison: Comparison) -> tuple[str, str]:
    return comparison.terms.baseline, comparison.terms.candidate
