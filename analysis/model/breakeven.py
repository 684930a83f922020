"""Where the answer changes: break-even spend, jobs and team, and the best act at every bill (model section 7)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.model.evaluation import ACTS, Evaluation, best_acts, evaluate, recommended_acts
from analysis.model.scenario import Scenario

Values = NDArray[np.float64]
SCAN = np.concatenate(([0.0], np.logspace(0, 10, 401)))
REGION_SCAN = np.logspace(2, 8, 121)
TEAM_SCAN = np.arange(1, 2001)
_POINTS = 257
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class ActRange:
    """A range of an input, from `low` to `high`, with one best act."""

    act: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Region:
    """A range of monthly bills in USD with one best act; `to_usd` None means that it never ends."""

    decision: str
    from_usd: float
    to_usd: float | None


@dataclass(frozen=True, slots=True)
class TeamRange:
    """Smallest and largest team for which the test pays if it succeeds; None: none, or no limit found."""

    min_engineers: int | None
    max_engineers: int | None


def at_bills(scenario: Scenario, bills_usd: Values) -> Evaluation:
    """Evaluate at each stated monthly bill, with jobs and shares held."""
    return evaluate(scenario.replace({"spend.monthly_gpu_usd": bills_usd}))


def at_jobs(scenario: Scenario, jobs_per_week: Values) -> Evaluation:
    """Evaluate at each number of jobs a week, with the stated bill held."""
    return evaluate(scenario.replace({"jobs.jobs_per_week": jobs_per_week}))


def at_teams(scenario: Scenario, engineers: NDArray[np.int64]) -> Evaluation:
    """Evaluate at each team size."""
    return evaluate(scenario.replace({"team.engineers": engineers}))


def break_even_spend(scenario: Scenario) -> float | None:
    """Return the bill in USD/month from which on NPV-if-success stays at or above 0; 0 at any bill, None at none."""
    return _pays_from(lambda bills: _spread(at_bills(scenario, bills).npv_if_success_usd, bills))


def test_pays_from(scenario: Scenario) -> float | None:
    """Return the bill in USD/month from which on the test is worth at least nothing."""
    return _pays_from(lambda bills: _spread(at_bills(scenario, bills).test_usd, bills))


test_pays_from.__test__ = False  # type: ignore[attr-defined]  # pytest would collect a function of this name


def break_even_jobs(scenario: Scenario) -> float | None:
    """Return the jobs per week from which on NPV-if-success stays at or above 0; None if they cannot decide it."""
    jobs = scenario.jobs
    if jobs is None or jobs.hours_per_job * jobs.instances * jobs.price_per_instance_hour <= 0:
        return None
    return _pays_from(lambda rates: _spread(at_jobs(scenario, rates).npv_if_success_usd, rates))


def team_range(scenario: Scenario) -> TeamRange:
    """Return the smallest and the largest team, of 1 to 2,000, for which the test pays if it succeeds."""
    pays = np.flatnonzero(_spread(at_teams(scenario, TEAM_SCAN).npv_if_success_usd, TEAM_SCAN) >= 0)
    if not pays.size:
        return TeamRange(None, None)
    largest = int(TEAM_SCAN[pays[-1]])
    return TeamRange(int(TEAM_SCAN[pays[0]]), None if largest == TEAM_SCAN[-1] else largest)


def act_ranges(
    scenario: Scenario, at: Callable[[Scenario, Values], Evaluation], scan: Values, *, gated: bool = False
) -> tuple[ActRange, ...]:
    """Return the best act over an input, from the first to the last point of `scan`, with each change narrowed down.

    An act that lies between two points of the scan is a range of its own. `gated` asks for the recommended act: what
    the policy makes of the best one.
    """

    def acts_at(values: Values) -> NDArray[np.int64]:
        point = at(scenario, values)
        if gated:
            return recommended_acts(scenario, point, values.shape)
        return best_acts(_spread(point.test_usd, values), _spread(point.migrate_usd, values))

    acts = acts_at(scan)
    ends: list[tuple[int, float]] = []
    for i in np.flatnonzero(acts[:-1] != acts[1:]):
        low, high, act = float(scan[i]), float(scan[i + 1]), int(acts[i])
        while act != acts[i + 1]:
            low = first_change(acts_at, act, low, high)
            ends.append((act, low))
            act = int(acts_at(np.array([low]))[0])
    starts = [float(scan[0]), *(end for _, end in ends)]
    labels = [*(act for act, _ in ends), int(acts[-1])]
    tops = [*(end for _, end in ends), float(scan[-1])]
    return tuple(ActRange(ACTS[a], start, top) for a, start, top in zip(labels, starts, tops, strict=True))


def spend_regions(scenario: Scenario) -> tuple[Region, ...]:
    """Return the best act for every stated monthly bill from 0 up."""
    ranges = act_ranges(scenario, at_bills, REGION_SCAN)
    lows = [0.0, *(r.low for r in ranges[1:])]
    highs = [*(r.high for r in ranges[:-1]), None]
    return tuple(Region(r.act, low, high) for r, low, high in zip(ranges, lows, highs, strict=True))


def worth_acting_from(regions: tuple[Region, ...]) -> float | None:
    """Return the bill in USD/month above which doing nothing is never best; 0 if it never is, None if it stays so."""
    idle = [region.to_usd for region in regions if region.decision == "do_nothing"]
    return idle[-1] if idle else 0.0


def _spread(values: float, over: NDArray[np.float64] | NDArray[np.int64]) -> Values:
    # An output that does not depend on the scanned input comes back as one number.
    return np.broadcast_to(np.asarray(values, dtype=np.float64), over.shape)


def _pays_from(value: Callable[[Values], Values]) -> float | None:
    negative = np.flatnonzero(value(SCAN) < 0)
    if not negative.size:
        return 0.0
    last = int(negative[-1])
    if last == len(SCAN) - 1:
        return None
    return _last_crossing(value, float(SCAN[last]), float(SCAN[last + 1]))


def _last_crossing(value: Callable[[Values], Values], low: float, high: float) -> float:
    """Narrow the last change from negative to non-negative between low and high, many points at a time."""
    for _ in range(_ROUNDS):
        grid = np.linspace(low, high, _POINTS)
        last = int(np.flatnonzero(value(grid[:-1]) < 0)[-1])
        low, high = float(grid[last]), float(grid[last + 1])
    return high


def first_change(acts_at: Callable[[Values], NDArray[np.int64]], act: int, start: float, end: float) -> float:
    """Return the first value on the way from start to end at which the best act is another than `act`.

    At `end` it has to be another one.
    """
    for _ in range(_ROUNDS):
        grid = np.linspace(start, end, _POINTS)
        changed = np.flatnonzero(acts_at(grid[1:-1]) != act)
        first = int(changed[0]) + 1 if changed.size else _POINTS - 1
        start, end = float(grid[first - 1]), float(grid[first])
    return end
