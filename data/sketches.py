"""A first look at a table that no reader knows: its columns, what they seem to mean, and what a mapping makes of it.

Only the first rows are kept, so that every change of a mapping can be shown at once, however large the file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from data.errors import IngestError
from data.examine import Report, examine_document, records
from data.readers import Document, find, parse
from data.readers.guesses import Guess, guess
from data.readers.mapped import ColumnMapping, Meaning, table

_ROWS = 200


@dataclass(frozen=True, slots=True)
class Sketch:
    """Hold the first rows of an unknown table, how many there are in all, and a guess for each column."""

    file: str
    sha256: str
    rows: int
    guesses: tuple[Guess, ...]
    head: Document

    def guessed(self) -> ColumnMapping:
        """Return the guesses as a mapping; what is not known of a column is left open in it."""
        return ColumnMapping({guess.label: Meaning(guess.name, guess.unit) for guess in self.guesses if guess.name})


def sketch(name: str, content: bytes) -> Sketch | None:
    """Return a sketch of a file, None where a reader knows it or where it is not one table."""
    try:
        document = parse(name, content)
    except IngestError:
        return None
    if find(document) is not None:
        return None
    head = _first_rows(document)
    cells = table(head)
    if cells is None:
        return None
    rows = len(document.records) or max(len(found.rows) for found in document.tables)
    return Sketch(name, hashlib.sha256(content).hexdigest(), rows, guess(cells), head)


def preview(sketch: Sketch, mapping: ColumnMapping) -> Report:
    """Return what a mapping makes of the first rows: canonical rows, refusals, warnings. Nothing is stored."""
    examined = examine_document(Report(sketch.file, sketch.sha256), sketch.head, {}, lambda _: mapping)
    return replace(examined.report, rows=records(examined.frame))


def _first_rows(document: Document) -> Document:
    return replace(
        document,
        records=document.records[:_ROWS],
        record_lines=document.record_lines[:_ROWS],
        tables=tuple(
            replace(found, rows=found.rows[:_ROWS], lines=found.lines[:_ROWS], ragged=found.ragged[:_ROWS])
            for found in document.tables
        ),
    )
