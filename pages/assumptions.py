"""Assumptions: every input as a table, with value, unit, plausible range, kind and source; the value can be changed."""

from typing import Any

import pandas as pd
import streamlit as st

from analysis.errors import ScenarioError
from analysis.model.evidence import input_origin
from analysis.model.reading import input_field, input_names
from pages.components.answer import Answer, current_answer
from pages.components.navigation import require_app
from pages.components.scenario import SIDEBAR_NAMES, changes, parse_value, set_changes, start_value

require_app()

_VERSION = "_assumptions_version"
_ERRORS = "_assumption_errors"
ELSEWHERE = {"baseline", "candidate", "benchmarks.model", "benchmarks.baseline", "benchmarks.candidate"}


def input_rows(answer: Answer, names: tuple[str, ...]) -> pd.DataFrame:
    """Return one row an input: what it means, value, unit, plausible range, kind, source."""
    changed = changes()
    rows = []
    for name in names:
        about: dict[str, Any] = input_field(name).json_schema_extra  # type: ignore[assignment]
        kind, source = input_origin(name, answer.stated, answer.filled.origins, about.get("source", ""))
        at_start = name in SIDEBAR_NAMES and value_of(answer, name) == start_value(name)
        if at_start:
            kind, source = "assumed", "where the app starts; change it at the left"
        rows.append(
            {
                "Meaning": about["label"],
                "Value": as_text(value_of(answer, name)),
                "Unit": about["unit"],
                "Kind": "changed by you" if name in changed else kind,
                "Plausible": plausible(about),
                "Source": source,
                "Input": name,
            }
        )
    return pd.DataFrame(rows)


def value_of(answer: Answer, name: str) -> Any:
    """Return the value that counts at present."""
    scenario = answer.filled.scenario
    section, _, field = name.partition(".")
    part = getattr(scenario, section)
    return part if not field else None if part is None else getattr(part, field)


def as_text(value: Any) -> str:
    """Return a value as it is typed; an unstated one is empty, measured runs are counted."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"{len(value)} entries"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def plausible(about: dict[str, Any]) -> str:
    """Return the plausible range, low to high, where there is one."""
    return "" if about.get("low") is None else f"{about['low']:g} to {about['high']:g}"


def take_edits() -> None:
    """Take over what was typed into the table; what cannot be used is said and left as it was."""
    edits = st.session_state[f"assumptions_table_{version()}"]["edited_rows"]
    values, errors = changes(), []
    for row, cells in edits.items():
        name, text = EDITABLE[int(row)], str(cells.get("Value") or "").strip()
        try:
            if text:
                values[name] = parse_value(name, text)
            else:
                values.pop(name, None)
        except ScenarioError as error:
            errors.append(f"{name} = {text}: {error.message}.")
    set_changes(values)
    st.session_state[_ERRORS] = errors
    st.session_state[_VERSION] = version() + 1


def version() -> int:
    """Return the number of the present table: a new one forgets what was typed into the last."""
    return int(st.session_state.get(_VERSION, 0))


def reset() -> None:
    """Take back every change made in the table."""
    set_changes({})
    st.session_state[_VERSION] = version() + 1


EDITABLE = tuple(n for n in input_names() if n not in ELSEWHERE | set(SIDEBAR_NAMES) | {"benchmarks.external"})
SHOWN = tuple(n for n in input_names() if n in SIDEBAR_NAMES or n in ("benchmarks.baseline", "benchmarks.candidate"))

COLUMNS = {
    "Meaning": st.column_config.TextColumn(width=300),
    "Value": st.column_config.TextColumn(width=90),
    "Unit": st.column_config.TextColumn(width=95),
    "Kind": st.column_config.TextColumn(width=100),
    "Plausible": st.column_config.TextColumn(width=110, help="Low to high that we hold to be plausible"),
    "Source": st.column_config.TextColumn(width=220),
    "Input": st.column_config.TextColumn("Name in files and links", width=220),
}

st.title("Assumptions", anchor=False)
answer = current_answer()
st.markdown(
    "Every input of the decision. What is assumed stays assumed until you state or measure it. "
    "Double-click a value to change it; clear it to return to the default."
)
for problem in st.session_state.pop(_ERRORS, []):
    st.error(problem)
st.data_editor(
    input_rows(answer, EDITABLE),
    hide_index=True,
    height=620,
    column_config=COLUMNS,
    disabled=["Meaning", "Unit", "Kind", "Plausible", "Source", "Input"],
    key=f"assumptions_table_{version()}",
    on_change=take_edits,
)
changed = changes()
if changed:
    st.button(f"Reset {len(changed)} change{'s' if len(changed) > 1 else ''}", key="reset_assumptions", on_click=reset)
st.subheader("From the sidebar and from evidence", anchor=False)
st.dataframe(input_rows(answer, SHOWN), hide_index=True, column_config=COLUMNS, key="stated_inputs")
