"""One row an input: meaning, value, unit, kind, plausible range, source."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from analysis.model.evidence import input_origin
from analysis.model.reading import input_field
from analysis.model.scenario import Scenario
from pages.components.scenario import SIDEBAR_NAMES, changes, start_value, stated_scenario

COLUMNS = {
    "Meaning": st.column_config.TextColumn(width=300),
    "Value": st.column_config.TextColumn(width=90),
    "Unit": st.column_config.TextColumn(width=95),
    "Kind": st.column_config.TextColumn(width=100),
    "Plausible": st.column_config.TextColumn(width=110, help="Low to high that we hold to be plausible"),
    "Source": st.column_config.TextColumn(width=220),
    "Input": st.column_config.TextColumn("Name in files and links", width=220),
}
Origins = Mapping[str, tuple[str, str]]


def input_rows(names: tuple[str, ...], value_of: Callable[[str], Any], origins: Origins) -> pd.DataFrame:
    """Return one row an input: what it means, value, unit, plausible range, kind, source."""
    changed, stated = changes(), stated_scenario()
    rows = []
    for name in names:
        about: dict[str, Any] = input_field(name).json_schema_extra  # type: ignore[assignment]
        kind, source = input_origin(name, stated, dict(origins), about.get("source", ""))
        if name in (*SIDEBAR_NAMES, "baseline", "candidate") and value_of(name) == start_value(name):
            kind, source = "assumed", "where the app starts; change it at the left"
        rows.append(
            {
                "Meaning": about["label"],
                "Value": as_text(value_of(name)),
                "Unit": about["unit"],
                "Kind": "changed by you" if name in changed else kind,
                "Plausible": plausible(about),
                "Source": source,
                "Input": name,
            }
        )
    return pd.DataFrame(rows)


def value_reader(scenario: Scenario) -> Callable[[str], Any]:
    """Return a function that gives the value of an input by its dotted name: as stated, else the scenario's."""
    stated = stated_scenario()

    def read(name: str) -> Any:
        section, _, field = name.partition(".")
        said = stated.get(section, {}).get(field) if field else stated.get(section)
        part = getattr(scenario, section)
        return said if said is not None else getattr(part, field, None) if field else part

    return read


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
