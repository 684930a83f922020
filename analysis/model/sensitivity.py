"""All of the sensitivity analysis as one JSON-ready result: what could overturn the answer, what knowing is worth."""

from dataclasses import asdict
from typing import Any

from analysis.model.elasticity import compute_elasticities
from analysis.model.evaluation import ACTS
from analysis.model.frontier import Frontier, map_jobs, map_team
from analysis.model.scenario import Scenario
from analysis.model.sobol import DRAWS, compute_sobol_indices
from analysis.model.tornado import draw_tornado
from analysis.model.worth import InformationWorth, value_of_information


def analyse_sensitivity(scenario: Scenario, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """Return tornado, elasticities, Sobol indices, frontiers and the value of information, in plain JSON types."""
    jobs = map_jobs(scenario)
    return {
        "tornado": [_plain(asdict(bar)) for bar in draw_tornado(scenario)],
        "elasticities": [_plain(asdict(entry)) for entry in compute_elasticities(scenario)],
        "sobol": [_plain(asdict(index)) for index in compute_sobol_indices(scenario, draws, seed)],
        "frontiers": {
            "spend_by_jobs": _frontier(jobs) if jobs else None,
            "spend_by_team": _frontier(map_team(scenario)),
        },
        "information": _information(value_of_information(scenario)),
    }


def _frontier(frontier: Frontier) -> dict[str, Any]:
    return {
        "x": frontier.x_name,
        "y": frontier.y_name,
        "x_values": frontier.x.tolist(),
        "y_values": frontier.y.tolist(),
        "acts": [[ACTS[act] for act in row] for row in frontier.acts.tolist()],
        "now": list(frontier.now),
    }


def _information(worth: InformationWorth) -> dict[str, Any]:
    return {
        **{f"{name}_usd": float(value) for name, value in asdict(worth.information).items()},
        "evsi_by_runs": [
            {"runs": int(n), "usd": float(x)} for n, x in zip(worth.runs, worth.evsi_by_runs, strict=True)
        ],
        "net_value_by_duration": [
            {"months": float(t), "usd": float(x)}
            for t, x in zip(worth.durations_months, worth.net_by_duration, strict=True)
        ],
    }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [_number(x) for x in value] if isinstance(value, tuple) else _number(value)
        for name, value in values.items()
    }


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, float) else value
