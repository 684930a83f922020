"""How each uncertain input is spread: triangular between low and high, with its mode at the value that counts.

The triangle is what low, likely and high say and no more: it is bounded where the estimate is, leans where the estimate
leans, and its inverse is closed, so that a draw is one line. It puts more weight on the ends than a PERT distribution:
for numbers that nobody has measured, too wide is the better mistake.
"""

import difflib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.errors import ScenarioError
from analysis.model.arrays import sqrt, where
from analysis.model.reading import input_field, input_names, read_scenario
from analysis.model.scenario import Scenario
from analysis.model.workload import ASSUMED_MIGRATABLE_SHARE, compute_bill

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


def input_ranges(scenario: Scenario) -> tuple[InputRange, ...]:
    """Return every input that has a plausible range and a value in this scenario.

    The scenario's own ranges replace the shipped ones. A value outside the shipped range widens it to itself.

    Raises:
        ScenarioError: for a range of an unknown input, that is empty or out of bounds, or not around the value.
    """
    for name in scenario.ranges:
        _check_name(name)
    found = []
    for name in input_names():
        about: Any = input_field(name).json_schema_extra
        base = _value(scenario, name)
        if base is None:
            continue
        whole = input_field(name).annotation is int
        if name in scenario.ranges:
            low, high = _stated_range(scenario, name, base)
            found.append(InputRange(name, low, base, high, whole))
        elif about.get("low") is not None:
            found.append(InputRange(name, min(about["low"], base), base, max(about["high"], base), whole))
    return tuple(found)


def drawn(ranges: tuple[InputRange, ...]) -> tuple[InputRange, ...]:
    """Return the ranges that are drawn jointly."""
    return tuple(r for r in ranges if r.name not in HELD_IN_DRAWS and r.low < r.high)


def _value(scenario: Scenario, name: str) -> float | None:
    section, _, field = name.partition(".")
    part = getattr(scenario, section)
    value = getattr(part, field, None) if part is not None and field else None
    if value is None and name == "spend.migratable_share":
        value = ASSUMED_MIGRATABLE_SHARE if scenario.jobs is None else 1.0
    if value is None and name == "spend.monthly_gpu_usd":
        value = float(compute_bill(scenario).spend_usd)
    return float(value) if isinstance(value, int | float | np.floating) and not isinstance(value, bool) else None


def _check_name(name: str) -> None:
    if name not in input_names():
        near = difflib.get_close_matches(name, input_names(), n=1)
        raise ScenarioError(
            f"ranges.{name}", f"no input is called {name}" + (f"; did you mean {near[0]}?" if near else "")
        )
    if name in SHARES_OF_ONE or input_field(name).annotation not in (float, int, float | None):
        raise ScenarioError(f"ranges.{name}", f"{name} is not a number that varies by itself")


def _stated_range(scenario: Scenario, name: str, base: float) -> tuple[float, float]:
    """Return low and high as stated; a standard deviation becomes the triangle around the value that has it."""
    stated = scenario.ranges[name]
    if stated.sd is not None:
        half = math.sqrt(6.0) * stated.sd
        low, high = base - half, base + half
    else:
        low = base if stated.low is None else stated.low
        high = base if stated.high is None else stated.high
    if not low <= base <= high:
        raise ScenarioError(
            f"ranges.{name}", f"low ≤ value ≤ high must hold for {name}, not {low:g} ≤ {base:g} ≤ {high:g}"
        )
    section, field = name.split(".")
    beside = getattr(scenario, section).model_dump(mode="json")
    for end in (low, high):
        read_scenario({section: {**beside, field: end}})
    return low, high
