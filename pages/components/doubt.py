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
from pages.components.ranges import stated_ranges


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
    timing_unlocked: Timing
    timing_frozen: Timing


def scenario_key(scenario: Scenario) -> str:
    """Return the text by which results are kept: every input, measured runs and the session's ranges included."""
    return json.dumps({**scenario.model_dump(mode="json"), "ranges": stated_ranges()}, sort_keys=True)


def doubted_scenario(key: str) -> Scenario:
    """Return the scenario of a key, ranges included."""
    return read_scenario(json.loads(key))


@st.cache_resource(max_entries=64, show_spinner="Drawing the uncertain inputs …")
def compute_doubt(key: str) -> Doubt:
    """Return the doubt about the scenario of a key."""
    scenario = doubted_scenario(key)
    return Doubt(
        tornado=draw_tornado(scenario),
        uncertainty=simulate(scenario),
        elasticities=compute_elasticities(scenario),
        map_jobs=map_jobs(scenario),
        map_team=map_team(scenario),
        worth=value_of_information(scenario),
        timing=plan_timing(scenario),
        timing_unlocked=plan_timing(scenario.replace({"commitment.monthly_usd": 0.0})),
        timing_frozen=plan_timing(scenario.replace({"timing.release_prob_per_month": 0.0})),
    )


@st.cache_resource(max_entries=64, show_spinner="Sharing out the variance between the inputs …")
def compute_indices(key: str) -> tuple[SobolIndex, ...]:
    """Return the Sobol indices of the scenario of a key."""
    return compute_sobol_indices(doubted_scenario(key))
