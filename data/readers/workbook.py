"""Read the sheets of an .xlsx workbook as CSV text, with bounded time and memory.

A workbook is a zip of XML. The XML goes through an event parser that builds no tree and refuses document types, so
nothing in it can grow: only values are kept, and they are counted. Formulas count by their stored results.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from xml.parsers import expat

Read = Callable[[str], bytes | None]
"""Return the content of a part of the workbook, None where there is none."""

MAX_CELLS = 500_000
MAX_TEXT = 50_000_000
_MAX_COLUMNS = 16_384
_MAX_DEPTH = 50
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_DATE_FORMATS = {*range(14, 23), *range(45, 48)}
_NOT_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|General', re.IGNORECASE)
_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}


class WorkbookError(Exception):
    """Report that a workbook cannot be read; the message is written for a user."""


@dataclass(slots=True)
class _Book:
    """Hold what the sheets refer to."""

    strings: list[str] = field(default_factory=list)
    date_styles: set[str] = field(default_factory=set)
    from_1904: bool = False


def sheets(read: Read) -> list[tuple[str, str]]:
    """Return name and CSV text of each visible sheet that holds anything; row n stands on line n."""
    names, book = _contents(read)
    found = []
    for name, part in names:
        content = read(part)
        if content is not None:
            text = _csv(_Sheet(book).parse(content))
            if text:
                found.append((name, text))
    return found


def _walk(content: bytes, start: Callable[[str, dict[str, str]], None], end: Callable[[str, str], None]) -> None:
    """Call `start` with name and attributes of each element, `end` with its name and the text directly before it."""
    parser = expat.ParserCreate()
    text: list[str] = []
    depth = 0

    def on_start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise WorkbookError("The workbook's XML is nested deeper than a spreadsheet's.")
        text.clear()
        start(name.rpartition(":")[2], attributes)

    def on_end(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2], "".join(text))
        text.clear()

    def on_doctype(*_: object) -> None:
        raise WorkbookError("The workbook's XML declares a document type, which no spreadsheet does.")

    parser.StartElementHandler = on_start
    parser.EndElementHandler = on_end
    parser.CharacterDataHandler = text.append
    parser.StartDoctypeDeclHandler = on_doctype
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise WorkbookError(f"The workbook's XML is damaged ({error}).") from error


def _contents(read: Read) -> tuple[list[tuple[str, str]], _Book]:
    """Return (name, part) of the visible sheets in order, and what they refer to."""
    book = _Book()
    listed: list[tuple[str, str]] = []
    targets: dict[str, str] = {}

    def in_workbook(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet" and attributes.get("state", "visible") == "visible":
            reference = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "id"), "")
            listed.append((attributes.get("name", "sheet"), reference))
        elif name == "workbookPr":
            book.from_1904 = attributes.get("date1904") in ("1", "true")

    def in_relations(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _walk(read("xl/workbook.xml") or b"<workbook/>", in_workbook, _ignore)
    _walk(read("xl/_rels/workbook.xml.rels") or b"<Relationships/>", in_relations, _ignore)
    book.strings = _strings(read("xl/sharedStrings.xml"))
    book.date_styles = _date_styles(read("xl/styles.xml"))
    return [(name, _part(targets.get(reference, ""))) for name, reference in listed], book


def _ignore(name: str, text: str) -> None:
    """Do nothing at the end of an element."""


def _part(target: str) -> str:
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _strings(content: bytes | None) -> list[str]:
    """Return the shared strings; how a word is pronounced is no part of it."""
    found: list[str] = []
    parts: list[str] = []
    phonetic = False

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal phonetic
        if name == "si":
            parts.clear()
        elif name == "rPh":
            phonetic = True

    def end(name: str, text: str) -> None:
        nonlocal phonetic
        if name == "t" and not phonetic:
            parts.append(text)
        elif name == "rPh":
            phonetic = False
        elif name == "si":
            found.append("".join(parts))

    if content is not None:
        _walk(content, start, end)
    return found


def _date_styles(content: bytes | None) -> set[str]:
    """Return the numbers of the cell styles that show a number as a date or a time."""
    formats: dict[str, str] = {}
    styles: list[str] = []
    inside = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        if name == "numFmt":
            formats[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            styles.append(attributes.get("numFmtId", "0"))

    def end(name: str, _: str) -> None:
        nonlocal inside
        if name == "cellXfs":
            inside = False

    if content is not None:
        _walk(content, start, end)

    def is_date(number: str) -> bool:
        if number in formats:
            return re.search(r"[ymdhs]", _NOT_DATE.sub("", formats[number]), re.IGNORECASE) is not None
        return number.isdecimal() and len(number) < 4 and int(number) in _DATE_FORMATS

    dates = {number for number in set(styles) if is_date(number)}
    return {str(place) for place, number in enumerate(styles) if number in dates}


class _Sheet:
    """Collect the cells of one sheet: row → column → text."""

    def __init__(self, book: _Book) -> None:
        self.book = book
        self.rows: dict[int, dict[int, str]] = {}
        self.row = self.column = self.cells = self.text = 0
        self.kind, self.style, self.value, self.formula = "n", "", "", ""

    def parse(self, content: bytes) -> dict[int, dict[int, str]]:
        """Return the cells of a sheet's XML."""
        _walk(content, self._start, self._end)
        return self.rows

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            number = attributes.get("r", "")
            self.row = int(number) if number.isdecimal() and len(number) < 8 else self.row + 1
            self.column = 0
        elif name == "c":
            place = _CELL.fullmatch(attributes.get("r", ""))
            self.column = _column(place[1]) if place else self.column + 1
            self.kind, self.style = attributes.get("t", "n"), attributes.get("s", "")
            self.value = self.formula = ""

    def _end(self, name: str, text: str) -> None:
        if name == "v":
            self.value = text
        elif name == "t":
            self.value += text
        elif name == "f":
            self.formula = f"={text}"
        elif name == "c":
            shown = self._shown()
            if shown:
                self.cells += 1
                self.text += len(shown)  # a long text may be shared by many cells
                if self.cells > MAX_CELLS or self.text > MAX_TEXT or self.column > _MAX_COLUMNS:
                    raise WorkbookError(f"A sheet has more than {MAX_CELLS:,} cells, or more text than a table has.")
                self.rows.setdefault(self.row, {})[self.column] = shown

    def _shown(self) -> str:
        """Return the text of the cell; a formula without a stored result shows itself, so that it is not lost."""
        value = self.value.strip() if self.kind not in ("inlineStr", "str") else self.value
        if not value:
            return self.formula
        if self.kind == "s":
            known = value.isdecimal() and len(value) < 9 and int(value) < len(self.book.strings)
            if not known:
                raise WorkbookError("A cell of the workbook refers to a text that is not there.")
            return self.book.strings[int(value)]
        if self.kind == "b":
            return "true" if value == "1" else "false"
        if self.kind == "n" and self.style in self.book.date_styles:
            return _date(value, self.book.from_1904)
        return value


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _date(value: str, from_1904: bool) -> str:
    try:
        return (_EPOCHS[from_1904] + timedelta(days=float(value))).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return value


def _csv(rows: dict[int, dict[int, str]]) -> str:
    """Return CSV with empty lines for empty rows; rows between two of those are as wide as the widest of them."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    filled, last = 0, 0
    block: list[int] = []
    for row in [*sorted(rows), 0]:
        if block and row != block[-1] + 1:
            width = max(max(rows[number]) for number in block)
            filled += width * len(block)
            if filled > 10 * MAX_CELLS:
                raise WorkbookError("A sheet of the workbook is wide and almost empty.")
            out.write("\n" * (block[0] - last - 1))
            for number in block:
                writer.writerow([" ".join(rows[number].get(i, "").splitlines()) for i in range(1, width + 1)])
            last, block = block[-1], []
        block.append(row)
    return out.getvalue()
