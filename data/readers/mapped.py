"""A table that no reader knows, read as its user says: what each column means, and in which unit its numbers are.

A column goes by its header. Where a header stands twice, and where there is none, its place is added: «latency#4» is
the fourth column, «#3» a third one without a name. JSON objects in objects are flattened: «latency.p50».
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pandas as pd

from data import schema
from data.errors import IngestError, Problem
from data.readers.cells import Refusal, number, numbers, show
from data.readers.columns import plain
from data.readers.document import Document
from data.readers.reading import Grid, Reading, grid, ragged_problems
from data.readers.units import factors, read_unit
from data.schema import Column

ID = "mapped-csv"
KIND = "benchmark"
_COLUMNS = schema.BY_NAME[KIND]
_MAX_DEPTH = 4
_NUMBER_AND_UNIT = re.compile(r"([$€£]?\s*[+-]?[\d.,]+(?:[eE][+-]?\d+)?)\s*([^\d\s.,].*)")


@dataclass(frozen=True, slots=True)
class Meaning:
    """Say which canonical column a column is, and in which unit; `unit` is None where only one is possible."""

    name: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Hold the meaning of each column that counts, by its label, and what holds for the whole file."""

    columns: Mapping[str, Meaning]
    values: Mapping[str, object] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """Return the JSON shape that `parse_mapping` reads."""
        columns = {
            label: {"name": meaning.name} | ({"unit": meaning.unit} if meaning.unit else {})
            for label, meaning in self.columns.items()
        }
        return {"columns": columns, "values": dict(self.values)}


def parse_mapping(file: str, text: str) -> ColumnMapping:
    """Return the mapping that a JSON text states; raise IngestError on what is no mapping, each fault with its column.

    A column that is null, or whose name is null, is left out.
    """
    try:
        stated = json.loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise IngestError([Problem(file, line, None, "invalid_json", f"The JSON cannot be read: {error}.")]) from error
    columns = stated.get("columns") if isinstance(stated, dict) else None
    values = stated.get("values", {}) if isinstance(stated, dict) else None
    if not isinstance(columns, dict) or not isinstance(values, dict) or set(stated) - {"columns", "values"}:
        message = "A mapping is {«columns»: {header: {«name», «unit»}}, «values»: {dimension: value}}."
        raise IngestError([Problem(file, None, None, "no_mapping", message, "docs/file-formats.md has an example.")])
    problems: list[Problem] = []
    meanings: dict[str, Meaning] = {}
    for label, entry in columns.items():
        if entry is None or (isinstance(entry, dict) and entry.get("name", 0) is None):
            continue
        name, unit = (entry.get("name"), entry.get("unit")) if isinstance(entry, dict) else (entry, None)
        if not isinstance(name, str) or not isinstance(unit, str | None) or set(_keys(entry)) - {"name", "unit"}:
            message = "A column is null, or {«name»: canonical name, «unit»: unit}."
            problems.append(Problem(file, None, label, "no_mapping", message))
        else:
            meanings[label] = Meaning(name, unit)
    mapping = ColumnMapping(meanings, values)
    return settle(file, mapping, problems)


def _keys(entry: object) -> Iterable[str]:
    return entry if isinstance(entry, dict) else ()


def settle(file: str, mapping: ColumnMapping, problems: Sequence[Problem] = ()) -> ColumnMapping:
    """Return the mapping with its units in canonical spelling; raise IngestError with everything that is wrong.

    A unit has to be stated wherever more than one is possible: none is ever taken for granted.
    """
    found = list(problems)
    settled: dict[str, Meaning] = {}
    for label, meaning in mapping.columns.items():
        column = _COLUMNS.get(meaning.name)
        if column is None:
            hint = schema.did_you_mean(meaning.name, _COLUMNS) or "docs/file-formats.md lists them."
            message = f"{show(meaning.name)} is no canonical column."
            found.append(Problem(file, None, label, "mapping_unknown_name", message, hint))
            continue
        possible = factors(column)
        unit = read_unit(column, meaning.unit) if meaning.unit and possible else None
        if possible and unit is None:
            stated = f"{show(meaning.unit)} is no unit of {column.name}" if meaning.unit else "Its unit is not stated"
            code = "mapping_unknown_unit" if meaning.unit else "mapping_unit_missing"
            found.append(Problem(file, None, label, code, f"{stated}.", f"Say one of {', '.join(possible)}."))
        settled[label] = Meaning(meaning.name, unit)
    for name, count in Counter(meaning.name for meaning in settled.values()).items():
        if count > 1:
            labels = ", ".join(show(label) for label, meaning in settled.items() if meaning.name == name)
            message = f"Several columns are said to be {name}: {labels}."
            found.append(Problem(file, None, name, "mapping_twice", message, "Leave out all but one."))
    if not found and not any(_is_result(_COLUMNS[meaning.name]) for meaning in settled.values()):
        message = "No column is said to be a latency or a throughput: there is nothing to load."
        found.append(Problem(file, None, None, "mapping_measures_nothing", message, "Say which column was measured."))
    if found:
        raise IngestError(found)
    return replace(mapping, columns=settled)


def _is_result(column: Column) -> bool:
    return column in schema.LATENCY_COLUMNS or column in schema.THROUGHPUT_COLUMNS


def table(document: Document) -> Grid | None:
    """Return the one table of a document under its labels, None where it holds none or several."""
    if document.objects:
        document = replace(document, records=tuple(dict(_flat(record, "", 0)) for record in document.objects))
    cells = grid(document)
    if cells is None:
        return None
    headers = [str(label).split("\0")[0] for label in cells.frame.columns]
    count = Counter(headers)
    labels = [
        header if header and count[header] == 1 else f"{header}#{place}" for place, header in enumerate(headers, 1)
    ]
    return replace(cells, frame=cells.frame.set_axis(labels, axis=1))


def _flat(record: Mapping[str, object], prefix: str, depth: int) -> Iterator[tuple[str, object]]:
    for key, value in record.items():
        if isinstance(value, dict) and depth < _MAX_DEPTH:
            yield from _flat(value, f"{prefix}{key}.", depth + 1)
        elif not isinstance(value, list):
            yield f"{prefix}{key}", value


def fingerprint(labels: Iterable[str]) -> str:
    """Return what tables with the same headers share, whatever their order, letter case and spaces."""
    return hashlib.sha256(json.dumps(sorted({_normal(label) for label in labels})).encode()).hexdigest()


def _normal(label: str) -> str:
    return " ".join(label.casefold().split())


def read(document: Document, mapping: ColumnMapping) -> Reading:
    """Return rows under canonical names and in canonical units; raise IngestError where the mapping does not fit.

    A cell that carries a unit of its own («1.2 s») counts in that unit, a bare number in the unit of its column.
    """
    cells = table(document)
    assert cells is not None  # find_table() has seen one
    labels = {_normal(str(label)): str(label) for label in cells.frame}
    missing = [label for label in mapping.columns if _normal(label) not in labels]
    if missing:
        hint = "Correct the mapping, or leave the column out of it."
        raise IngestError(
            [
                Problem(
                    document.file,
                    cells.header_line,
                    label,
                    "mapping_unknown_header",
                    f"The mapping speaks of a column {show(label)}, which this file does not have.",
                    schema.did_you_mean(label, labels) or hint,
                )
                for label in missing
            ]
        )
    found: dict[str, pd.Series] = {}
    refusals: list[Refusal] = []
    for label, meaning in mapping.columns.items():
        values = cells.frame[labels[_normal(label)]]
        column = _COLUMNS[meaning.name]
        if column.is_number:
            found[column.name], refused = _measures(values, column, meaning.unit, cells.decimal_comma)
            refusals += refused
        else:
            found[column.name] = pd.Series([plain(c) if isinstance(c, str) else c for c in values], values.index)
    return Reading(
        pd.DataFrame(found, index=cells.frame.index),
        cells.lines,
        headers={meaning.name: label for label, meaning in mapping.columns.items()},
        problems=ragged_problems(document.file, cells),
        refusals=tuple(refusals),
        unreadable=len(cells.ragged),
    )


def _measures(
    values: pd.Series, column: Column, unit: str | None, decimal_comma: bool
) -> tuple[pd.Series, list[Refusal]]:
    """Return a column of numbers in the canonical unit, and the cells that are none."""
    found, refusals = numbers(values, column.name, decimal_comma)
    known = factors(column)
    found = found * known[unit] if unit else found
    odd: list[Refusal] = []
    converted: dict[int, float] = {}
    for refusal in refusals:
        value = _with_unit(values[refusal.position], column, decimal_comma)
        if value is None:
            odd.append(refusal)
        else:
            converted[refusal.position] = value
    if converted:
        found = found.where(found.notna(), pd.Series(converted, dtype="float64").reindex(found.index))
    return found, odd


def _with_unit(cell: object, column: Column, decimal_comma: bool) -> float | None:
    """Return the canonical value of a cell such as «1.2 s», None where it is not understood."""
    amount, unit = split_cell(cell, column)
    if unit is None:
        return None
    try:
        value = number(cast(str, amount), decimal_comma)
    except ValueError:
        return None
    return None if value is None else value * factors(column)[unit]


def split_cell(cell: object, column: Column) -> tuple[str | None, str | None]:
    """Return the number and the unit of a cell such as «1.2 s» or «$3/h», nothing where it holds no unit."""
    text = cell.strip() if isinstance(cell, str) else ""
    currency = text[:1] if text[:1] in "$€£" else ""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None:
        return None, None
    unit = read_unit(column, f"{currency}{match[2].strip()}")
    return (match[1].lstrip("$€£ "), unit) if unit else (None, None)
