"""The units in which people write a canonical quantity, and how they spell them."""

from __future__ import annotations

from collections.abc import Mapping

from data.readers.columns import MS, REQUESTS, SAMPLES, SECONDS, SEQUENCES, TOKENS
from data.schema import Column

_TIMES = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4, "h": 3.6e6}  # in ms
_RATES = {"s": 1.0, "min": 1 / 60, "h": 1 / 3600}
_SPELLED_TIMES = {"minute": "min", "minutes": "min", "mins": "min", "hour": "h", "hours": "h", "hr": "h"}
_SPELLED_SHARES = {"fraction": "share", "ratio": "share", "pct": "%", "percent": "%", "percentage": "%"}
_SPELLED_PRICES = {"$/h": "USD/h", "$/hr": "USD/h", "$/hour": "USD/h", "usd/hr": "USD/h", "usd/hour": "USD/h"}
_FACTORS: dict[str, dict[str, float]] = {
    "ms": _TIMES,
    "s": {unit: factor / 1e3 for unit, factor in _TIMES.items()},
    "share": {"share": 1.0, "%": 0.01},
    "USD/h": {"USD/h": 1.0, "USD/min": 60.0, "USD/s": 3600.0},
} | {
    f"{thing}/s": {f"{thing}/{time}": factor for time, factor in _RATES.items()}
    for thing in ("tokens", "requests", "samples", "sequences")
}
_SCALES = {
    "ms": MS,
    "s": SECONDS,
    "tokens/s": TOKENS,
    "requests/s": REQUESTS,
    "samples/s": SAMPLES,
    "sequences/s": SEQUENCES,
}


def factors(column: Column) -> Mapping[str, float]:
    """Return unit → factor into the canonical unit; empty where a number of the column has but one possible unit."""
    return _FACTORS.get(column.unit, {}) if column.is_number else {}


def read_unit(column: Column, text: str) -> str | None:
    """Return a unit of the column as `factors` writes it, None where the text is none of them."""
    word = " ".join(text.strip().casefold().replace("μ", "µ").split()).replace(" / ", "/")
    known = {unit.casefold(): unit for unit in factors(column)}
    spelled = {**_SPELLED_TIMES, **_SPELLED_SHARES, **_SPELLED_PRICES}.get(word, word).casefold()
    if spelled in known:
        return known[spelled]
    scale = _SCALES.get(column.unit)
    meant = scale.factors.get(word) if scale and word else None
    return next((unit for unit, factor in factors(column).items() if factor == meant), None)


def all_units() -> tuple[str, ...]:
    """Return every unit, once, in the order of their quantities."""
    return tuple(dict.fromkeys(unit for units in _FACTORS.values() for unit in units))
