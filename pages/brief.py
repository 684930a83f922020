"""What a shared link opens: one page to read, print and forward. No sidebar, no controls."""

import streamlit as st

from analysis.words.evidence import WARNINGS
from analysis.words.numbers import money, span
from analysis.words.verdict import OPEN_QUESTIONS, word_plan
from data.errors import ShareNotFoundError
from pages.components.door import require_app
from pages.components.frame import draw_chart
from pages.components.sharing import SharedDecision, ShareUnreadableError, live_link, read_share
from pages.components.text import literal, plain
from pages.components.verdict import cost_table, draw_figures, draw_inputs, draw_verdict, flip_table

require_app()


def draw_brief(shared: SharedDecision) -> None:
    """Draw a shared decision from top to bottom."""
    scenario, decision = shared.scenario, shared.decision
    horizon = scenario.finance.horizon_months
    st.caption(f"Does testing Trainium pay off? · {shared.share.created_at:%d %B %Y} · a frozen copy")
    if "demo_data" in decision.warnings:
        st.caption(":orange-badge[demo] The measurements shown are a demonstration with made-up numbers.")
    draw_verdict(decision, shared.flips, horizon)
    draw_inputs(scenario)
    draw_figures(decision, horizon)
    for key in ("break_even_chart", "validation_cost_chart"):
        draw_chart(shared.charts[key], key)
    left, right = st.columns(2)
    with left:
        st.subheader("What would change the answer", anchor=False)
        if shared.flips:
            st.table(flip_table(shared.flips[:3]))
        else:
            st.markdown("None of the main inputs alone.")
        st.subheader("What the test costs", anchor=False)
        st.table(cost_table(decision))
    with right:
        draw_evidence(shared)
    st.link_button("Open it live", live_link(shared), icon=":material/open_in_new:")
    versions = shared.versions
    hashes = ", ".join(f"{item['file']} {item['sha256'][:12]}" for item in shared.files) or "no files"
    st.caption(f"Data {versions['data'][:12]} ({literal(hashes)}) · app {versions['app']} · model {versions['model']}")


def draw_evidence(shared: SharedDecision) -> None:
    """Draw what was measured, what is only assumed, the test plan and the open questions."""
    st.subheader("Evidence", anchor=False)
    lines = [*shared.evidence, *([shared.contrast] if shared.contrast else [])]
    lines += [WARNINGS.get(code, code) for code in shared.decision.warnings]
    st.markdown("\n".join(f"- {literal(line)}" for line in lines))
    st.caption("Effort, chance of success and the discount on the vendor's claim are assumptions, open to change.")
    st.subheader("The test", anchor=False)
    st.markdown(plain("\n".join(f"{i}. {line}" for i, line in enumerate(word_plan(shared.scenario), 1))))
    cost, months = shared.decision.validation_cost_usd, shared.decision.validation_months
    st.caption(plain(f"It stops when {money(cost)} or {span(months)} are used up, whichever comes first."))
    st.subheader("Open questions", anchor=False)
    st.markdown("\n".join(f"- {line}" for line in OPEN_QUESTIONS))


share_id = st.query_params.get("share", "")
try:
    shared_decision = read_share(share_id) if share_id else None
except (ShareNotFoundError, ShareUnreadableError) as error:
    st.error(str(error), icon=":material/link_off:")
    shared_decision = None
if shared_decision:
    draw_brief(shared_decision)
else:
    if not share_id:
        st.info("This page shows a decision that somebody shared. Its address ends in share= and an id.")
    st.page_link("pages/decision.py", label="Go to the start page", icon=":material/balance:")
