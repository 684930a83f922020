"""What would change the answer: for each main input, the nearest values at which the recommended act is another."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.model.breakeven import first_change
from analysis.model.evaluation import ACTS, evaluate, recommended_acts
from analysis.model.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Lever:
    """An input whose flips are searched between `low` and `high`; a whole one is searched number by number."""

    name: str
    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Flip:
    """The act that an input brings about at `value`, coming from its present value `now`."""

    name: str
    now: float
    value: float
    act: str


LEVERS = (
    Lever("spend.monthly_gpu_usd", 0.0, 1e7),
    Lever("jobs.jobs_per_week", 0.0, 1e3),
    Lever("team.engineers", 1, 200, whole=True),
    Lever("workload.custom_kernels", 0, 30, whole=True),
    Lever("workload.unsupported_ops", 0, 100, whole=True),
    Lever("vendor.more_work_per_dollar", -0.5, 3.0),
)


def find_flips(scenario: Scenario) -> tuple[Flip, ...]:
    """Return the nearest flip on either side of the present value of each of LEVERS, nearest in proportion first."""
    flips = [flip for lever in LEVERS for flip in _flips_of(scenario, lever)]
    return tuple(sorted(flips, key=_distance))


def _distance(flip: Flip) -> float:
    low, high = sorted((abs(flip.now), abs(flip.value)))
    return float("inf") if low == 0 else high / low


def _flips_of(scenario: Scenario, lever: Lever) -> list[Flip]:
    now = _present(scenario, lever)
    if now is None:
        return []
    found = []
    for end in (lever.low, lever.high):
        if (end - now) * (1 if end == lever.high else -1) <= 0:
            continue
        path = _path(now, end, lever.whole)
        acts = _acts_at(scenario, lever, path)
        changed = np.flatnonzero(acts != acts[0])
        if changed.size:
            first = int(changed[0])
            value = float(path[first])
            if not lever.whole:
                value = first_change(partial(_acts_at, scenario, lever), int(acts[0]), float(path[first - 1]), value)
            act = int(_acts_at(scenario, lever, np.array([value]))[0])  # an act can lie between two points of the path
            found.append(Flip(lever.name, now, value, ACTS[act]))
    return found


def _present(scenario: Scenario, lever: Lever) -> float | None:
    section, field = lever.name.split(".")
    value = getattr(getattr(scenario, section), field, None)
    if value is None and lever.name == "spend.monthly_gpu_usd":
        return float(evaluate(scenario).bill.spend_usd)
    return None if value is None else float(value)


def _path(now: float, end: float, whole: bool) -> NDArray[np.float64]:
    if whole:
        return np.arange(now, end + np.sign(end - now), np.sign(end - now))
    # Fine near the present value, coarse far from it: what is near is what matters.
    return now + (end - now) * np.linspace(0.0, 1.0, 401) ** 3


def _acts_at(scenario: Scenario, lever: Lever, values: NDArray[np.float64]) -> NDArray[np.int64]:
    numbers = values.astype(int) if lever.whole else values
    return recommended_acts(scenario, evaluate(scenario.replace({lever.name: numbers})), values.shape)
