"""Benchmarks: upload, what a unit of work costs on either side, what was left out, history, and every run."""

import streamlit as st

from analysis.words.numbers import platform
from data.export import template
from pages.components.answer import all_comparisons, current_answer
from pages.components.comparison import draw_answer, draw_configurations, draw_pictures
from pages.components.demo import draw_demo_banner
from pages.components.door import require_app
from pages.components.run_table import draw_runs
from pages.components.terms import draw_terms
from pages.components.text import literal
from pages.components.uploads import draw_upload_box, draw_uploads

require_app()

st.title("Benchmarks", anchor=False)
banner = st.container()
draw_upload_box("benchmark", "Drop benchmark files here", template("benchmark"))
answer = current_answer()
comparisons = all_comparisons()
terms = comparisons[0].terms
with banner:
    draw_demo_banner(shown="demo_data" in comparisons[0].warnings)
if comparisons[0].configurations:
    run_sd_log = answer.filled.scenario.test.run_sd_log
    pairs = draw_answer(comparisons, run_sd_log)
    draw_terms(answer.filled.scenario.benchmarks)
    draw_pictures(comparisons, pairs, run_sd_log)
    draw_configurations(comparisons)
elif terms.model:
    st.info(f"There are no runs of {literal(terms.model)} on the two platforms chosen at the left.")
else:
    sides = f"{platform(terms.baseline)} and {platform(terms.candidate)}"
    st.info(
        f"No model has runs on both {sides} yet. Upload one file of each platform for the same model; "
        "or choose a model at the left to see what there is of it."
    )
draw_runs(terms.model)
draw_uploads("benchmark")
