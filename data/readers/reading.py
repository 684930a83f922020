"""What a reader gives back, and the grid of cells that most readers start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import Refusal, has_decimal_comma
from data.readers.document import Document, Table


@dataclass(frozen=True, slots=True)
class Grid:
    """Hold cells as written under the file's own headers; the index counts from 0, `lines` says where rows begin."""

    frame: pd.DataFrame
    lines: tuple[int, ...]
    header_line: int | None
    decimal_comma: bool = False
    ragged: tuple[tuple[int, int], ...] = ()
    width: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold what a reader made of a document.

    `frame` has canonical names, one row a run or an operator, cells as read (text, number or None), index counting from
    0; `lines[i]` is the line of row i. `headers` maps canonical names to the file's own. `provenance` names the
    columns that the reader derived. `unreadable` counts rows that never made it into the frame.
    """

    frame: pd.DataFrame
    lines: tuple[int, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)
    decimal_comma: bool = False
    unreadable: int = 0


def grid(document: Document) -> Grid | None:
    """Return the one table, or the list of flat JSON objects, that a document holds; None for anything else."""
    if document.objects:
        frame = pd.DataFrame(list(document.objects), dtype=object)
        frame = frame.where(frame.notna(), None)
        return Grid(frame, document.record_lines, None, width=frame.shape[1])
    table = _only_table(document)
    return _from_table(table) if table is not None else None


def headers(document: Document) -> frozenset[str]:
    """Return the headers or JSON keys by which a reader recognises its format; empty where there is no grid."""
    if document.objects:
        return frozenset().union(*document.objects[:50])
    table = _only_table(document)
    return frozenset(table.header) if table is not None else frozenset()


def _only_table(document: Document) -> Table | None:
    """Return the one table of a document, None where there are several; a line of one cell is a title, not a table."""
    tables = [table for table in document.tables if table.rows or table.ragged or sum(map(bool, table.header)) > 1]
    return tables[0] if len(tables) == 1 and tables[0].is_tabular else None


def ragged_problems(file: str, grid: Grid) -> tuple[Problem, ...]:
    """Return a problem for each row that has more or fewer cells than the header."""
    hint = "A delimiter is missing or too many, or the file was cut off: the values would shift."
    return tuple(
        Problem(file, line, None, "wrong_cell_count", f"The row has {count} cells, the header {grid.width}.", hint)
        for line, count in grid.ragged
    )


def _from_table(table: Table) -> Grid:
    columns = list(zip(*table.rows, strict=True))
    # A header given twice keeps its second column under a name of its own, so that nothing is overwritten.
    first = {name: i for i, name in reversed(list(enumerate(table.header)))}
    names = [name if first[name] == i else f"{name}\0{i}" for i, name in enumerate(table.header)]
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)), dtype=object)
    comma = _comma(table)
    return Grid(frame, table.lines, table.header_line, comma, table.ragged, len(table.header))


def _comma(table: Table) -> bool:
    sample = [cell for row in table.rows[:1000] for cell in row if cell]
    return has_decimal_comma(sample, table.delimiter)


def check_headers(file: str, grid: Grid) -> list[Problem]:
    """Raise IngestError where a header stands twice; return a warning for each column of values without a header."""
    warnings: list[Problem] = []
    for position, label in enumerate(map(str, grid.frame.columns), 1):
        name = label.split("\0")[0]
        if name and name != label:
            message = f"The header «{name}» stands twice, the second time over column {position}."
            hint = "Rename or remove one: which of them is meant cannot be guessed."
            raise IngestError([Problem(file, grid.header_line, name, "duplicate_header", message, hint)])
        if not name and (grid.frame[label].fillna("") != "").any():
            example = next(cell for cell in grid.frame[label] if cell)
            message = f"Column {position} has values (first «{example}») but no header; it is left out."
            warnings.append(
                Problem(file, grid.header_line, None, "empty_header", message, "Name the column if it is meant.")
            )
    return warnings
