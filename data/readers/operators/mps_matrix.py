"""The «MPS Support Matrix» page: kernels registered for Apple's MPS, and in which release of PyTorch.

It lists kernels, structured operators only as `.out`: what is absent may still work, so absence says nothing.
"""

from __future__ import annotations

import html
import re

from data.readers.document import Document
from data.readers.operators import aten_name
from data.readers.operators._rows import Rows, malformed
from data.readers.reading import Reading

ID = "mps-matrix"
KIND = "operators"
_TITLE = "MPS Support Matrix"
_CELL = re.compile(r"<t[hd]\b[^>]{0,300}>([^<]*)")
_RELEASE = re.compile(r"In v(\d+(?:\.\d+)+)")
_STATUS = {"true": "native", "false": "unsupported"}


def recognise(document: Document) -> bool:
    """Tell whether this is an HTML page with that title."""
    return f"<title>{_TITLE}</title>" in document.text[:10_000]


def read(document: Document) -> Reading:
    """Return a status row for each table row, with the release from the column's heading."""
    rows = Rows(document.file)
    line, version = 1, None
    last = 0
    positions = [match.start() for match in re.finditer(r"<tr\b", document.text)]
    for start, end in zip(positions, [*positions, len(document.text)][1:], strict=True):
        line, last = line + document.text.count("\n", last, start), start
        cells = [html.unescape(cell).strip() for cell in _CELL.findall(document.text, start, end)]
        if version is None and (found := next(filter(None, map(_RELEASE.fullmatch, cells)), None)):
            version, column, width = found[1], cells.index(found[0]), len(cells)
        elif version is not None and len(cells) == width and cells[0]:
            status = _STATUS.get(cells[column].lower(), "unknown")
            rows.add(
                line,
                operator=aten_name(cells[0]),
                role="status",
                status=status,
                backend="mps",
                version=version,
                reason=_reason(status, version, cells[3:]),
            )
    if version is None:
        raise malformed(document.file, "No column of the matrix is headed «In v…» and a release.")
    _warn(rows, version)
    return rows.reading()


def _reason(status: str, version: str, notes: list[str]) -> str | None:
    said = [f"not in the release {version}"] if status == "unsupported" else []
    if notes and notes[0] not in ("", "N/A"):
        said.append(f"from macOS {notes[0]}")
    said += [note for note in notes[1:] if note not in ("", "N/A")]
    return "; ".join(said) or None


def _warn(rows: Rows, version: str) -> None:
    absent = sum(row["status"] == "unsupported" for row in rows.cells)
    limited = sum(row["status"] == "native" and row["reason"] is not None for row in rows.cells)
    rows.warn(
        "list_of_kernels",
        "It lists registered kernels, structured operators only as «.out»: what is absent is unknown, not unsupported.",
    )
    if absent:
        rows.warn("not_in_release", f"{absent} rows are not in the release {version}.")
    if limited:
        rows.warn("conditions", f"{limited} rows hold under a condition, for instance from a version of macOS.")
