"""Summaries of MLPerf inference rounds, CSV or JSON: one column of results, whose unit follows from the scenario.

Later rounds state the unit in a column of its own, and that column counts. Without it the rules of the round do:
SingleStream is the 90th percentile of latency in ms, Offline and Server are samples per second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from data.readers.cells import Refusal, numbers, show
from data.readers.chips import platform
from data.readers.columns import MS, SAMPLES, TEXT, TOKENS, Columns, first, fixed, labels, read_columns
from data.readers.document import Document
from data.readers.reading import Reading

ID = "mlperf-summary"
KIND = "benchmark"
_RESULT = ("result", "performance result")
_UNITS = ("units", "performance units", "result units", "unit")
_FIELDS = (
    ("model", "model", TEXT),
    ("usedmodel", "model", TEXT),
    ("mlperfmodel", "model", TEXT),
    ("scenario", "scenario", TEXT),
    ("version", "tool_version", TEXT),
    ("framework", "engine", TEXT),
    ("software", "engine", TEXT),
    ("accelerator model name", "accelerator", TEXT),
    ("accelerator", "accelerator", TEXT),
    ("accelerators per node", "accelerator_count", fixed()),
    ("a#", "accelerator_count", fixed()),
)
_SINGLE, _MULTI = "singlestream", "multistream"
_TOKEN_MODELS = re.compile(r"llama|mixtral|gpt-?j|deepseek", re.IGNORECASE)


class _Place(NamedTuple):
    """Say where a result goes."""

    name: str
    factor: float


def recognise(document: Document) -> bool:
    """Tell whether scenario, model and result stand beside what the submission calls its system."""
    found = labels(document)
    system = {"systemname", "system", "accelerator model name", "mlperfmodel"}
    return {"scenario", "model"} <= found and bool(found.intersection(_RESULT)) and bool(found & system)


def read(document: Document) -> Reading:
    """Return the results, each in the unit that is stated or follows from its scenario."""
    columns = read_columns(document, ID, _FIELDS)
    _place_results(columns)
    if "accelerator" in columns.frame:
        chips = columns.frame["accelerator"]
        columns.derive("platform", [platform(chip) if isinstance(chip, str) else None for chip in chips])
    _count_nodes(columns)
    if columns.other(*_UNITS) is None:
        message = "The file states no unit for its results: it follows from each row's scenario, by MLPerf's rules."
        columns.warn("unit_by_rule", message, "SingleStream is the 90th percentile of latency in ms.", "Result")
    _warn_of_inferred(columns)
    return columns.reading()


def _place_results(columns: Columns) -> None:
    header = next(name for name in _RESULT if columns.other(name) is not None)
    cells = columns.other(header)
    assert cells is not None  # recognise() has seen the column
    values, refused = numbers(cells, "result", columns.cells.decimal_comma)
    columns.refusals += refused
    units = _texts(columns, _UNITS)
    scenarios, models, rounds = (_texts(columns, (word,)) for word in ("scenario", "model", "version"))
    placed: dict[str, dict[int, float]] = {}
    for row, value in enumerate(values):
        by_rule = _by_rule(scenarios[row], models[row], rounds[row])
        place = _by_unit(units[row], scenarios[row]) if units[row] else by_rule
        if place is None:
            said = f"«{units[row]}»" if units[row] else f"scenario {show(scenarios[row])}"
            message = f"What the result measures is not known: {said}."
            columns.refusals.append(Refusal(row, "result", "unknown_unit", message, "Load the row without it."))
        elif value == value:
            placed.setdefault(place.name, {})[row] = float(value) * place.factor
    for name, found in placed.items():
        columns.frame[name] = pd.Series(found, dtype="float64").reindex(columns.frame.index)
        columns.headers[name] = header


def _texts(columns: Columns, wanted: Sequence[str]) -> list[str]:
    cells = columns.other(*wanted)
    return ["" if cell is None else str(cell) for cell in cells] if cells is not None else [""] * len(columns.frame)


def _by_unit(unit: str, scenario: str) -> _Place | None:
    """Return where a result with a stated unit goes; a latency is the percentile that the scenario prescribes."""
    word = unit.strip().casefold()
    latency = re.sub(r"^latency\s*\(?|\)$", "", word).strip()
    level = {_SINGLE: "p90", _MULTI: "p99"}.get(scenario.casefold())
    if latency in MS.factors and level is not None:
        return _Place(f"e2e_ms_{level}", MS.factors[latency])
    if word in TOKENS.factors and "tok" in word:
        return _Place("output_tok_per_s", TOKENS.factors[word])
    samples = word.replace("queries", "samples").replace("query", "sample")
    return _Place("samples_per_s", SAMPLES.factors[samples]) if samples in SAMPLES.factors else None


def _by_rule(scenario: str, model: str, version: str) -> _Place | None:
    """Return where a result without a unit goes; None where the rules changed and the row does not say enough."""
    match = re.match(r"v?(\d+)", version)
    edition = int(match[1]) if match else None
    kind = scenario.casefold()
    if kind == _SINGLE:
        return _Place("e2e_ms_p90", 1.0)
    if kind == _MULTI:  # a number of streams before v2.0
        return _Place("e2e_ms_p99", 1.0) if edition is not None and edition >= 2 else None
    if kind in ("offline", "server"):  # language models count tokens since v4.0
        tokens = _TOKEN_MODELS.search(model) is not None and (edition is None or edition >= 4)
        return None if tokens else _Place("samples_per_s", 1.0)
    return None


def _count_nodes(columns: Columns) -> None:
    """Count the chips of all nodes, as the result is that of all of them."""
    cells = columns.other("number of nodes", "nodes")
    if cells is None or "accelerator_count" not in columns.frame:
        return
    nodes, _ = numbers(cells, "nodes", columns.cells.decimal_comma)
    many = nodes > 1
    if many.any() and columns.other("accelerators per node") is not None:
        count = columns.frame["accelerator_count"]
        columns.frame["accelerator_count"] = count.where(~many, count * nodes)
        columns.derived.add("accelerator_count")
    if many.any():
        row = first(many)
        message = f"The result is that of {nodes[row]:g} nodes together, not of one."
        columns.warn("several_nodes", message, "The price must be that of all of them.", "number_of_nodes", row)


def _warn_of_inferred(columns: Columns) -> None:
    flags = _texts(columns, ("infered", "inferred"))
    row = next((row for row, flag in enumerate(flags) if flag.strip().casefold() in ("1", "1.0", "true")), None)
    if row is not None:
        message = "The result is inferred from another scenario, not measured."
        columns.warn("inferred_result", message, "", "infered", row)
