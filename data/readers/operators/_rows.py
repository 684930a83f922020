"""What most readers of operator files share: rows with their lines, warnings, markdown tables, places in code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.reading import Reading

_MAX_WORDS = 300
_RULE = re.compile(r":?-{2,}:?")
_FRAME = re.compile(r"""([^\s/\\"'():]+\.pyx?)(?:", line |\(|:| )(\d+)""")


@dataclass(slots=True)
class Rows:
    """Collect canonical rows, the line each begins on, and what the user should know."""

    file: str
    cells: list[dict[str, object]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def add(self, line: int, **cells: object) -> dict[str, object]:
        """Add a row under canonical names and return it, to be completed while the file is read."""
        for name in ("reason", "blocker"):
            if isinstance(text := cells.get(name), str) and len(text) > _MAX_WORDS:
                cells[name] = text[:_MAX_WORDS] + "…"
        self.cells.append(cells)
        self.lines.append(line)
        return cells

    def warn(self, code: str, message: str, hint: str = "", line: int | None = None) -> None:
        """Add a warning about the file."""
        self.warnings.append(Problem(self.file, line, None, code, message, hint))

    def reading(self) -> Reading:
        """Return the rows as a reading; columns that no row has are left to the checks."""
        frame = pd.DataFrame(self.cells, dtype=object)
        frame = frame.where(frame.notna(), None)
        return Reading(frame, tuple(self.lines), problems=tuple(self.problems), warnings=tuple(self.warnings))


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """Hold a table of a markdown text: cells without outer spaces, and the lines they stand on."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a text with its number."""
    return enumerate(text.split("\n"), 1)


def markdown_tables(text: str) -> Iterator[MarkdownTable]:
    """Yield the tables of a markdown text: a header, a rule, rows of as many cells."""
    header: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    ruled = False
    for number, line in numbered(text + "\n"):
        cells = _cells(line)
        if not cells:
            if ruled:
                yield MarkdownTable(header, tuple(rows), tuple(lines))
            header, rows, lines, ruled = (), [], [], False
        elif not ruled:
            ruled = bool(header) and len(cells) == len(header) and all(_RULE.fullmatch(cell) for cell in cells)
            header = header if ruled else cells
        elif len(cells) == len(header) or (len(cells) > len(header) and not any(cells[len(header) :])):
            rows.append(cells[: len(header)])
            lines.append(number)


def _cells(line: str) -> tuple[str, ...]:
    line = line.strip()
    if not line.startswith("|") or len(line) > 20_000:
        return ()
    return tuple(cell.strip() for cell in line.removesuffix("|")[1:].split("|"))


def user_code(text: object) -> str | None:
    """Return file:line of the innermost frame outside installed packages, without its folder; None where there is none.

    Innermost is the first in `test.py(6): f` lists and the last in Python's own `File "…", line 6` ones.
    """
    frames = [line for line in str(text or "").split("\n") if "-packages" not in line]
    found = [match for line in frames if len(line) < 2_000 and (match := _FRAME.search(line))]
    if not found:
        return None
    match = found[-1 if 'File "' in str(text) else 0]
    return f"{match[1]}:{match[2]}"


def shortened(names: list[str], limit: int = 5) -> str:
    """Return a list of names for a message, the first few of them."""
    return ", ".join(names[:limit]) + (" …" if len(names) > limit else "")


def malformed(file: str, what: str, hint: str = "Export the report again.", line: int | None = None) -> IngestError:
    """Return the refusal of a file whose parts are not what the format says."""
    return IngestError([Problem(file, line, None, "bad_schema", what, hint)])
