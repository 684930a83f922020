"""The answer first; then break-even, cash, the cost of the test, and what would flip it."""

import streamlit as st

from analysis.words.evidence import WARNINGS, describe_evidence
from pages.components.answer import Answer, current_answer
from pages.components.charts import decision_charts
from pages.components.demo import draw_demo_banner
from pages.components.door import require_app
from pages.components.frame import draw_chart
from pages.components.sharing import draw_share_link, share_button
from pages.components.text import literal
from pages.components.verdict import (
    cost_table,
    draw_figures,
    draw_inputs,
    draw_verdict,
    flip_table,
)

require_app()


def draw_charts(answer: Answer) -> None:
    """Draw the charts in rows of two."""
    shown = list(decision_charts(answer).items())
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
st.caption(literal("Evidence: " + " · ".join(describe_evidence(answer.evidence))))
for code in answer.decision.warnings:
    st.caption(f":material/warning: {WARNINGS.get(code, code)}")
draw_charts(answer)
draw_tables(answer)
