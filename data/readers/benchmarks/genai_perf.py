"""The CSV of GenAI-Perf: a table of distributions, a blank line, a table of single values. One file is one run."""

from __future__ import annotations

import re

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import number, show
from data.readers.document import Document, Table
from data.readers.reading import Reading

ID = "genai-perf"
KIND = "benchmark"
_STATISTICS = {"avg": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
_DISTRIBUTIONS = {
    "time to first token": "ttft_ms",
    "inter token latency": "itl_ms",
    "time per output token": "tpot_ms",
    "request latency": "e2e_ms",
}
_LENGTHS = {"input sequence length": "input_tokens", "output sequence length": "output_tokens"}
_VALUES = {
    "output token throughput": "output_tok_per_s",
    "request throughput": "req_per_s",
    "request count": "completed",
}
_TO_MS = {"ms": 1.0, "s": 1e3, "us": 1e-3, "µs": 1e-3, "ns": 1e-6}
_METRIC = re.compile(r"(.+?)\s*\((.+)\)")


def recognise(document: Document) -> bool:
    """Tell whether the first table has `Metric,avg,…` without standard deviations and names a request latency."""
    if not document.tables or document.tables[0].header[:2] != ("Metric", "avg"):
        return False
    first = document.tables[0]
    return "std" not in first.header and any(row[0].startswith("Request Latency") for row in first.rows)


def read(document: Document) -> Reading:
    """Return the one run of the file in canonical units, which the metric names state."""
    row: dict[str, float | str | None] = {"tool": ID}
    headers: dict[str, str] = {}
    problems: list[Problem] = []
    for table in document.tables:
        for cells, line in zip(table.rows, table.lines, strict=True):
            for name, header, cell, factor in _fields(document.file, table, cells, line):
                try:
                    value = number(cell)
                except ValueError:
                    message = f"{show(cell)} is not a number."
                    problems.append(
                        Problem(document.file, line, header, "not_a_number", message, "Export the file again.")
                    )
                    continue
                row[name] = None if value is None else value * factor
                headers[name] = cells[0]
    if problems:
        raise IngestError(problems)
    frame = pd.DataFrame([row], dtype=object)
    return Reading(frame, (document.tables[0].header_line,), headers=headers)


def _fields(file: str, table: Table, cells: tuple[str, ...], line: int) -> list[tuple[str, str, str, float]]:
    """Return (canonical name, header, cell, factor) of each cell of a row that is known."""
    match = _METRIC.fullmatch(cells[0])
    metric, unit = (match[1].lower(), match[2].lower()) if match else (cells[0].lower(), "")
    if "avg" not in table.header:
        return [(_VALUES[metric], table.header[1], cells[1], 1.0)] if metric in _VALUES else []
    by_header = dict(zip(table.header, cells, strict=True))
    if metric in _LENGTHS:
        return [(_LENGTHS[metric], "avg", by_header["avg"], 1.0)]
    if metric not in _DISTRIBUTIONS:
        return []
    if unit not in _TO_MS:
        message = f"The unit of {show(cells[0])} is not known."
        raise IngestError([Problem(file, line, cells[0], "unknown_unit", message, "Known are ms, s, us and ns.")])
    name = _DISTRIBUTIONS[metric]
    return [
        (f"{name}_{statistic}", header, by_header[header], _TO_MS[unit])
        for header, statistic in _STATISTICS.items()
        if header in by_header
    ]
