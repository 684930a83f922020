"""What is believed about the cost ratio, before and after evidence (model section 2)."""

from dataclasses import dataclass

from analysis.model.arrays import exp, log, ndtr, sqrt, where
from analysis.model.scenario import Scenario
from analysis.model.unit_cost import PlatformCost, PooledRatio

Z90 = 1.6448536269514722


@dataclass(frozen=True, slots=True)
class Belief:
    """ln r ~ N(mean, sd²), where r = cost per unit on the candidate / on the baseline."""

    mean: float
    sd: float

    @property
    def ratio_mean(self) -> float:
        """E[r]; the mean saving is 1 − E[r], not 1 − exp(mean)."""
        return exp(self.mean + self.sd**2 / 2)

    @property
    def ratio_median(self) -> float:
        """Median of r."""
        return exp(self.mean)

    @property
    def saving_90(self) -> tuple[float, float]:
        """Interval that holds the saving with 90 % probability."""
        return 1 - exp(self.mean + Z90 * self.sd), 1 - exp(self.mean - Z90 * self.sd)

    @property
    def probability_saving(self) -> float:
        """Return P(r < 1)."""
        known = where(self.mean < 0, 1.0, 0.0)
        return where(self.sd > 0, ndtr(-self.mean / where(self.sd > 0, self.sd, 1.0)), known)


def claimed_log_ratio(more_work_per_dollar: float | None) -> float:
    """Return ln r of a claim: G more work per dollar means r = 1 / (1 + G), for 70 % more a cost 41.2 % lower."""
    return 0.0 if more_work_per_dollar is None else -log(1.0 + more_work_per_dollar)


def form_belief(scenario: Scenario, pooled: PooledRatio | None, penalty: float, candidate: PlatformCost) -> Belief:
    """Combine the discounted claim with what was observed, by precision, and add the cost of cold compiles."""
    vendor = scenario.vendor
    prior_mean = (1.0 - vendor.haircut) * claimed_log_ratio(vendor.more_work_per_dollar) + penalty
    prior_precision = 1.0 / vendor.sd_log**2
    mean, variance = prior_mean, vendor.sd_log**2
    if pooled is not None:
        variance = 1.0 / (prior_precision + 1.0 / pooled.variance)
        mean = variance * (prior_mean * prior_precision + pooled.log_ratio / pooled.variance)
    return Belief(_add_cold_compiles(scenario, mean, candidate), sqrt(variance))


def _add_cold_compiles(scenario: Scenario, mean: float, candidate: PlatformCost) -> float:
    jobs = scenario.jobs
    hours = scenario.workload.compile_hours_per_job * scenario.workload.cache_miss_rate
    if jobs is None:
        return mean
    chosen = candidate.configuration
    price = chosen.price_per_hour if chosen else scenario.test.candidate_usd_per_hour
    job_usd = jobs.hours_per_job * jobs.price_per_instance_hour
    # Jobs that cost nothing have no cost to which a compile could be compared.
    extra = where(job_usd > 0, hours * price / where(job_usd > 0, job_usd, 1.0), 0.0)
    return where(extra > 0, log(exp(mean) + extra), mean)
