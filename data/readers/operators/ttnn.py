"""Model reports of Tenstorrent's TT-NN compiler (markdown): the first table has a row an operator.

The tables below it repeat the same input variations one by one. A variation is a shape, not a call.
"""

from __future__ import annotations

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import MarkdownTable, Rows, markdown_tables
from data.readers.reading import Reading

ID = "ttnn"
KIND = "operators"
_HEADERS = {"Operations", "Input Variations", "Converted", "Removed", "Fallback", "Completed"}


def recognise(document: Document) -> bool:
    """Tell whether a table has the report's headers."""
    return "Input Variations" in document.text[:5_000] and _table(document) is not None


def read(document: Document) -> Reading:
    """Return a used row for each operator; what was removed by fusion runs natively."""
    table = _table(document)
    assert table is not None  # recognise() has seen it
    rows = Rows(document.file)
    for line, cells in zip(table.lines, table.rows, strict=True):
        said = dict(zip(table.header, cells, strict=True))
        status, reason = _status(said)
        rows.add(
            line, operator=operator_name(said["Operations"]), role="used", status=status, backend="tt-nn", reason=reason
        )
    rows.warn("variations_no_calls", "Counts are input variations (shapes), not calls: they are not loaded.")
    rows.warn("other_backend", "The backend is TT-NN: this says what the model uses, nothing about another backend.")
    return rows.reading()


def _table(document: Document) -> MarkdownTable | None:
    return next((table for table in markdown_tables(document.text) if set(table.header) >= _HEADERS), None)


def _status(said: dict[str, str]) -> tuple[str, str | None]:
    whole, done, removed, fallback = (
        int(cell) if (cell := said[name]).isdecimal() and len(cell) < 10 else None
        for name in ("Input Variations", "Converted", "Removed", "Fallback")
    )
    if whole is None or done is None or removed is None or fallback is None:
        return "unknown", "the counts cannot be read"
    if fallback:
        return "fallback", f"{fallback} of {whole} input variations fall back"
    if done + removed >= whole > 0:
        return "native", f"{removed} of {whole} input variations removed by fusion" if removed else None
    return "unsupported", f"{done + removed} of {whole} input variations converted"
