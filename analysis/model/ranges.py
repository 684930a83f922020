"""How each uncertain input is spread: triangular between low and high, with its mode at the value that counts.

The triangle is what low, likely and high say and no more: it is bounded where the estimate is, leans where the estimate
leans, and its inverse is closed, so that a draw is one line. It puts more weight on the ends than a PERT distribution:
for numbers that nobody has measured, too wide is the better mistake.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.errors import ScenarioError
from analysis.model.arrays import sqrt, where
from analysis.model.reading import input_field, input_names
from analysis.model.scenario import Scenario

# The horizon is a choice of how far to look, not a doubt about the world: it is varied alone, never drawn.
HELD_IN_DRAWS = ("finance.horizon_months",)
SHARES_OF_ONE = ("workload.share_native", "workload.share_fallback", "workload.share_unsupported")


@dataclass(frozen=True, slots=True)
class InputRange:
    """Low, base and high of one input, in its own unit; `whole` for a count."""

    name: str
    low: float
    base: float
    high: float
    whole: bool = False

    def quantile(self, u: Any) -> Any:
        """Return the value below which the share u of the triangle lies (number, array or tensor)."""
        width = self.high - self.low
        if width == 0:
            return self.base + 0.0 * u
        mode = (self.base - self.low) / width
        left = sqrt(u * mode)
        right = 1.0 - sqrt((1.0 - u) * (1.0 - mode))
        return self.low + width * where(u < mode, left, right)


def input_ranges(scenario: Scenario, edited: Mapping[str, tuple[float, float]] | None = None) -> tuple[InputRange, ...]:
    """Return every input that has a plausible range and counts in this scenario.

    `edited` replaces low and high by dotted name. A stated value outside the shipped range widens it to itself.

    Raises:
        ScenarioError: for an edited range that is empty, out of bounds, or not around the value.
    """
    edited = edited or {}
    unknown = set(edited) - set(input_names())
    if unknown:
        raise ScenarioError(sorted(unknown)[0], "no such input")
    found = []
    for name in input_names():
        about: Any = input_field(name).json_schema_extra
        low, high = edited.get(name, (about.get("low"), about.get("high")))
        base = _value(scenario, name)
        if low is None or high is None or base is None:
            continue
        if name in edited:
            _check(name, low, base, high)
        whole = input_field(name).annotation is int
        found.append(InputRange(name, min(float(low), base), base, max(float(high), base), whole))
    return tuple(found)


def drawn(ranges: tuple[InputRange, ...]) -> tuple[InputRange, ...]:
    """Return the ranges that are drawn jointly."""
    return tuple(r for r in ranges if r.name not in HELD_IN_DRAWS and r.low < r.high)


def _value(scenario: Scenario, name: str) -> float | None:
    section, _, field = name.partition(".")
    part = getattr(scenario, section)
    value = getattr(part, field, None) if part is not None and field else None
    if name == "spend.migratable_share" and value is None:
        value = 0.7 if scenario.jobs is None else 1.0
    return float(value) if isinstance(value, int | float | np.floating) and not isinstance(value, bool) else None


def _check(name: str, low: float, base: float, high: float) -> None:
    if not low <= base <= high:
        raise ScenarioError(name, f"low ≤ value ≤ high must hold, not {low:g} ≤ {base:g} ≤ {high:g}")
