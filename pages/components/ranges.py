"""What the user holds plausible of each input: low and high, kept for the session and in the address."""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from analysis.model.reading import input_names

_RANGES = "_ranges"
RANGES_PARAMETER = "r"
Ranges = dict[str, dict[str, float]]


def stated_ranges() -> Ranges:
    """Return the ranges that the user changed, by dotted name, each with low, high or sd."""
    return {name: dict(entry) for name, entry in st.session_state.get(_RANGES, {}).items()}


def set_ranges(ranges: Mapping[str, Mapping[str, float]]) -> None:
    """Replace the ranges that the user changed."""
    st.session_state[_RANGES] = {name: dict(entry) for name, entry in ranges.items()}


def read_ranges() -> str | None:
    """Take over the ranges of the address once a session; return what could not be read."""
    if _RANGES in st.session_state:
        _write_ranges()
        return None
    st.session_state[_RANGES] = {}
    refused = []
    for part in filter(None, st.query_params.get(RANGES_PARAMETER, "").split(",")):
        name, _, text = part.partition(":")
        try:
            if name not in input_names():
                raise ValueError(name)
            st.session_state[_RANGES][name] = _parse(text)
        except ValueError:
            refused.append(part)
    _write_ranges()
    return ", ".join(refused) or None


def _parse(text: str) -> dict[str, float]:
    if text.startswith("sd"):
        entry = {"sd": float(text[2:])}
    else:
        low, high = text.split("~")
        entry = {"low": float(low), "high": float(high)}
    return check_range(entry)


def check_range(entry: dict[str, float]) -> dict[str, float]:
    """Return a range that can be one; raise ValueError for another: not finite, upside down, a negative deviation."""
    numbers = tuple(entry.values())
    if not all(map(math.isfinite, numbers)) or entry.get("sd", 0.0) < 0:
        raise ValueError(f"{entry} is no range")
    if entry.get("low", 0.0) > entry.get("high", math.inf):
        raise ValueError(f"low {entry['low']:g} is above high {entry['high']:g}")
    return entry


def _write_ranges() -> None:
    parts = [f"{name}:{_encode(entry)}" for name, entry in stated_ranges().items()]
    text = ",".join(parts)
    if text:
        st.query_params[RANGES_PARAMETER] = text
    elif RANGES_PARAMETER in st.query_params:
        del st.query_params[RANGES_PARAMETER]


def _encode(entry: dict[str, Any]) -> str:
    return f"sd{entry['sd']:.12g}" if "sd" in entry else f"{entry['low']:.12g}~{entry['high']:.12g}"
