"""The bill and the part of it that would move (model section 0)."""

from dataclasses import dataclass

from analysis.model.arrays import maximum, where
from analysis.model.scenario import Jobs, Scenario

HOURS_PER_MONTH = 730.0
WEEKS_PER_MONTH = HOURS_PER_MONTH / 168.0
ASSUMED_MONTHLY_GPU_USD = 50_000.0
ASSUMED_MIGRATABLE_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Bill:
    """The monthly GPU bill today, and what could move of it.

    `spend_usd` is B0, `movable_usd` M0 and `movable_share` their ratio; `job_spend_usd` is what the jobs cost, None
    without jobs. All USD per month.
    """

    spend_usd: float
    movable_usd: float
    movable_share: float
    job_spend_usd: float | None


def job_spend(jobs: Jobs) -> float:
    """Return what the jobs cost, in USD per month."""
    hours = jobs.jobs_per_week * WEEKS_PER_MONTH * jobs.hours_per_job * jobs.instances
    return hours * jobs.price_per_instance_hour


def compute_bill(scenario: Scenario) -> Bill:
    """Return the bill and the part that could move: the whole bill's share, or the jobs and some of the rest."""
    spend = scenario.spend
    stated = spend.monthly_gpu_usd
    if scenario.jobs is None:
        cost = None
        bill = ASSUMED_MONTHLY_GPU_USD if stated is None else stated
        portion = ASSUMED_MIGRATABLE_SHARE if spend.migratable_share is None else spend.migratable_share
        movable = portion * bill
    else:
        cost = job_spend(scenario.jobs)
        bill = maximum(cost, 0.0 if stated is None else stated)
        portion = 1.0 if spend.migratable_share is None else spend.migratable_share
        movable = portion * cost + spend.follow_on_share * (bill - cost)
    share = where(bill > 0, movable / where(bill > 0, bill, 1.0), 0.0)
    return Bill(bill, movable, share, cost)
