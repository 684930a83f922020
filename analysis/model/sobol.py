"""Sobol indices: which input explains how much of the variance of an output, alone and with all its interactions.

First order after Saltelli et al. (Computer Physics Communications 181, 2010), total order after Jansen (1999), with
bootstrap intervals over the draws.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.model.arrays import maximum
from analysis.model.evaluation import evaluate
from analysis.model.ranges import drawn, input_ranges
from analysis.model.scenario import Scenario
from analysis.model.uncertainty import scenario_at, sobol_points

Values = NDArray[np.float64]
DRAWS = 1024
RESAMPLES = 200
CONFIDENCE = 0.90


@dataclass(frozen=True, slots=True)
class SobolIndex:
    """First and total index of one input, each with the bounds of its bootstrap interval."""

    name: str
    first: float
    first_interval: tuple[float, float]
    total: float
    total_interval: tuple[float, float]


def compute_sobol_indices(scenario: Scenario, draws: int = DRAWS, seed: int = 0) -> tuple[SobolIndex, ...]:
    """Return the indices of the net value of the test, largest total first."""
    ranges = drawn(input_ranges(scenario))

    def net_value(points: Any) -> Values:
        point = evaluate(scenario_at(scenario, ranges, points))
        net: Any = point.test_usd - maximum(point.migrate_usd, 0.0)
        return np.asarray(net.numpy())

    indices = sobol_indices(net_value, [r.name for r in ranges], draws, seed)
    return tuple(sorted(indices, key=lambda index: -index.total))


def sobol_indices(function: Callable[[Any], Values], names: list[str], draws: int, seed: int) -> tuple[SobolIndex, ...]:
    """Return the indices of a function of the unit cube; it takes a tensor (n, d) and returns n values.

    All zero where the function does not vary.
    """
    dimensions = len(names)
    points = sobol_points(2 * dimensions, draws, seed)
    a, b = points[:, :dimensions], points[:, dimensions:]
    at_a, at_b = function(a), function(b)
    mixed = []
    for i in range(dimensions):
        swapped = a.clone()
        swapped[:, i] = b[:, i]
        mixed.append(function(swapped))
    generator = np.random.default_rng(seed)
    resampled = generator.integers(0, draws, (RESAMPLES, draws))
    return tuple(_index(name, at_a, at_b, at_mixed, resampled) for name, at_mixed in zip(names, mixed, strict=True))


def _index(name: str, at_a: Values, at_b: Values, mixed: Values, resampled: NDArray[np.int64]) -> SobolIndex:
    first, total = _estimate(at_a[None], at_b[None], mixed[None])
    firsts, totals = _estimate(at_a[resampled], at_b[resampled], mixed[resampled])
    return SobolIndex(name, float(first[0]), _interval(firsts), float(total[0]), _interval(totals))


def _estimate(at_a: Values, at_b: Values, mixed: Values) -> tuple[Values, Values]:
    """Return first and total index of each row."""
    both = np.concatenate((at_a, at_b), axis=1)
    variance = both.var(axis=1)
    centre = both.mean(axis=1, keepdims=True)
    safe = np.where(variance > 0, variance, 1.0)
    first = ((at_b - centre) * (mixed - at_a)).mean(axis=1) / safe
    total = ((at_a - mixed) ** 2).mean(axis=1) / (2 * safe)
    flat = variance <= 0
    return np.where(flat, 0.0, first), np.where(flat, 0.0, total)


def _interval(values: Values) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, (tail, 1 - tail))
    return float(low), float(high)
