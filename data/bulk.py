"""Large canonical tables, typed by DuckDB's own CSV parser and handed on in batches: never whole in memory.

Only rows without any doubt take this way. A row that the parser cannot type goes through the ordinary reader, and so
does a whole file whose lines and rows are not the same thing (quoted line breaks, blank lines, another encoding).
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data import checks, schema
from data.errors import IngestError, Problem
from data.examine import Examined, Report, capped, check_rows
from data.readers import find, parse
from data.readers.benchmarks import crossover_csv
from data.readers.canonical import canonical
from data.readers.reading import Reading

if TYPE_CHECKING:
    import duckdb

MIN_BYTES = 4_000_000
BATCH_ROWS = 200_000
MAX_ODD_LINES = 20_000
_HEAD_BYTES = 65_536
_CHUNK = 1 << 20
_NULLS = ("", "-", "N/A", "n/a", "NA", "NaN", "nan", "None", "none", "null", "NULL")
_ODD = {"CAST", "MISSING COLUMNS", "TOO MANY COLUMNS"}
_TYPES = {"text": "VARCHAR", "date": "TIMESTAMP", "float": "DOUBLE", "int": "DOUBLE"}


class NotPlainError(Exception):
    """Say that a file has to be read in the ordinary way."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Hold what the head of a file says: its first two lines, its columns by place, and what is remarked about them."""

    file: str
    header: str
    sample: str
    labels: tuple[str, ...]
    delimiter: str
    warnings: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """Hold the hash of a file and how many lines it has."""

    sha256: str
    lines: int


def find_layout(file: str, content: bytes | Path) -> Layout | None:
    """Return the layout of a large canonical table split by commas or tabs, None for any other content."""
    size = content.stat().st_size if isinstance(content, Path) else len(content)
    if size < MIN_BYTES:
        return None
    with _opened(content) as stream:
        head = stream.read(_HEAD_BYTES)
    head = head[: head.rfind(b"\n") + 1]
    try:
        document = parse(file, head)
    except IngestError:
        return None
    tables = document.tables
    if find(document) is not crossover_csv or len(tables) != 1 or tables[0].delimiter not in ",\t":
        return None
    if len(set(tables[0].header)) != len(tables[0].header) or "" in tables[0].header:
        return None
    reading = crossover_csv.read(document)
    if reading.decimal_comma:
        return None
    header, sample = document.text.split("\n", 2)[:2]
    return Layout(file, header, sample, tables[0].header, tables[0].delimiter, reading.warnings)


def digest(content: bytes | Path) -> Digest:
    """Return hash and number of lines, read in pieces."""
    sha256, breaks, last = hashlib.sha256(), 0, b"\n"
    with _opened(content) as stream:
        while chunk := stream.read(_CHUNK):
            sha256.update(chunk)
            breaks += chunk.count(b"\n")
            last = chunk[-1:]
    return Digest(sha256.hexdigest(), breaks + (last != b"\n"))


def _opened(content: bytes | Path) -> io.BufferedIOBase | io.BytesIO:
    return content.open("rb") if isinstance(content, Path) else io.BytesIO(content)


class BulkReader:
    """Read one file in batches; afterwards, `odd_lines` are those it could not type."""

    def __init__(self, layout: Layout, path: Path, lines: int) -> None:
        self.layout = layout
        self.odd_lines: dict[int, str] = {}
        self._path = path
        self._lines = lines
        self._rows = 0

    def batches(self) -> Iterator[Reading]:
        """Yield readings of the rows that are plain; their lines count as if there were no odd ones.

        Raise NotPlainError where the file has to be read in the ordinary way; what was yielded is then void.
        """
        import duckdb  # a file that is only looked at needs no database

        try:
            with duckdb.connect() as connection:
                connection.execute("SET threads = 2")
                stream = connection.sql(self._query()).to_arrow_reader(BATCH_ROWS)
                for batch in stream:
                    if batch.num_rows:
                        yield self._reading(batch)
                self._find_odd_lines(connection)
        except duckdb.Error as error:
            raise NotPlainError(str(error)) from error
        if self._rows + len(self.odd_lines) + 1 != self._lines:
            raise NotPlainError("lines and rows are not the same")

    def true_line(self, line: int) -> int:
        """Return where a row really stands, the odd lines before it counted."""
        return line + int(np.searchsorted(self.starts, line, side="right"))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Return from which line, as counted without odd lines, each odd line shifts all others by one."""
        odd = np.array(sorted(self.odd_lines), dtype=np.int64)
        return odd - np.arange(len(odd), dtype=np.int64)

    def odd_document(self) -> bytes:
        """Return the odd lines as a table of their own, below the first row of the file, which shows that it is one."""
        return "\n".join(
            [self.layout.header, self.layout.sample, *(self.odd_lines[line] for line in sorted(self.odd_lines))]
        ).encode()

    def _query(self) -> str:
        known = schema.BY_NAME[crossover_csv.KIND]
        names = [canonical(label) for label in self.layout.labels]
        types = {f"c{i}": _TYPES[known[n].dtype] if n in known else "VARCHAR" for i, n in enumerate(names)}
        columns = ", ".join(f"'{name}': '{dtype}'" for name, dtype in types.items())
        nulls = ", ".join(f"'{word}'" for word in _NULLS)
        path = str(self._path).replace("'", "''")
        kept = ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(names) if name in known)
        return (
            f"SELECT {kept} FROM read_csv('{path}', auto_detect=false, header=true, delim='{self.layout.delimiter}', "
            f"quote='\"', escape='\"', columns={{{columns}}}, nullstr=[{nulls}], store_rejects=true, rejects_limit=0)"
        )

    def _reading(self, batch: Any) -> Reading:
        """Return a batch as a reading; texts as categories, for they repeat."""
        known = schema.BY_NAME[crossover_csv.KIND]
        columns = {}
        for name, values in zip(batch.schema.names, batch.columns, strict=True):
            column = values.dictionary_encode() if known[name].dtype == "text" else values
            columns[name] = column.to_pandas()
        first = self._rows + 2  # the header is line 1
        self._rows += batch.num_rows
        return Reading(pd.DataFrame(columns), tuple(range(first, first + batch.num_rows)))

    def _find_odd_lines(self, connection: duckdb.DuckDBPyConnection) -> None:
        rows = connection.execute("SELECT DISTINCT line, csv_line, error_type::VARCHAR FROM reject_errors").fetchall()
        if {kind for _, _, kind in rows} - _ODD or len({line for line, _, _ in rows}) > MAX_ODD_LINES:
            raise NotPlainError("too many lines are odd, or odd in another way")
        self.odd_lines = {int(line): str(text).rstrip("\r\n") for line, text, _ in rows}


class Sink(Protocol):
    """Take what was read into a store."""

    def insert(self, frame: pd.DataFrame) -> None:
        """Insert checked rows."""

    def move_lines(self, shifts: pd.DataFrame) -> None:
        """Add `shift` to the lines from `start` on and before `end`."""


def examine_batches(report: Report, reader: BulkReader, said: dict[str, object], sink: Sink) -> Examined:
    """Check a file batch by batch into the sink; return its report as if it had been read as a whole.

    Raise NotPlainError where it has to be: what the sink has taken is then void.
    """
    remarks, parts = checks.Remarks(), []
    for reading in reader.batches():
        part = check_rows(report.file, report.kind, reading, said, remarks)
        sink.insert(part.frame)
        parts.append(replace(part, frame=part.frame.head(0)))
    loaded = sum(part.read - part.refused for part in parts)
    problems = [_moved(problem, reader) for part in parts for problem in part.problems]
    if reader.odd_lines:
        sink.move_lines(_shifts(reader.starts))
        remarks.move(reader.true_line)
        odd = check_rows(report.file, report.kind, _odd_reading(report.file, reader), said, remarks)
        sink.insert(odd.frame)
        loaded += len(odd.frame)
        problems += odd.problems
        parts.append(odd)
    if not any(part.read for part in parts):
        raise NotPlainError("it has no rows")
    report = replace(
        report,
        rows_read=sum(part.read for part in parts),
        rows_loaded=loaded,
        rows_refused=sum(part.refused for part in parts),
        needs=tuple(dict.fromkeys(need for part in parts for need in part.needs)),
        problems=capped(report.file, problems),
        warnings=(*reader.layout.warnings, *remarks.problems(report.file)),
    )
    provenance = {name: origin for part in reversed(parts) for name, origin in part.provenance.items()}
    return Examined(report, parts[-1].frame.head(0), said, provenance)


def _odd_reading(file: str, reader: BulkReader) -> Reading:
    """Return the odd lines as the ordinary reader reads them, each at its line in the file."""
    document = parse(file, reader.odd_document())
    if len(document.tables) != 1 or not document.tables[0].is_tabular:
        raise NotPlainError("the odd lines are no table")
    reading = crossover_csv.read(document)
    if reading.lines[0] != 2:
        raise NotPlainError("the first row is odd itself")
    places = dict(enumerate(sorted(reader.odd_lines), 3))  # line 1 is the header, line 2 the first row
    return replace(
        reading,
        frame=reading.frame.iloc[1:].reset_index(drop=True),
        lines=tuple(places[line] for line in reading.lines[1:]),
        problems=tuple(replace(p, line=places.get(p.line or 0, p.line)) for p in reading.problems),
    )


def _moved(problem: Problem, reader: BulkReader) -> Problem:
    """Return a problem at the line that is meant, the odd lines before it counted."""
    if problem.line is None or not reader.odd_lines:
        return problem
    return replace(problem, line=reader.true_line(problem.line))


def _shifts(starts: NDArray[np.int64]) -> pd.DataFrame:
    """Return start, end and shift of the stretches of lines between odd ones."""
    first = np.unique(starts)
    ends = np.append(first[1:], np.iinfo(np.int64).max)
    return pd.DataFrame({"start": first, "end": ends, "shift": np.searchsorted(starts, first, side="right")})


@contextmanager
def spooled(content: bytes | Path) -> Iterator[Path]:
    """Give a path to the content: its own, or that of a temporary file."""
    if isinstance(content, Path):
        yield content
        return
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(content)
        file.flush()
        yield Path(file.name)
