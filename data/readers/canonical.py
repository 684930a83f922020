"""What the two canonical formats share: headers are canonical names, in any order and letter case."""

from __future__ import annotations

from data import schema
from data.errors import Problem
from data.readers.document import Document
from data.readers.reading import Reading, check_headers, grid, headers, ragged_problems


def canonical(name: str) -> str:
    """Return a header as a canonical name would be written."""
    return "_".join(name.strip().lower().split())


def recognise(document: Document, kind: str, telling: frozenset[str]) -> bool:
    """Tell whether most headers are canonical and at least one is `telling`: a name that no other tool uses."""
    found = [canonical(name) for name in headers(document) if name]
    known = schema.BY_NAME[kind]
    return bool(telling.intersection(found)) and 2 * sum(name in known for name in found) >= len(found)


def read(document: Document, kind: str) -> Reading:
    """Return the rows of a canonical file; columns of unknown name are left out, with a warning."""
    cells = grid(document)
    assert cells is not None  # recognise() has seen a grid
    frame = cells.frame.rename(columns=lambda label: canonical(str(label)))
    cells = type(cells)(frame, cells.lines, cells.header_line, cells.decimal_comma, cells.ragged, cells.width)
    warnings = check_headers(document.file, cells)
    known = schema.BY_NAME[kind]
    for name in map(str, frame.columns):
        if name and name not in known:
            hint = schema.did_you_mean(name, known) or "Rename it to a canonical name if it should be read."
            message = f"The column «{name}» is not known and is left out."
            warnings.append(Problem(document.file, cells.header_line, name, "unknown_column", message, hint))
    kept = [name for name in frame.columns if name in known]
    return Reading(
        frame[kept],
        cells.lines,
        problems=ragged_problems(document.file, cells),
        warnings=tuple(warnings),
        decimal_comma=cells.decimal_comma,
        unreadable=len(cells.ragged),
    )
