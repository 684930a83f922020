"""Sensitivity: how sure the answer is, what could overturn it, what knowing more is worth, and when to act."""

import pandas as pd
import streamlit as st

from analysis.errors import ScenarioError
from analysis.figures.doubt import draw_acts, draw_fan, draw_spread
from analysis.figures.sensitivity import draw_frontier, draw_indices, draw_tornado_chart
from analysis.figures.theme import ACT_COLOURS, Chart
from analysis.figures.timing import draw_duration, draw_months, draw_policy, draw_runs
from analysis.words.doubt import input_labels, word_flips, word_timing, word_worth
from pages.components.answer import Answer, current_answer
from pages.components.demo import draw_demo_banner
from pages.components.door import require_app
from pages.components.doubt import Doubt, compute_doubt, compute_indices, doubted_scenario, scenario_key
from pages.components.frame import draw_chart
from pages.components.range_table import draw_ranges
from pages.components.text import plain

require_app()

LABELS = input_labels()
OUTPUTS = {"Net value of the test": "net_value_of_test_usd", "NPV if it succeeds": "npv_if_success_usd"}


def draw_pair(*charts: tuple[str, Chart]) -> None:
    """Draw charts side by side."""
    for column, (key, chart) in zip(st.columns(len(charts)), charts, strict=True):
        with column:
            draw_chart(chart, key)


def draw_spreads(doubt: Doubt) -> None:
    """Draw how sure the answer is when all uncertain inputs vary together."""
    outcome = doubt.uncertainty
    st.subheader("How sure is it?", anchor=False)
    draw_chart(draw_acts(outcome), "act_probability_chart")
    draw_pair(
        ("fan_chart", draw_fan(outcome)),
        ("npv_chart", draw_spread(outcome.npv_if_success_usd, "NPV if the test succeeds", ACT_COLOURS["test"])),
    )
    net = draw_spread(outcome.net_value_of_test_usd, "Net value of the test", ACT_COLOURS["migrate"])
    draw_chart(net, "net_value_chart")
    st.caption(
        f"{outcome.draws:,} quasi-random draws of {len(outcome.inputs)} inputs, each a triangle between its low and "
        f"high with its peak at the value that counts; seed {outcome.seed}. Assumed, unless you state a range below."
    )


def draw_causes(answer: Answer, doubt: Doubt, key: str) -> None:
    """Draw which inputs could overturn the answer, and which explain its spread."""
    st.subheader("What could overturn it?", anchor=False)
    chosen = st.segmented_control("Measured on", list(OUTPUTS), default=next(iter(OUTPUTS)), key="tornado_output")
    output = OUTPUTS[chosen or next(iter(OUTPUTS))]
    base = getattr(answer.decision, output)
    draw_chart(draw_tornado_chart(doubt.tornado, output, base, LABELS), "tornado_chart")
    draw_chart(draw_indices(compute_indices(key), LABELS), "sobol_chart")
    with st.expander("Elasticities: percent of output per percent of input"):
        st.dataframe(elasticity_table(doubt), hide_index=True, key="elasticities")
        st.caption("Derivatives of the whole model at your inputs. Near a kink the slope differs on either side.")
    maps = [("team_map", draw_frontier(doubt.map_team, "GPU spend (USD per month)", "Team size (engineers)"))]
    if doubt.map_jobs:
        maps.append(("jobs_map", draw_frontier(doubt.map_jobs, "GPU spend (USD per month)", "Jobs per week")))
    draw_pair(*maps)


def draw_worth(answer: Answer, doubt: Doubt) -> None:
    """Draw what knowing more is worth, and when to act."""
    st.subheader("What is knowing worth?", anchor=False)
    st.markdown(plain(word_worth(doubt.worth)))
    draw_pair(("runs_chart", draw_runs(doubt.worth)), ("duration_chart", draw_duration(doubt.worth)))
    st.subheader("When?", anchor=False)
    gated = "migrate_gated_no_own_benchmark" in answer.decision.warnings
    words = word_timing(doubt.timing, doubt.timing_unlocked, doubt.timing_frozen, gated=gated)
    st.markdown(plain(words))
    draw_pair(("policy_chart", draw_policy(doubt.timing)), ("months_chart", draw_months(doubt.timing)))


def elasticity_table(doubt: Doubt) -> pd.DataFrame:
    """Return elasticities, the largest first, one row an input and output."""
    rows = [
        {
            "Output": entry.output,
            "Input": LABELS.get(entry.name, entry.name),
            "Elasticity": entry.elasticity,
            "Derivative": entry.derivative,
            "Near a kink": entry.near_kink,
        }
        for entry in doubt.elasticities
        if entry.elasticity
    ]
    return pd.DataFrame(rows).sort_values("Elasticity", key=abs, ascending=False)


st.title("Sensitivity", anchor=False)
answer = current_answer()
draw_demo_banner(shown="demo_data" in answer.decision.warnings)
key = scenario_key(answer.filled.scenario)
try:
    doubt = compute_doubt(key)
except ScenarioError as error:
    st.error(f"{error.message}.")
else:
    st.markdown(plain(word_flips(answer.decision, doubt.tornado)))
    draw_spreads(doubt)
    draw_causes(answer, doubt, key)
    draw_worth(answer, doubt)
draw_ranges(doubted_scenario(key))
