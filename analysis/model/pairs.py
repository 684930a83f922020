"""Pairs of configurations, one of each platform: how their costs compare by hourly price alone, and as measured."""

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.model.unit_cost import SMALLEST_SD_LOG

CHEAPEST, SAME_LOAD = "cheapest", "same_load"


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 90 % interval over the runs; `assumed` where a single run's spread had to be assumed."""

    value: float
    low: float
    high: float
    assumed: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """One configuration of each platform, compared.

    Ratios are candidate over baseline. `price_ratio` is what hourly price alone suggests, and the throughput ratio at
    which both cost the same per unit of work. `unequal` names what differs besides the platform.
    """

    basis: str
    baseline: MeasuredConfiguration
    candidate: MeasuredConfiguration
    baseline_usd: Interval
    candidate_usd: Interval
    cost_ratio: Interval
    throughput_ratio: float
    price_ratio: float
    unequal: tuple[str, ...]


def find_pairs(comparison: Comparison, run_sd_log: float) -> tuple[Pair, ...]:
    """Return the pair of the cheapest admissible configurations, then one for each load that both sides ran.

    `run_sd_log` is the spread of ln(units/s) assumed for a configuration that ran once. Costs are USD per quoted
    quantity of the comparison's unit. Empty where either side has nothing that counts under the objective.
    """
    terms = comparison.terms
    sides = [comparison.admissible(side) for side in (terms.baseline, terms.candidate)]
    if comparison.unit is None or not all(sides):
        return ()
    baseline, candidate = (min(side, key=_cost) for side in sides)
    pairs = [_pair(CHEAPEST, baseline, candidate, comparison, run_sd_log)]
    by_load = [{c.load: c for c in sorted(side, key=_cost, reverse=True) if c.load} for side in sides]
    for load in sorted(
        by_load[0].keys() & by_load[1].keys(), key=lambda load: (by_load[0][load].concurrency or 0, load)
    ):
        if (by_load[0][load], by_load[1][load]) != (pairs[0].baseline, pairs[0].candidate):
            pairs.append(_pair(SAME_LOAD, by_load[0][load], by_load[1][load], comparison, run_sd_log))
    return tuple(pairs)


def cost_interval(configuration: MeasuredConfiguration, quantity: float, run_sd_log: float) -> Interval:
    """Return USD per quantity of work at the geometric mean of the runs, with its 90 % interval (Student's t of ln)."""
    variance, freedom = _mean_variance(configuration, run_sd_log)
    return _interval(quantity * _cost(configuration), variance, freedom, configuration.runs < 2)


def _pair(
    basis: str,
    baseline: MeasuredConfiguration,
    candidate: MeasuredConfiguration,
    comparison: Comparison,
    run_sd_log: float,
) -> Pair:
    assert comparison.unit is not None
    (v0, f0), (v1, f1) = (_mean_variance(c, run_sd_log) for c in (baseline, candidate))
    # Welch and Satterthwaite's degrees of freedom: the two sides may spread differently.
    lost = v0**2 / f0 + v1**2 / f1
    freedom = (v0 + v1) ** 2 / lost if lost else math.inf
    assumed = min(baseline.runs, candidate.runs) < 2
    names = ("precision", "load", "engine", "input_tokens", "output_tokens")
    assert baseline.price is not None
    assert candidate.price is not None
    assert baseline.mean_units_per_second is not None
    assert candidate.mean_units_per_second is not None
    return Pair(
        basis=basis,
        baseline=baseline,
        candidate=candidate,
        baseline_usd=cost_interval(baseline, comparison.unit.quantity, run_sd_log),
        candidate_usd=cost_interval(candidate, comparison.unit.quantity, run_sd_log),
        cost_ratio=_interval(_cost(candidate) / _cost(baseline), v0 + v1, freedom, assumed),
        throughput_ratio=candidate.mean_units_per_second / baseline.mean_units_per_second,
        price_ratio=candidate.price.usd_per_hour / baseline.price.usd_per_hour,
        unequal=tuple(n for n in names if getattr(baseline, n) != getattr(candidate, n))
        + (() if baseline.price.purchase_option == candidate.price.purchase_option else ("purchase option",)),
    )


def _mean_variance(configuration: MeasuredConfiguration, run_sd_log: float) -> tuple[float, float]:
    """Return the variance of the mean of ln(units/s), and its degrees of freedom, infinite for an assumed spread."""
    if configuration.sd_log is None:
        return max(run_sd_log, SMALLEST_SD_LOG) ** 2, math.inf
    return max(configuration.sd_log, SMALLEST_SD_LOG) ** 2 / configuration.runs, configuration.runs - 1.0


def _interval(value: float, variance: float, freedom: float, assumed: bool) -> Interval:
    reach = math.exp(float(stdtrit(freedom, 0.95)) * math.sqrt(variance))
    return Interval(value, value / reach, value * reach, assumed)


def _cost(configuration: MeasuredConfiguration) -> float:
    assert configuration.unit_cost_usd is not None  # a configuration that counts has work and a price
    return configuration.unit_cost_usd
