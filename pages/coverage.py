"""Coverage: operators that block, fall back or run natively, and what nobody knows."""

import pandas as pd
import streamlit as st

from analysis.coverage.summary import STATES, CoverageSummary
from analysis.words.numbers import percent, platform
from data.export import template
from data.queries import coverage_reports
from pages.components.answer import current_answer
from pages.components.demo import draw_demo_banner
from pages.components.door import require_app
from pages.components.session import get_store
from pages.components.text import literal
from pages.components.uploads import draw_upload_box, draw_uploads

require_app()

STATE_NAMES = {"native": "Native", "fallback": "Falls back", "unsupported": "Fails", "unknown": "Unknown"}
BASIS_NAMES = {"time_us": "time", "calls": "calls"}


def draw_summary(coverage: CoverageSummary, report: str) -> None:
    """Draw what blocks and falls back first, then the shares."""
    st.subheader(f"What {literal(report)} says", anchor=False)
    totals = coverage.time_us or coverage.calls
    shares = coverage.shares()
    columns = st.columns(4)
    for column, state in zip(columns, STATES, strict=True):
        count = coverage.counts[state]
        if totals is None:
            share = "no time or calls stated"
        elif state == "unknown":
            share = f"{percent(coverage.share_unknown() or 0.0)} of all {BASIS_NAMES[str(coverage.basis)]}"
        else:
            share = f"{percent(shares[state]) if shares else '–'} of known {BASIS_NAMES[str(coverage.basis)]}"
        column.metric(
            f"{STATE_NAMES[state]}, operators", f"{count:,}", share, border=True, delta_color="off", delta_arrow="off"
        )
    if coverage.blockers.empty:
        st.success("No operator of this report fails or falls back.")
    else:
        st.markdown("**What fails or falls back**")
        st.dataframe(coverage.blockers, hide_index=True, key="blockers")
    st.caption(
        "Shares flow into the decision, by time where the report states it, else by calls; the number of distinct "
        "operators is never taken for a share of work. Unknown operators are left out of the shares."
    )


def draw_reports(reports: pd.DataFrame) -> None:
    """Draw every report by backend, version and mode."""
    st.subheader("Reports", anchor=False)
    shown = reports[["model", "backend", "version", "mode", "operators", *STATES, "file", "demo"]]
    st.dataframe(shown, hide_index=True, key="reports")


st.title("Coverage", anchor=False)
banner = st.container()
draw_upload_box("operators", "Drop operator-coverage reports here", template("operators"))
evidence = current_answer().evidence
with banner:
    draw_demo_banner(shown=evidence.demo_coverage)
if evidence.coverage:
    draw_summary(evidence.coverage, evidence.report)
else:
    of_model = f" of {literal(evidence.comparison.terms.model)}" if evidence.comparison.terms.model else ""
    st.info(f"No report{of_model} for {platform(evidence.comparison.terms.candidate)} yet: coverage is unknown.")
reports = coverage_reports(get_store())
if not reports.empty:
    draw_reports(reports)
draw_uploads("operators")
