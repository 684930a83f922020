"""Cost per unit of work on each platform, and what was observed of their ratio (model section 1)."""

import math
from dataclasses import dataclass

from analysis.model.arrays import log, maximum, where
from analysis.model.scenario import Benchmarks, Configuration, Scenario

SMALLEST_SD_LOG = 1e-6
CONTRADICTORY_I2 = 0.5


@dataclass(frozen=True, slots=True)
class PlatformCost:
    """The cheapest admissible configuration of a platform.

    `status` is one of ok, no_configuration, latency_missing, slo_not_met. `log_cost` is ln(USD per unit of work) and
    `variance` that of its mean over the runs; both and `configuration` are None unless the status is ok.
    """

    status: str
    configuration: Configuration | None = None
    log_cost: float | None = None
    variance: float | None = None

    @property
    def usd_per_unit(self) -> float | None:
        """USD per unit of work, or None where no configuration counts."""
        return None if self.log_cost is None else math.exp(self.log_cost)


@dataclass(frozen=True, slots=True)
class PooledRatio:
    """Observations of ln(cost on candidate / cost on baseline), pooled; `i2` is the share of real disagreement."""

    log_ratio: float
    variance: float
    i2: float
    count: int


def unit_cost(price_per_hour: float, units_per_second: float, utilisation: float) -> float:
    """Return USD per unit of work: c = P / (3600 X u)."""
    return price_per_hour / (3600.0 * units_per_second * utilisation)


def latency_status(configuration: Configuration, slo_ms: float | None) -> str:
    """Return ok, latency_missing or slo_not_met: every run has to keep the objective at its own load."""
    return judge_latency(configuration.latency_ms_runs, len(configuration.throughput_runs), slo_ms)


def judge_latency(latencies_ms: tuple[float, ...], runs: int, slo_ms: float | None) -> str:
    """Return ok, latency_missing or slo_not_met for the latencies of a number of runs."""
    if slo_ms is None:
        return "ok"
    if any(latency > slo_ms for latency in latencies_ms):
        return "slo_not_met"
    return "ok" if len(latencies_ms) >= runs else "latency_missing"


def log_cost(configuration: Configuration, run_sd_log: float) -> tuple[float, float]:
    """Return the mean of ln(USD per unit) over the runs and the variance of that mean."""
    mean, deviation = configuration.log_throughput
    spread = run_sd_log if deviation is None else deviation
    cost = math.log(configuration.price_per_hour / 3600.0 / configuration.utilisation) - mean
    return cost, maximum(spread, SMALLEST_SD_LOG) ** 2 / configuration.run_count


def platform_cost(configurations: tuple[Configuration, ...], slo_ms: float | None, run_sd_log: float) -> PlatformCost:
    """Return the cheapest configuration that keeps the objective, or why there is none."""
    if not configurations:
        return PlatformCost("no_configuration")
    statuses = [latency_status(c, slo_ms) for c in configurations]
    costs = [
        (*log_cost(c, run_sd_log), c) for c, status in zip(configurations, statuses, strict=True) if status == "ok"
    ]
    if not costs:
        return PlatformCost("slo_not_met" if "slo_not_met" in statuses else "latency_missing")
    cost, variance, chosen = min(costs, key=lambda entry: entry[0])
    return PlatformCost("ok", chosen, cost, variance)


def platform_costs(scenario: Scenario) -> tuple[PlatformCost, PlatformCost]:
    """Return the platform costs of baseline and candidate."""
    benchmarks, sd = scenario.benchmarks, scenario.test.run_sd_log
    return (
        platform_cost(benchmarks.baseline, benchmarks.slo_ms, sd),
        platform_cost(benchmarks.candidate, benchmarks.slo_ms, sd),
    )


def fallback_penalty(scenario: Scenario) -> float:
    """Return F, what operators that fall back add to ln(cost ratio)."""
    work = scenario.workload
    ran = work.share_native + work.share_fallback
    return log((work.share_native + work.fallback_slowdown * work.share_fallback) / ran)


def pool_ratios(
    scenario: Scenario, baseline: PlatformCost, candidate: PlatformCost, penalty: float
) -> PooledRatio | None:
    """Pool the own and the external observations by DerSimonian and Laird (Controlled Clinical Trials 7, 1986).

    What every bench misses of production (transfer_sd_log) is common to all: it is added once, after pooling.
    Returns None without any observation.
    """
    observed = _observations(scenario.benchmarks, baseline, candidate)
    if observed and baseline.log_cost is not None and candidate.log_cost is not None:
        own, variance = observed[0]
        observed[0] = (own if scenario.workload.end_to_end_measured else own + penalty, variance)
    if not observed:
        return None
    weights = [1.0 / v for _, v in observed]
    mean = sum(w * y for w, (y, _) in zip(weights, observed, strict=True)) / sum(weights)
    q = sum(w * (y - mean) ** 2 for w, (y, _) in zip(weights, observed, strict=True))
    freedom = len(observed) - 1
    between = 0.0
    if freedom > 0:
        scale = sum(weights) - sum(w * w for w in weights) / sum(weights)
        between = maximum(0.0, (q - freedom) / scale)
    weights = [1.0 / (v + between) for _, v in observed]
    mean = sum(w * y for w, (y, _) in zip(weights, observed, strict=True)) / sum(weights)
    i2 = where(q > 0, maximum(0.0, (q - freedom) / where(q > 0, q, 1.0)), 0.0) if freedom else 0.0
    return PooledRatio(mean, 1.0 / sum(weights) + scenario.test.transfer_sd_log**2, i2, len(observed))


def _observations(benchmarks: Benchmarks, baseline: PlatformCost, candidate: PlatformCost) -> list[tuple[float, float]]:
    observed = [(o.log_ratio, o.se**2) for o in benchmarks.external]
    if baseline.log_cost is None or candidate.log_cost is None:
        return observed
    assert baseline.variance is not None
    assert candidate.variance is not None
    return [(candidate.log_cost - baseline.log_cost, baseline.variance + candidate.variance), *observed]
