"""The table of ranges: low, value and high of every uncertain input, to be changed in place."""

from typing import Any

import pandas as pd
import streamlit as st

from analysis.errors import ScenarioError
from analysis.model.ranges import input_ranges
from analysis.model.scenario import Scenario
from analysis.words.doubt import input_labels
from pages.components.ranges import check_range, set_ranges, stated_ranges
from pages.components.text import literal

_VERSION = "_ranges_version"
_ERRORS = "_range_errors"


def draw_ranges(scenario: Scenario) -> None:
    """Draw the table of ranges, which can be changed in place."""
    st.subheader("Ranges", anchor=False)
    st.markdown("What you hold plausible: change low or high, or state a standard deviation that you measured.")
    for problem in st.session_state.pop(_ERRORS, []):
        st.error(literal(problem))
    version = st.session_state.get(_VERSION, 0)
    try:
        table = range_table(scenario)
    except ScenarioError as error:
        st.error(f"{error.message}.")
        st.button("Return to the shipped ranges", on_click=reset, key="reset_ranges")
        return
    st.data_editor(
        table.drop(columns="name"),
        hide_index=True,
        disabled=["Input", "Value", "Unit"],
        key=f"ranges_table_{version}",
        on_change=take_edits,
        args=(table, f"ranges_table_{version}"),
    )
    if stated_ranges():
        st.button("Return to the shipped ranges", on_click=reset, key="reset_ranges")


def range_table(scenario: Scenario) -> pd.DataFrame:
    """Return one row an input with a range."""
    stated, labels = stated_ranges(), input_labels()
    rows = [
        {
            "name": entry.name,
            "Input": labels[entry.name],
            "Low": entry.low,
            "Value": entry.base,
            "High": entry.high,
            "Measured s.d.": stated.get(entry.name, {}).get("sd"),
        }
        for entry in input_ranges(scenario)
    ]
    return pd.DataFrame(rows)


def take_edits(table: pd.DataFrame, key: str) -> None:
    """Take over what was typed into the table of ranges; what can be no range is said and left as it was."""
    ranges, errors = stated_ranges(), []
    for row, cells in st.session_state[key]["edited_rows"].items():
        name, edited = str(table.iloc[int(row)]["name"]), _edited(table.iloc[int(row)], cells)
        if edited is None:
            ranges.pop(name, None)
            continue
        try:
            ranges[name] = check_range(edited)
        except ValueError as error:
            errors.append(f"{input_labels()[name]}: {error}.")
    set_ranges(ranges)
    st.session_state[_ERRORS] = errors
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1


def _edited(entry: "pd.Series[Any]", cells: dict[str, float | None]) -> dict[str, float] | None:
    """Return the range that a row states now; None for a cleared one, which takes the shipped range again."""
    deviation = cells.get("Measured s.d.")
    if deviation is not None:
        return {"sd": float(deviation)}
    low, high = cells.get("Low", entry["Low"]), cells.get("High", entry["High"])
    if low is None or high is None or ("Measured s.d." in cells and not {"Low", "High"} & set(cells)):
        return None
    return {"low": float(low), "high": float(high)}


def reset() -> None:
    """Return to the shipped ranges."""
    set_ranges({})
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
