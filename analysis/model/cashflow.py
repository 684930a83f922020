"""Savings month by month; the value of migrating, linear in the cost ratio (model section 6).

Months are t = 1..H and paid at their end; month 0 is today. Arrays have months on their last axis.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from analysis.model.arrays import alike, by_month, ceil, clip, maximum, minimum, months, prepend, total, where
from analysis.model.effort import migration_cost, revalidation_cost
from analysis.model.scenario import Scenario
from analysis.model.workload import Bill

_IRR_RANGE = (-0.99, 10.0)
_ZERO = 1e-9


@dataclass(frozen=True, slots=True)
class Migration:
    """The value of migrating from month `start` on: V(r) = avoided_usd − work_usd · r, all discounted to today.

    `work_usd` is what the moved work costs on the baseline (b in the model), `loss_usd` what is lost if it fails
    technically (L), `cost_usd` the migration itself, undiscounted; `stranded_usd` is committed spend that stays owed
    although the work has moved, undiscounted. `avoided`, `moved` and `revalidation` are the USD of each month.
    """

    start: float
    go_live: float
    avoided_usd: float
    work_usd: float
    loss_usd: float
    cost_usd: float
    parallel_usd: float
    stranded_usd: float
    avoided: float
    moved: float
    revalidation: float

    def value(self, ratio: float) -> float:
        """Return V(r) in USD."""
        return self.avoided_usd - self.work_usd * ratio


def monthly_discount(annual_discount: float) -> float:
    """Return δ, the worth today of a dollar paid in a month."""
    discount: float = (1.0 + annual_discount) ** (-1.0 / 12.0)
    return discount


def plan_migration(scenario: Scenario, bill: Bill, start: float, credit_usd: float) -> Migration:
    """Return the cash flows of a migration that is decided in month `start` (0: now)."""
    move, held, growth = scenario.migration, scenario.commitment, 1.0 + scenario.spend.growth_monthly
    horizon = scenario.finance.horizon_months
    discount = monthly_discount(scenario.finance.annual_discount)
    cost = migration_cost(scenario, credit_usd)
    revalidation = revalidation_cost(scenario)
    go_live = start + move.months
    like = (bill.spend_usd, bill.movable_usd, growth, discount, cost, revalidation, go_live, move.ramp_months)
    t = months(horizon, *like, held.monthly_usd, held.months_left, held.portable_share)

    spend = by_month(bill.spend_usd) * by_month(growth) ** (t - 1)
    live = t > by_month(go_live)
    ramp_months = by_month(move.ramp_months)
    ramp = where(
        ramp_months > 0,
        clip((t - by_month(go_live)) / where(ramp_months > 0, ramp_months, 1.0), 0.0, 1.0),
        where(live, 1.0, 0.0),
    )
    moved = by_month(bill.movable_share) * spend * ramp
    committed = where(t <= by_month(held.months_left), by_month(held.monthly_usd * (1.0 - held.portable_share)), 0.0)
    avoided = maximum(committed, spend) - maximum(committed, spend - moved)
    upkeep = where(live, by_month(revalidation), 0.0)
    worth = by_month(discount) ** t

    runs_before_end = where(go_live < horizon, 1.0, 0.0)
    months_before = clip(go_live - 1.0, 0.0, float(horizon))  # past the end nothing moves, so nothing overflows
    movable_at_go_live = bill.movable_usd * growth**months_before * runs_before_end
    parallel = move.parallel_months * move.parallel_share * movable_at_go_live
    double_run = move.failure_double_run_months * movable_at_go_live
    return Migration(
        start=start,
        go_live=go_live,
        avoided_usd=total(worth * (avoided - upkeep)) - discount**start * cost,
        work_usd=total(worth * moved) + discount**go_live * parallel,
        loss_usd=discount**start * (move.failure_loss_factor * cost + move.failure_extra_usd)
        + discount**go_live * double_run,
        cost_usd=cost,
        parallel_usd=parallel,
        stranded_usd=total(moved - avoided),
        avoided=avoided,
        moved=moved,
        revalidation=upkeep,
    )


def cash_by_month(plan: Migration, ratio: float, test_usd: float, horizon: int) -> NDArray[np.float64]:
    """Return undiscounted cash in USD for months 0..horizon: the test, then a migration that succeeds at `ratio`."""
    t = months(horizon, plan.avoided, ratio, test_usd)
    # Past the horizon there is nothing left to earn: what is still owed then is booked at its end.
    decided = minimum(ceil(plan.start), float(horizon))
    live = minimum(ceil(plan.go_live), float(horizon))
    parallel = plan.parallel_usd * ratio
    flows = (
        alike(plan.avoided, t)
        - alike(plan.moved, t) * by_month(ratio)
        - alike(plan.revalidation, t)
        - where(t == by_month(decided), by_month(plan.cost_usd), 0.0)
        - where(t == by_month(live), by_month(parallel), 0.0)
    )
    today = -test_usd - where(decided == 0, plan.cost_usd, 0.0) - where(live == 0, parallel, 0.0)
    cash: NDArray[np.float64] = prepend(today, flows)
    return cash


def discounted(cash: NDArray[np.float64], annual_discount: float) -> NDArray[np.float64]:
    """Return the cash of months 0..H discounted to today."""
    return np.asarray(cash * monthly_discount(annual_discount) ** np.arange(len(cash)))


def payback_month(cash: NDArray[np.float64]) -> float | None:
    """Return the interpolated month after which the cumulative cash stays at or above 0; None if it never does."""
    cumulative = np.cumsum(cash)
    below = np.flatnonzero(cumulative < -_ZERO * np.abs(cash).sum())
    if not below.size:
        return 0.0
    last = int(below[-1])
    if last == len(cash) - 1:
        return None
    return last - float(cumulative[last]) / float(cumulative[last + 1] - cumulative[last])


def internal_rate(cash: NDArray[np.float64]) -> float | None:
    """Return the internal rate of return per month, or None unless exactly one lies between −99 % and 1000 %."""
    powers = np.arange(len(cash))
    scale = float(np.abs(cash).sum())
    if scale == 0.0:
        return None

    def value(log_rate: float) -> float:
        # Divided by the largest power, so that rates near −1 do not overflow.
        exponents = -log_rate * powers
        return float(np.sum(cash / scale * np.exp(exponents - exponents.max())))

    grid = np.linspace(math.log1p(_IRR_RANGE[0]), math.log1p(_IRR_RANGE[1]), 2001)
    exponents = -grid[:, None] * powers
    values = (cash / scale * np.exp(exponents - exponents.max(axis=1, keepdims=True))).sum(axis=1)
    changes = np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:]))
    if changes.size != 1:
        return None
    low = int(changes[0])
    return math.expm1(brentq(value, grid[low], grid[low + 1], xtol=1e-14))
