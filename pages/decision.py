"""The answer first; then break-even, cash, the cost of the test, and what would flip it."""

import streamlit as st

from analysis.figures.cash import draw_cash
from analysis.figures.validation import draw_validation
from analysis.figures.values import draw_jobs, draw_spend
from analysis.model.curves import cash_paths, cost_by_team, value_by_jobs, value_by_spend
from analysis.words.evidence import WARNINGS, describe_evidence
from pages.components.answer import Answer, current_answer
from pages.components.demo import draw_demo_banner
from pages.components.frame import draw_chart
from pages.components.navigation import require_app
from pages.components.sharing import draw_share_link, share_button
from pages.components.text import plain
from pages.components.verdict import (
    cost_table,
    draw_figures,
    draw_inputs,
    draw_verdict,
    flip_table,
)

require_app()


def draw_charts(answer: Answer) -> None:
    """Draw the four charts in two columns."""
    scenario, decision = answer.filled.scenario, answer.decision
    horizon = scenario.finance.horizon_months
    spend = value_by_spend(scenario, decision.spend_regions)
    jobs = value_by_jobs(scenario, decision.break_even_jobs_per_week)
    charts = {
        "break_even_chart": draw_spend(spend, decision.worth_acting_from_usd, horizon),
        "jobs_chart": draw_jobs(jobs, horizon) if jobs else None,
        "cash_chart": draw_cash(cash_paths(scenario), horizon),
        "validation_cost_chart": draw_validation(cost_by_team(scenario)),
    }
    shown = [(key, chart) for key, chart in charts.items() if chart]
    for row in (shown[:2], shown[2:]):
        for column, (key, chart) in zip(st.columns(2), row, strict=False):
            with column:
                draw_chart(chart, key)


def draw_tables(answer: Answer) -> None:
    """Draw what would change the answer and what the test costs, as numbers."""
    with st.expander("What would change the answer", expanded=True):
        if answer.flips:
            st.table(flip_table(answer.flips))
        else:
            st.markdown("None of the main inputs alone, within any sensible range.")
        st.caption("The nearest value of each input at which another act is best, the others held. Derived.")
    with st.expander("What the test costs, by activity"):
        st.table(cost_table(answer.decision))
        st.caption("Hours and rates are assumptions; change them under Assumptions.")


answer = current_answer()
horizon_months = answer.filled.scenario.finance.horizon_months
draw_demo_banner(shown="demo_data" in answer.decision.warnings)
top, actions = st.columns([5, 1])
with top:
    draw_verdict(answer.decision, answer.flips, horizon_months)
with actions:
    asked = share_button()
if asked:
    draw_share_link(answer)
draw_inputs(answer.filled.scenario)
draw_figures(answer.decision, horizon_months)
st.caption(plain("Evidence: " + " · ".join(describe_evidence(answer.evidence))))
for code in answer.decision.warnings:
    st.caption(f":material/warning: {WARNINGS.get(code, code)}")
draw_charts(answer)
draw_tables(answer)
