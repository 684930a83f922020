"""What the Sensitivity page computes, kept by scenario: the same inputs give the same picture at once."""

import json
from dataclasses import dataclass

import streamlit as st

from analysis.model.elasticity import Elasticity, compute_elasticities
from analysis.model.frontier import Frontier, map_jobs, map_team
from analysis.model.reading import read_scenario
from analysis.model.scenario import Scenario
from analysis.model.sobol import SobolIndex, compute_sobol_indices
from analysis.model.timing import Timing, plan_timing
from analysis.model.tornado import Bar, draw_tornado
from analysis.model.uncertainty import Uncertainty, simulate
from analysis.model.worth import InformationWorth, value_of_information


@dataclass(frozen=True, slots=True)
class Doubt:
    """Everything on the Sensitivity page but the Sobol indices, which take longest."""

    tornado: tuple[Bar, ...]
    uncertainty: Uncertainty
    elasticities: tuple[Elasticity, ...]
    map_jobs: Frontier | None
    map_team: Frontier
    worth: InformationWorth
    timing: Timing


def scenario_key(scenario: Scenario) -> str:
    """Return the text by which results are kept: every input, the measured runs included."""
    return json.dumps(scenario.model_dump(mode="json"), sort_keys=True)


@st.cache_resource(max_entries=64, show_spinner="Drawing the uncertain inputs …")
def compute_doubt(key: str) -> Doubt:
    """Return the doubt about the scenario of a key."""
    scenario = read_scenario(json.loads(key))
    return Doubt(
        tornado=draw_tornado(scenario),
        uncertainty=simulate(scenario),
        elasticities=compute_elasticities(scenario),
        map_jobs=map_jobs(scenario),
        map_team=map_team(scenario),
        worth=value_of_information(scenario),
        timing=plan_timing(scenario),
    )


@st.cache_resource(max_entries=64, show_spinner="Sharing out the variance between the inputs …")
def compute_indices(key: str) -> tuple[SobolIndex, ...]:
    """Return the Sobol indices of the scenario of a key."""
    return compute_sobol_indices(read_scenario(json.loads(key)))
