"""The numbers behind the charts of a decision: values over spend and jobs, cash over time, test cost over team size."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.model.breakeven import ActRange, act_ranges, at_bills, at_jobs
from analysis.model.cashflow import cash_by_month, payback_month
from analysis.model.effort import compute_test_cost
from analysis.model.evaluation import ACTS, Evaluation, evaluate, recommended_acts
from analysis.model.scenario import Scenario
from analysis.model.testing import likely

Values = NDArray[np.float64]
_POINTS = 121
_TEAM_POINTS = 24


@dataclass(frozen=True, slots=True)
class ActCurve:
    """Value of each act in USD over one input; `ranges` say which act is recommended where."""

    x: Values
    test_usd: Values
    migrate_usd: Values
    ranges: tuple[ActRange, ...]
    now: float
    now_usd: float
    now_act: str


@dataclass(frozen=True, slots=True)
class CashPath:
    """Cumulative undiscounted cash in USD for months 0..H, at one cost ratio."""

    cumulative_usd: Values
    ratio: float
    payback_month: float | None


@dataclass(frozen=True, slots=True)
class CashPaths:
    """Cash if the test ends in a move (None where it hardly can), at the mean ratio, and at the ends of its 90 %."""

    if_go: CashPath | None
    mean: CashPath
    best: CashPath
    worst: CashPath
    test_usd: float


@dataclass(frozen=True, slots=True)
class TeamCosts:
    """Cost of the test in USD and its duration in months, by team size; one row of `usd` an activity."""

    engineers: NDArray[np.int64]
    activities: tuple[str, ...]
    usd: Values
    months: Values
    now: int
    now_usd: float


def value_by_spend(scenario: Scenario, worth_acting_from_usd: float | None) -> ActCurve:
    """Return the value of each act over the stated monthly bill, from 0 to well past the user's and the break-even."""
    now = float(evaluate(scenario).bill.spend_usd)
    return _curve(scenario, np.linspace(0.0, _top(now, worth_acting_from_usd), _POINTS), now, at_bills)


def value_by_jobs(scenario: Scenario, flip: float | None) -> ActCurve | None:
    """Return the value of each act over jobs per week, with the stated bill held; None without jobs."""
    if scenario.jobs is None:
        return None
    now = float(scenario.jobs.jobs_per_week)
    x = np.linspace(0.0, _top(now, flip, least=10.0), _POINTS)
    return _curve(scenario, x, now, at_jobs)


def cash_paths(scenario: Scenario) -> CashPaths:
    """Return cumulative cash of a test that is followed by a migration that succeeds."""
    point = evaluate(scenario)
    go, low, high = point.outcome.probability_go, *point.belief.saving_90
    return CashPaths(
        if_go=_path(scenario, point, point.outcome.ratio_go / go) if likely(go) else None,
        mean=_path(scenario, point, point.belief.ratio_mean),
        best=_path(scenario, point, 1 - high),
        worst=_path(scenario, point, 1 - low),
        test_usd=point.test_cost.usd,
    )


def cost_by_team(scenario: Scenario) -> TeamCosts:
    """Return what the test costs for teams from one engineer to about twice the user's."""
    now = scenario.team.engineers
    sizes = np.unique(np.linspace(1, max(12, 2 * now), _TEAM_POINTS).round().astype(int))
    sizes = np.unique(np.append(sizes, now))
    cost = compute_test_cost(scenario.replace({"team.engineers": sizes}))
    return TeamCosts(
        engineers=sizes,
        activities=tuple(activity.activity for activity in cost.activities),
        usd=np.array([np.broadcast_to(activity.usd, sizes.shape) for activity in cost.activities]),
        months=np.broadcast_to(np.asarray(cost.months, dtype=float), sizes.shape),
        now=now,
        now_usd=float(compute_test_cost(scenario).usd),
    )


def _top(now: float, flip: float | None, least: float = 1000.0) -> float:
    # A flip far away would press the user's own spot into the corner.
    reach = 1.5 * flip if flip is not None and flip <= 4 * max(now, least) else 0.0
    return max(2 * now, reach, least)


def _curve(
    scenario: Scenario,
    x: Values,
    now: float,
    at: Callable[[Scenario, Values], Evaluation],
) -> ActCurve:
    point, here = at(scenario, x), evaluate(scenario)
    test = np.broadcast_to(np.asarray(point.test_usd, dtype=float), x.shape)
    migrate = np.broadcast_to(np.asarray(point.migrate_usd, dtype=float), x.shape)
    values = dict(zip(ACTS, (0.0, float(here.test_usd), float(here.migrate_usd)), strict=True))
    act = ACTS[int(recommended_acts(scenario, here, ())[()])]
    ranges = act_ranges(scenario, at, x, gated=True)
    return ActCurve(x, test, migrate, ranges, now, values[act], act)


def _path(scenario: Scenario, point: Evaluation, ratio: float) -> CashPath:
    cash = cash_by_month(point.after_test, ratio, point.test_cost.usd, scenario.finance.horizon_months)
    return CashPath(np.cumsum(cash), float(ratio), payback_month(cash))
