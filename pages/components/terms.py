"""The terms of the comparison beside it: each is an input of the scenario, changed here as under Assumptions."""

from typing import Any

import streamlit as st

from analysis.model.reading import input_field
from analysis.model.scenario import LATENCY_METRICS, WORK_METRICS, Benchmarks
from pages.components.scenario import changes, set_changes

_CHOICES = {"benchmarks.slo_metric": LATENCY_METRICS, "benchmarks.metric": (None, *WORK_METRICS)}
_SHARES = ("benchmarks.max_error_rate", "benchmarks.quality_tolerance", "benchmarks.utilisation")


def draw_terms(terms: Benchmarks) -> None:
    """Draw latency column, unit of work and limits of the comparison; a change goes to scenario and address."""
    with st.expander("Terms of the comparison"):
        left, right = st.columns(2)
        for column, (name, options) in zip((left, right), _CHOICES.items(), strict=True):
            column.selectbox(
                _label(name),
                options,
                index=options.index(_value(terms, name)),
                format_func=lambda option: option or "the first that both sides state",
                key=_key(name),
                on_change=_take,
                args=(name,),
            )
        for column, name in zip(st.columns(len(_SHARES)), _SHARES, strict=True):
            column.number_input(
                _label(name),
                min_value=0.0,
                max_value=None if name.endswith("tolerance") else 1.0,
                value=float(_value(terms, name)),
                step=0.01,
                format="%g",
                key=_key(name),
                on_change=_take,
                args=(name,),
            )
        st.caption("The objective itself (ms) is at the left, as are model and platforms.")


def _take(name: str) -> None:
    value, values = st.session_state[_key(name)], changes()
    values.pop(name, None)
    if value is not None and value != Benchmarks.model_fields[name.split(".")[1]].default:
        values[name] = value
    set_changes(values)


def _value(terms: Benchmarks, name: str) -> Any:
    return getattr(terms, name.split(".")[1])


def _label(name: str) -> str:
    about: dict[str, Any] = input_field(name).json_schema_extra  # type: ignore[assignment]
    kind = "you" if name in changes() else "assumed"
    return f"{about['label']} ({about['unit']}) :gray-badge[{kind}]"


def _key(name: str) -> str:
    return f"terms_{name.split('.')[1]}"
