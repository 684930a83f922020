"""Maps of the best act over two inputs at once: spend by jobs per week, and spend by team size."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.model.evaluation import evaluate, recommended_acts
from analysis.model.scenario import Scenario

Values = NDArray[np.float64]
SIZE = 60


@dataclass(frozen=True, slots=True)
class Frontier:
    """The recommended act over a grid: `acts[i, j]` is the index into ACTS at y[i], x[j]."""

    x_name: str
    y_name: str
    x: Values
    y: Values
    acts: NDArray[np.int64]
    now: tuple[float, float]


def map_jobs(scenario: Scenario, size: int = SIZE) -> Frontier | None:
    """Return the map over monthly spend and jobs per week; jobs move hours of work at a fixed price. None without."""
    if scenario.jobs is None:
        return None
    return _map(scenario, "jobs.jobs_per_week", np.linspace(0.0, _reach(scenario.jobs.jobs_per_week, 20.0), size), size)


def map_team(scenario: Scenario, size: int = SIZE) -> Frontier:
    """Return the map over monthly spend and team size."""
    top = int(_reach(scenario.team.engineers, 30))
    sizes = np.unique(np.linspace(1, max(top, size), size).round())
    return _map(scenario, "team.engineers", sizes, size)


def acts_on_grid(scenario: Scenario, x_name: str, x: Values, y_name: str, y: Values) -> NDArray[np.int64]:
    """Return the recommended act at every pair of values, as one batch; rows follow y, columns x."""
    grid: dict[str, Any] = {x_name: x[None, :], y_name: y[:, None]}
    return recommended_acts(scenario, evaluate(scenario.replace(grid)), (len(y), len(x)))


def _map(scenario: Scenario, y_name: str, y: Values, size: int) -> Frontier:
    bill = float(evaluate(scenario).bill.spend_usd)
    x = np.linspace(0.0, _reach(bill, 20_000.0), size)
    section, field = y_name.split(".")
    now = (bill, float(getattr(getattr(scenario, section), field)))
    return Frontier(
        "spend.monthly_gpu_usd",
        y_name,
        x,
        y,
        acts_on_grid(scenario, "spend.monthly_gpu_usd", x, y_name, y),
        now,
    )


def _reach(now: float, least: float) -> float:
    return max(3.0 * now, least)
