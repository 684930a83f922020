"""What `bench serve` prints, as text or turned into a table with its metrics across or down.

vLLM, SGLang and others print the same block, so the layout names no engine. Units stand in the labels.
"""

from __future__ import annotations

import re
from dataclasses import replace

from data.errors import IngestError, Problem
from data.readers.columns import (
    COUNT,
    MS,
    REQUESTS,
    SECONDS,
    TOKENS,
    Columns,
    Field,
    fixed,
    labels,
    read_columns,
    split,
    spread,
    turned,
)
from data.readers.document import Document, Table
from data.readers.plain_text import sections
from data.readers.reading import Reading

ID = "vllm-console"
KIND = "benchmark"
_BANNER = re.compile(r"=+\s*Serving Benchmark Result\s*=+\s*")
_FIELDS: tuple[Field, ...] = (
    ("successful requests", "completed", COUNT),
    ("failed requests", "failed", COUNT),
    ("benchmark duration", "duration_s", SECONDS),
    ("total input tokens", "total_input_tokens", COUNT),
    ("total generated tokens", "total_output_tokens", COUNT),
    ("maximum request concurrency", "concurrency", fixed()),
    ("max request concurrency", "concurrency", fixed()),
    ("request rate configured", "request_rate", REQUESTS),
    ("traffic request rate", "request_rate", fixed(1.0, REQUESTS)),
    ("request throughput", "req_per_s", REQUESTS),
    ("output token throughput", "output_tok_per_s", TOKENS),
    ("total token throughput", "total_tok_per_s", TOKENS),
    *spread("{} ttft", "ttft_ms", MS),
    *spread("{} tpot", "tpot_ms", MS),
    *spread("{} itl", "itl_ms", MS),
    *spread("{} e2el", "e2e_ms", MS),
    *spread("{} e2e latency", "e2e_ms", MS),
)
_TELLING = {"successful requests", "benchmark duration", "output token throughput", "mean ttft"}
_ENOUGH = 3


def recognise(document: Document) -> bool:
    """Tell whether the labels of the printed block stand in the text, in a header or in a first column."""
    if _is_enough(labels(document)) or _down(document) is not None:
        return True
    if document.tables or document.records:
        return False
    return any(_is_enough({split(name)[0] for name in part.values}) for part in sections(document.text, _BANNER))


def read(document: Document) -> Reading:
    """Return a run for each block, row or column of values, with mean lengths derived."""
    down = _down(document)
    if down is not None:
        _refuse_shifted(document.file, document.text, down)
        columns = read_columns(replace(document, tables=(turned(down),)), ID, _FIELDS)
        _keep_apart(columns, down)
    elif document.tables:
        columns = read_columns(document, ID, _FIELDS)
    else:
        columns = read_columns(replace(document, tables=(_from_text(document.text),)), ID, _FIELDS)
    columns.means()
    message = "The file names neither model nor what served it; the layout alone does not say vLLM."
    columns.warn("server_not_described", message, "The price must be that of everything that served the requests.")
    return columns.reading()


def _is_enough(found: set[str] | frozenset[str]) -> bool:
    return len(found & _TELLING) >= _ENOUGH


def _down(document: Document) -> Table | None:
    """Return the table whose first column holds the labels, None where there is none."""
    if len(document.tables) != 1 or len(document.tables[0].header) < 2:
        return None
    table = document.tables[0]
    return table if _is_enough({split(row[0])[0] for row in table.rows[:200]}) else None


def _refuse_shifted(file: str, text: str, table: Table) -> None:
    """Raise IngestError where a metric has a value too many or too few; a line of one cell is a heading."""
    hint = "A delimiter is missing or too many: the values would shift."
    problems = [
        Problem(file, line, None, "wrong_cell_count", f"The row has {n} cells, the header {len(table.header)}.", hint)
        for line, n in table.ragged
        if n > 1
    ]
    if problems:
        raise IngestError(problems)


def _keep_apart(columns: Columns, table: Table) -> None:
    """Name each run by its column's header, so that unlike runs are not taken for repeats."""
    names = [" ".join(name.split()) or "column" for name in table.header[1:]]
    if len(names) < 2:
        return
    twice = {name for name in names if names.count(name) > 1}
    columns.derive(
        "engine",
        [f"{name} (column {i})" if name in twice else name for i, name in enumerate(names, 2)],
    )
    if twice:
        message = f"Several columns are headed «{min(twice)}»: which is which, the file does not say."
        hint = "Name the columns, or load each as a file of its own."
        columns.warnings.append(Problem(columns.file, table.header_line, min(twice), "duplicate_header", message, hint))


def _from_text(text: str) -> Table:
    """Return the printed blocks as a table with the labels across."""
    found = [part for part in sections(text, _BANNER) if part.values]
    header = tuple(dict.fromkeys(name for part in found for name in part.values))
    rows = tuple(tuple(part.values.get(name, "") for name in header) for part in found)
    return Table(header, found[0].line, rows, tuple(part.line for part in found), ",")
