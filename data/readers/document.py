"""Turn bytes into text, JSON or tables, whatever tool wrote them, and keep the line numbers.

Nothing here guesses: the delimiter is read off the header line, and the database's own sniffer never sees an upload.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from data.errors import IngestError, Problem
from data.readers.plain_text import is_report

MAX_BYTES = 200_000_000
MAX_COLUMNS = 20_000
MAX_LINES = 3_000_000
DELIMITERS = ",\t;|"
_CONTROL = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_BROKEN_JSON = re.compile(r"\s*(\{\s*[\"}]|\{\s*\Z|\[\s*[{\"\[]|\[\s*\Z)")
_MAX_CELL = 1_000_000
_MAX_OTHERS = 1_000


@dataclass(frozen=True, slots=True)
class Table:
    """Hold one block of delimited text: cells as written, outer spaces removed.

    `lines[i]` is the line on which `rows[i]` begins. `ragged` lists (line, number of cells) of rows that do not have as
    many cells as the header; they are not among `rows`.
    """

    header: tuple[str, ...]
    header_line: int
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    delimiter: str
    ragged: tuple[tuple[int, int], ...] = ()

    @property
    def is_tabular(self) -> bool:
        """Tell whether this looks like a table at all, not like prose that holds a comma."""
        return len(self.header) > 1 and len(self.rows) > 0 and len(self.rows) >= len(self.ragged)


@dataclass(frozen=True, slots=True)
class Document:
    """Hold a decoded file: its text, and either JSON records or tables.

    `records` are the top-level JSON values (one for an object, several for a list or JSON lines), `record_lines` the
    lines they begin on. NaN and Infinity have become None; of a key given twice the last stands. `notes` say which
    parts of an archive or workbook were left out.
    """

    file: str
    text: str
    records: tuple[object, ...] = ()
    record_lines: tuple[int, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[Problem, ...] = ()

    @property
    def objects(self) -> tuple[dict[str, object], ...]:
        """Return the JSON records if every one of them is an object, else nothing."""
        objects = tuple(record for record in self.records if isinstance(record, dict))
        return objects if len(objects) == len(self.records) else ()


def parse(file: str, content: bytes) -> Document:
    """Decode and split `content`; raise IngestError where it is no text, too large, empty or broken JSON."""
    text = _decode(file, gunzip(file, content))
    if not text.strip():
        raise _refuse(file, "empty_file", "The file is empty.", "Export it again.")
    if len(text) > MAX_BYTES:
        raise _too_large(file)
    if is_report(text):
        return Document(file, text)
    records, lines = _json_records(file, text)
    if records:
        return Document(file, text, records, lines)
    return Document(file, text, tables=tuple(_tables(file, text)))


def _refuse(file: str, code: str, message: str, hint: str = "", line: int | None = None) -> IngestError:
    return IngestError([Problem(file, line, None, code, message, hint)])


def _too_large(file: str) -> IngestError:
    return _refuse(
        file, "too_large", f"The file holds more than {MAX_BYTES // 1_000_000} MB.", "Split it, or summarise the runs."
    )


def gunzip(file: str, content: bytes) -> bytes:
    """Return the content, expanded if it is gzip, never beyond the limit: a small file may hold terabytes."""
    if len(content) > MAX_BYTES:
        raise _too_large(file)
    if content[:2] != b"\x1f\x8b":
        return content
    parts: list[bytes] = []
    room, rest = MAX_BYTES + 1, content
    while rest[:2] == b"\x1f\x8b":
        expander = zlib.decompressobj(wbits=31)
        try:
            part = expander.decompress(rest, room)
        except zlib.error as error:
            raise _refuse(
                file, "broken_gzip", f"The gzip data is damaged ({error}).", "Compress the file again."
            ) from error
        parts.append(part)
        room -= len(part)
        if room <= 0:
            raise _too_large(file)
        if not expander.eof:
            raise _refuse(file, "broken_gzip", "The gzip data ends too early.", "Copy or compress the file again.")
        rest = expander.unused_data
    return b"".join(parts)


def _decode(file: str, content: bytes) -> str:
    """Return text without carriage returns and byte-order mark; UTF-8, UTF-16 or, failing both, Latin-1."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif len(content) > 3 and not content[1] and not content[3] and content[0] and content[2]:
        encoding = "utf-16-le"
    elif len(content) > 3 and not content[0] and not content[2] and content[1] and content[3]:
        encoding = "utf-16-be"
    else:
        encoding = "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if _CONTROL.search(text):
        raise _refuse(
            file,
            "binary",
            "This is not a text file: it holds bytes that no text has.",
            "Upload the CSV or JSON that the tool wrote, not a picture, a spreadsheet or an archive of it.",
        )
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _load_json(text: str) -> object:
    return json.loads(text, parse_constant=lambda _: None)


def _json_records(file: str, text: str) -> tuple[tuple[object, ...], tuple[int, ...]]:
    """Return the JSON values and their lines, or nothing where the text is not JSON; raise where it is broken JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return (), ()
    try:
        whole = _load_json(text)
    except RecursionError as error:
        raise _refuse(file, "invalid_json", "The JSON is nested too deeply.") from error
    except ValueError as error:
        records = _json_lines(file, text)
        if records is None:
            if _BROKEN_JSON.match(text) is None:
                return (), ()
            line = error.lineno if isinstance(error, json.JSONDecodeError) else None
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            hint = "A file that was cut off ends like this: copy it again."
            raise _refuse(file, "invalid_json", f"The JSON cannot be read: {reason}.", hint, line) from error
        return tuple(value for _, value in records), tuple(line for line, _ in records)
    if isinstance(whole, list):
        if all(isinstance(value, dict) for value in whole):
            return tuple(whole), _list_lines(text, len(whole))
        whole = whole[:_MAX_OTHERS]  # a list of anything else is no list of records, however long
        return tuple(whole), (1,) * len(whole)
    return (whole,), (1 + text[: len(text) - len(text.lstrip())].count("\n"),)


def _json_lines(file: str, text: str) -> list[tuple[int, object]] | None:
    """Return (line, object) of JSON lines, or None where a line is no JSON object."""
    _check_lines(file, text)
    records: list[tuple[int, object]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = _load_json(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        records.append((number, value))
    return records if len(records) > 1 else None


def _list_lines(text: str, count: int) -> tuple[int, ...]:
    """Return the line on which each element of a JSON list begins."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    skip = re.compile(r"[\s,]*")
    lines: list[int] = []
    line, last, position = 1, 0, text.index("[") + 1
    for _ in range(count):
        match = skip.match(text, position)
        start = match.end() if match else position
        line += text.count("\n", last, start)
        lines.append(line)
        last = start
        _, position = decoder.raw_decode(text, start)
    return tuple(lines)


def _tables(file: str, text: str) -> Iterator[Table]:
    """Yield a table for every block between blank lines that stand outside quotes."""
    _check_lines(file, text)
    block: list[str] = []
    start, open_quote = 1, False
    for number, line in enumerate(text.split("\n"), 1):
        if not open_quote and not line.strip():
            if block:
                yield _table(file, block, start)
            block, start = [], number + 1
            continue
        block.append(line)
        open_quote ^= line.count('"') % 2 == 1
    if block:
        yield _table(file, block, start)


def _check_lines(file: str, text: str) -> None:
    """Refuse what would take gigabytes as a table of cells; large canonical tables do not come this way."""
    lines = text.count("\n")
    if lines > MAX_LINES:
        message = (
            f"The file has {lines:,} lines; {MAX_LINES:,} are read at most, more only of a table in our own columns."
        )
        raise _refuse(file, "too_many_lines", message, "Rename its columns to canonical names, or summarise the runs.")


def _delimiter(header: str) -> str:
    """Return the delimiter that splits the header into most cells; quoted text does not count."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count)


def _table(file: str, block: list[str], start: int) -> Table:
    delimiter = _delimiter(block[0])
    reader = csv.reader(io.StringIO("\n".join(block)), delimiter=delimiter)
    header: tuple[str, ...] | None = None
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    ragged: list[tuple[int, int]] = []
    header_line = line = start
    try:
        for cells in reader:
            row = tuple(map(str.strip, cells))
            if header is None:
                if len(row) > MAX_COLUMNS:
                    message = f"The table has {len(row):,} columns; {MAX_COLUMNS:,} are read at most."
                    raise _refuse(file, "too_many_columns", message, "Check the delimiter, or turn the table.", line)
                header, header_line = row, line
            elif any(row) and row != header:  # files that were appended to repeat their header
                _place(row, line, len(header), rows, lines, ragged)
            line = start + reader.line_num
    except csv.Error as error:
        raise _refuse(file, "broken_table", f"The table cannot be split into cells: {error}.", line=line) from error
    return Table(header or (), header_line, tuple(rows), tuple(lines), delimiter, tuple(ragged))


def _place(
    row: tuple[str, ...],
    line: int,
    width: int,
    rows: list[tuple[str, ...]],
    lines: list[int],
    ragged: list[tuple[int, int]],
) -> None:
    """Put a row where it belongs: empty cells beyond the header are a spreadsheet's, other misfits shift values."""
    if len(row) > width and not any(row[width:]):
        row = row[:width]
    if len(row) != width:
        ragged.append((line, len(row)))
        return
    rows.append(row)
    lines.append(line)


csv.field_size_limit(_MAX_CELL)
