"""Asking what the columns of an unknown table mean: guesses to confirm, units to state, rows to look at."""

import pandas as pd
import streamlit as st

from data.errors import IngestError, Problem
from data.mappings import forget, remembered
from data.readers.guesses import STATISTICS, Guess, needs_statistic, quantities
from data.readers.mapped import ColumnMapping, Meaning, settle
from data.readers.units import all_units
from data.sketches import Sketch, preview
from pages.components.session import get_store
from pages.components.text import literal

_LEFT_OUT = "– leave out –"
_PREVIEWED = 5


def draw_mapping(sketch: Sketch, prefix: str) -> ColumnMapping | None:
    """Draw the columns of a table with their guessed meanings; return the mapping once «Read it so» is pressed."""
    with st.container(border=True, key=f"{prefix}_mapping"):
        st.markdown(
            f"**What do the columns of {literal(sketch.file)} mean?** No reader knows this table, so nothing of it is "
            "loaded yet. Confirm or correct each guess; a unit is never assumed. The same headers are understood next "
            "time."
        )
        mapping, questions = _stated(_edit(sketch, prefix), sketch.guesses)
        faults = _faults(sketch.file, mapping)
        problems = [*questions, *(fault for fault in faults if fault.column or not questions)]
        if problems:
            st.markdown("\n".join(["Still open:", "", *(f"- {_sentence(problem)}" for problem in problems[:10])]))
        else:
            _draw_preview(sketch, mapping)
        pressed = st.button("Read it so", key=f"{prefix}_map", type="primary", disabled=bool(problems))
    return mapping if pressed else None


def _edit(sketch: Sketch, prefix: str) -> pd.DataFrame:
    """Draw the table of columns to edit and return it as the user left it."""
    words = _words()
    table = pd.DataFrame(
        {
            "Column": [guess.label for guess in sketch.guesses],
            "Samples": [" · ".join(guess.samples) or "(empty)" for guess in sketch.guesses],
            "Meaning": [words.get(guess.quantity or "", _LEFT_OUT) for guess in sketch.guesses],
            "Statistic": [guess.statistic for guess in sketch.guesses],
            "Unit": [guess.unit for guess in sketch.guesses],
        },
        dtype=object,
    )
    return st.data_editor(
        table,
        hide_index=True,
        key=f"{prefix}_columns",
        disabled=["Column", "Samples"],
        placeholder="",
        column_config={
            "Column": st.column_config.TextColumn(width=130),
            "Samples": st.column_config.TextColumn(width=150, help="The first values of the column, as written."),
            "Meaning": st.column_config.SelectboxColumn(options=[_LEFT_OUT, *words.values()], width=280, required=True),
            "Statistic": st.column_config.SelectboxColumn(
                options=list(STATISTICS), width=90, help="For latencies only: which of the requests it tells of."
            ),
            "Unit": st.column_config.SelectboxColumn(
                options=list(all_units()), width=100, help="The unit in which the file writes the column."
            ),
        },
    )


def _words() -> dict[str, str]:
    return {name: f"{name.removesuffix('_ms')} · {words}" for name, words in quantities().items()}


def _stated(table: pd.DataFrame, guesses: tuple[Guess, ...]) -> tuple[ColumnMapping, list[Problem]]:
    """Return the mapping that the table states, and a question for each latency without a statistic."""
    names = {words: name for name, words in _words().items()}
    columns: dict[str, Meaning] = {}
    questions: list[Problem] = []
    for guess, row in zip(guesses, table.to_dict("records"), strict=True):
        quantity = names.get(row["Meaning"])
        if quantity is None:
            continue
        statistic, unit = (cell if isinstance(cell, str) else None for cell in (row["Statistic"], row["Unit"]))
        if not needs_statistic(quantity):
            columns[guess.label] = Meaning(quantity, unit)
        elif statistic is None:
            message = "Is it a mean, a median (p50), a p90, p95 or p99?"
            questions.append(Problem("", None, guess.label, "statistic_missing", message))
        else:
            columns[guess.label] = Meaning(f"{quantity}_{statistic}", unit)
    return ColumnMapping(columns), questions


def _faults(file: str, mapping: ColumnMapping) -> list[Problem]:
    try:
        settle(file, mapping)
    except IngestError as error:
        return list(error.problems)
    return []


def _draw_preview(sketch: Sketch, mapping: ColumnMapping) -> None:
    """Draw the canonical rows that the first rows become, and what is refused of them."""
    report = preview(sketch, mapping)
    rows = (
        pd.DataFrame(report.rows)
        .dropna(axis=1, how="all")
        .drop(columns="source_line", errors="ignore")
        .head(_PREVIEWED)
    )
    st.markdown(f"The first of {sketch.rows:,} rows, in canonical names and units:")
    st.dataframe(rows, hide_index=True)
    remarks = [*report.problems, *report.warnings]
    if remarks:
        st.markdown("\n".join(["In the first rows:", "", *(f"- {_sentence(problem)}" for problem in remarks[:5])]))


def _sentence(problem: Problem) -> str:
    place = f"line {problem.line}, " if problem.line else ""
    where = f"{place}column «{problem.column}»: " if problem.column else place
    return literal(f"{where}{problem.message} {problem.hint}".strip())


def draw_remembered() -> None:
    """Draw the meanings of columns that are remembered, each with a button to forget it."""
    known = remembered(get_store())
    if not known:
        return
    with st.expander(f"Remembered meanings of columns ({len(known)})"):
        for entry in known:
            columns = ", ".join(
                f"{label} = {meaning.name}" + (f" in {meaning.unit}" if meaning.unit else "")
                for label, meaning in entry.mapping.columns.items()
            )
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(f"{entry.stated_at:%Y-%m-%d} · {literal(columns[:300])}")
                if st.button("Forget", key=f"forget_{entry.fingerprint[:16]}"):
                    forget(get_store(), entry.fingerprint)
                    st.rerun()
