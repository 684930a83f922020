"""Benchmarks: upload, what was read and refused, cost and latency side by side."""

import statistics

import pandas as pd
import streamlit as st

from analysis.figures.benchmarks import draw_latency, draw_unit_costs
from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.words.evidence import REASONS, WARNINGS, price_contrast
from analysis.words.numbers import platform
from data.export import template
from pages.components.answer import current_answer
from pages.components.demo import draw_demo_banner
from pages.components.door import require_app
from pages.components.frame import draw_chart
from pages.components.text import literal, plain
from pages.components.uploads import draw_upload_box, draw_uploads

require_app()


def draw_comparison(comparison: Comparison, slo_ms: float | None) -> None:
    """Draw what the runs of one model cost on both platforms, and what does not count and why."""
    terms = comparison.terms
    st.subheader(f"Cost and latency of {literal(str(terms.model))}", anchor=False)
    counted = [side for side in (terms.baseline, terms.candidate) if comparison.counted(side)]
    contrast = price_contrast(comparison)
    if contrast:
        st.markdown(plain(contrast))
    elif counted:
        missing = terms.candidate if counted[0] == terms.baseline else terms.baseline
        st.info(f"Nothing that counts was measured on {platform(missing)} yet: there is no comparison so far.")
    for code in comparison.warnings:
        st.caption(f":material/warning: {WARNINGS.get(code, code)}")
    if counted:
        left, right = st.columns(2)
        with left:
            costs = draw_unit_costs(comparison)
            if costs is None:
                st.info("No configuration keeps the latency objective in every run, so there is no cost to compare.")
            else:
                draw_chart(costs, "unit_cost_chart")
        with right:
            latency = draw_latency(comparison, slo_ms)
            if latency is None:
                st.info(f"No run states {terms.slo_metric}: an objective on latency cannot be judged.")
            else:
                draw_chart(latency, "latency_chart")
    st.dataframe(configuration_table(comparison), hide_index=True, column_config=COLUMNS, key="configurations")
    st.caption("Costs are derived from measured throughput and the price shown; utilisation as under Assumptions.")


def configuration_table(comparison: Comparison) -> pd.DataFrame:
    """Return one row a configuration, those that do not count with their reason."""
    unit = comparison.unit
    rows = [
        {
            "Platform": platform(c.platform),
            "Configuration": c.name,
            "Input tokens": c.input_tokens,
            "Output tokens": c.output_tokens,
            "Runs": c.runs,
            f"{unit.column if unit else 'Work'}, mean": statistics.geometric_mean(c.units_per_second)
            if c.units_per_second
            else None,
            f"Worst {comparison.terms.slo_metric}": max(c.latency_ms, default=None),
            "Price (USD/h)": c.price.usd_per_hour if c.price else None,
            "Price from": c.price.label if c.price else None,
            "Cost (USD)": unit.quantity * c.unit_cost_usd if unit and c.unit_cost_usd else None,
            "Per": unit.label if unit else None,
            "Counts": counts(c),
            "Demo": c.demo,
            "Files": ", ".join(c.files),
        }
        for c in comparison.configurations
    ]
    return pd.DataFrame(rows)


def counts(configuration: MeasuredConfiguration) -> str:
    """Return yes, or why a configuration does not count."""
    reason = configuration.excluded or (None if configuration.latency_status == "ok" else configuration.latency_status)
    return "yes" if reason is None else f"no: {REASONS.get(reason, reason)}"


COLUMNS = {
    "Input tokens": st.column_config.NumberColumn(format="%.0f"),
    "Output tokens": st.column_config.NumberColumn(format="%.0f"),
    "Price (USD/h)": st.column_config.NumberColumn(format="%.4f"),
    "Cost (USD)": st.column_config.NumberColumn(format="%.4g"),
}

st.title("Benchmarks", anchor=False)
banner = st.container()
draw_upload_box("benchmark", "Drop benchmark files here", template("benchmark"))
answer = current_answer()
comparison = answer.evidence.comparison
with banner:
    draw_demo_banner(shown="demo_data" in comparison.warnings)
if comparison.configurations:
    draw_comparison(comparison, answer.filled.scenario.benchmarks.slo_ms)
elif comparison.terms.model:
    st.info(f"There are no runs of {literal(comparison.terms.model)} on the two platforms chosen at the left.")
else:
    sides = f"{platform(comparison.terms.baseline)} and {platform(comparison.terms.candidate)}"
    st.info(
        f"No model has runs on both {sides} yet. Upload one file of each platform for the same model; "
        "or choose a model at the left to see what there is of it."
    )
draw_uploads("benchmark")
