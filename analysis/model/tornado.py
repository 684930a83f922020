"""One input at a time, from low to high: what it does to the worth of the test, and whether it changes the act."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.model.evaluation import ACTS, Evaluation, evaluate, recommended_acts
from analysis.model.ranges import SHARES_OF_ONE, InputRange, input_ranges
from analysis.model.scenario import Scenario

_POINTS = 33
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Bar:
    """What one input does between low and high, the others held; values in USD.

    `acts` are the recommended acts at low and high. `flips_at` is the value nearest to the base at which another act is
    recommended, `flips_to` that act; both None where the input changes nothing within its range.
    """

    name: str
    low: float
    base: float
    high: float
    npv_if_success_usd: tuple[float, float]
    net_value_of_test_usd: tuple[float, float]
    acts: tuple[str, str]
    flips_at: float | None
    flips_to: str | None

    @property
    def swing_npv_usd(self) -> float:
        """Width of the bar on NPV-if-success."""
        return abs(self.npv_if_success_usd[1] - self.npv_if_success_usd[0])

    @property
    def swing_net_usd(self) -> float:
        """Width of the bar on the net value of the test."""
        return abs(self.net_value_of_test_usd[1] - self.net_value_of_test_usd[0])


def draw_tornado(scenario: Scenario) -> tuple[Bar, ...]:
    """Return a bar for each input with a range: those that change the act first, then by swing of the test's value."""
    bars = [_bar(scenario, entry) for entry in input_ranges(scenario) if entry.name not in SHARES_OF_ONE]
    return tuple(sorted(bars, key=lambda bar: (bar.flips_at is None, -bar.swing_net_usd, -bar.swing_npv_usd)))


def _bar(scenario: Scenario, entry: InputRange) -> Bar:
    ends = [evaluate(_at(scenario, entry, value)) for value in (entry.low, entry.high)]
    acts = [ACTS[int(recommended_acts(scenario, point, ())[()])] for point in ends]
    flips_at, flips_to = _nearest_flip(scenario, entry)
    low, high = ends
    return Bar(
        entry.name,
        entry.low,
        entry.base,
        entry.high,
        (float(low.npv_if_success_usd), float(high.npv_if_success_usd)),
        (_net(low), _net(high)),
        (acts[0], acts[1]),
        flips_at,
        flips_to,
    )


def _at(scenario: Scenario, entry: InputRange, value: Any) -> Scenario:
    return scenario.replace({entry.name: int(value) if entry.whole else value})


def _net(point: Evaluation) -> float:
    return float(point.test_usd - max(0.0, point.migrate_usd))


def _nearest_flip(scenario: Scenario, entry: InputRange) -> tuple[float | None, str | None]:
    """Search from the base towards both ends, and return the flip that is nearer in share of the range."""
    found = [_flip_towards(scenario, entry, end) for end in (entry.low, entry.high) if end != entry.base]
    flips = [flip for flip in found if flip is not None]
    if not flips:
        return None, None
    value, act = min(flips, key=lambda flip: abs(flip[0] - entry.base))
    return value, ACTS[act]


def _flip_towards(scenario: Scenario, entry: InputRange, end: float) -> tuple[float, int] | None:
    if entry.whole:
        step = 1 if end > entry.base else -1
        grid = np.arange(entry.base, end + step, step)
        acts = _acts(scenario, entry, grid)
        changed = np.flatnonzero(acts != acts[0])
        return (float(grid[changed[0]]), int(acts[changed[0]])) if changed.size else None
    start, act = entry.base, None
    for _ in range(_ROUNDS):
        grid = np.linspace(start, end, _POINTS)
        acts = _acts(scenario, entry, grid)
        act = acts[0] if act is None else act
        changed = np.flatnonzero(acts != act)
        if not changed.size:
            return None
        first = int(changed[0])
        start, end, reached = float(grid[max(first - 1, 0)]), float(grid[first]), int(acts[first])
    return end, reached


def _acts(scenario: Scenario, entry: InputRange, values: NDArray[np.float64]) -> NDArray[np.int64]:
    if entry.whole:  # the horizon shapes the arrays of months, so each value is its own pass
        points = [evaluate(_at(scenario, entry, value)) for value in values]
        return np.array([int(recommended_acts(scenario, point, ())[()]) for point in points])
    return recommended_acts(scenario, evaluate(_at(scenario, entry, values)), values.shape)
