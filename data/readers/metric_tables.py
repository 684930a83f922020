"""Tables with a metric a row: first the distributions (`Metric,avg,…,p99`), then single values (`Metric,Value`).

GenAI-Perf and its successor AIPerf write them; a file is one run. Percentiles are taken by header, so `max` and `sum`
are never one, and units are read off the metrics' names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import number, show
from data.readers.columns import COUNT, MS, REQUESTS, SECONDS, STATISTICS, TOKENS, Field, factor_of, split
from data.readers.document import Document, Table
from data.readers.reading import Reading

DISTRIBUTIONS: tuple[Field, ...] = (
    ("time to first token", "ttft_ms", MS),
    ("inter token latency", "itl_ms", MS),
    ("time per output token", "tpot_ms", MS),
    ("request latency", "e2e_ms", MS),
)
_LENGTHS: tuple[Field, ...] = (
    ("input sequence length", "input_tokens", COUNT),
    ("output sequence length", "output_tokens", COUNT),
)
VALUES: tuple[Field, ...] = (
    ("output token throughput", "output_tok_per_s", TOKENS),
    ("total token throughput", "total_tok_per_s", TOKENS),
    ("request throughput", "req_per_s", REQUESTS),
    ("request count", "completed", COUNT),
    ("error request count", "failed", COUNT),
    ("benchmark duration", "duration_s", SECONDS),
    ("total input sequence length", "total_input_tokens", COUNT),
    ("total isl", "total_input_tokens", COUNT),
    ("total output sequence length", "total_output_tokens", COUNT),
    ("total osl", "total_output_tokens", COUNT),
)


@dataclass(slots=True)
class _Run:
    """Collect the one run of a file."""

    file: str
    row: dict[str, float | str | None]
    headers: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def put(self, name: str, header: str, metric: str, cell: str, line: int, factor: float) -> None:
        """Take a cell in; of a metric given twice the first stands."""
        try:
            value = number(cell)
        except ValueError:
            message = f"{show(cell)} is not a number."
            self.problems.append(Problem(self.file, line, header, "not_a_number", message, "Export the file again."))
            return
        if name not in self.row:
            self.row[name] = None if value is None else value * factor
            self.headers[name] = metric


def is_first(table: Table) -> bool:
    """Tell whether this is a table of distributions that names a request latency."""
    return table.header[:2] == ("Metric", "avg") and any(
        split(row[0])[0] == "request latency" for row in table.rows[:200]
    )


def read(document: Document, tool: str, more: dict[str, float | str | None] | None = None) -> Reading:
    """Return the one run of the file in canonical units; `more` is what its reader has found besides."""
    run = _Run(document.file, {"tool": tool, **(more or {})})
    for table in document.tables:
        if table.header[:1] != ("Metric",) or len(table.header) < 2:
            continue
        for cells, line in zip(table.rows, table.lines, strict=True):
            if "avg" in table.header:
                _distribution(run, table, cells, line)
            else:
                _single(run, VALUES, table.header[1], cells[0], cells[1], line)
    if run.problems:
        raise IngestError(run.problems)
    frame = pd.DataFrame([run.row], dtype=object)
    return Reading(frame, (document.tables[0].header_line,), headers=run.headers)


def _distribution(run: _Run, table: Table, cells: tuple[str, ...], line: int) -> None:
    by_header = dict(zip(table.header, cells, strict=True))
    _single(run, _LENGTHS, "avg", cells[0], by_header["avg"], line)
    word, unit = split(cells[0])
    for known, name, scale in DISTRIBUTIONS:
        if word != known or scale is None:
            continue
        factor = factor_of(run.file, cells[0], unit, scale, line)
        for header, statistic in STATISTICS.items():
            if header in by_header:
                run.put(f"{name}_{statistic}", header, cells[0], by_header[header], line, factor)


def _single(run: _Run, fields: Sequence[Field], header: str, metric: str, cell: str, line: int) -> None:
    word, unit = split(metric)
    for known, name, scale in fields:
        if word == known and scale is not None and (scale.strict or unit in scale.factors):
            run.put(name, header, metric, cell, line, factor_of(run.file, metric, unit, scale, line))
