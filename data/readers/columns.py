"""From a tool's own headers to canonical columns: a reader lists labels, this module reads units off the headers.

A field is (label, canonical name, scale). Of several fields with the same canonical name the first that is there
counts; of several with the same label the one whose scale knows the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import Refusal, numbers, show
from data.readers.document import Document, Table
from data.readers.reading import Grid, Reading, check_headers, grid, headers, ragged_problems

_MAX_HEADERS = 2_000  # no tool writes more, and every reader looks at each
_UNIT = re.compile(r"(.+?)\s*\(([^()]*)\)\s*[.:]?\s*", re.DOTALL)
_BREAK = re.compile(r"(?:[\s_:-]|\.(?!\d))+")
_MARKUP = (
    (re.compile(r":[\w-]+(?::[\w-]+)?:`([^`<>]*?)\s*(?:<[^`<>]*>)?`"), r"\1"),  # :role:`text <target>`
    (re.compile(r"`([^`<>]*?)\s*(?:<[^`<>]*>)?`_{0,2}"), r"\1"),  # `text <target>`_ and `code`
    (re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)"), r"\1"),  # [text](target)
    (re.compile(r"\*\*([^*]+)\*\*"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>]*>"), " "),
)


@dataclass(frozen=True, slots=True)
class Scale:
    """Turn a unit as written into the canonical one; «» stands for no unit, where the format itself fixes it.

    A header with another unit refuses the file where `strict`; else the column is not the one that is meant.
    """

    factors: Mapping[str, float]
    strict: bool = True


def _per_second(*things: str, short: Iterable[str] = ()) -> Scale:
    spellings = dict.fromkeys(short, 1.0)
    for thing in ("", *things):
        for word, factor in (("s", 1), ("sec", 1), ("second", 1), ("min", 1 / 60), ("minute", 1 / 60)):
            spellings |= {f"{thing}/{word}": factor, f"{thing} per {word}".strip(): factor}
    return Scale(spellings)


def fixed(factor: float = 1.0, stated: Scale | None = None) -> Scale:
    """Return the scale of a column whose unit the format fixes where its header states none."""
    return Scale({"": factor} | (dict(stated.factors) if stated else {}), strict=stated is not None)


_IN_MS = {
    1.0: ("ms", "msec", "millisecond", "milliseconds"),
    1e3: ("s", "sec", "secs", "second", "seconds"),
    1e-3: ("us", "µs", "μs", "usec", "microsecond", "microseconds"),
    1e-6: ("ns", "nsec", "nanosecond", "nanoseconds"),
}
MS = Scale({word: factor for factor, words in _IN_MS.items() for word in words})
SECONDS = Scale({unit: factor / 1e3 for unit, factor in MS.factors.items()})
TOKENS = _per_second("token", "tokens", "tok", "toks", "t")
REQUESTS = _per_second("request", "requests", "req", "reqs", "r", "query", "queries", short=("rps", "qps"))
SAMPLES = _per_second("inference", "inferences", "infer", "inf", "sample", "samples", "image", "images")
SEQUENCES = _per_second("sequence", "sequences", "seq", "seqs")
COUNT = Scale(dict.fromkeys(("", "token", "tokens", "request", "requests", "count", "#"), 1.0), strict=False)
TEXT = None
Field = tuple[str, str, Scale | None]

STATISTICS = {"mean": "mean", "avg": "mean", "average": "mean", "median": "p50"} | {
    f"p{level}": f"p{level}" for level in (50, 90, 95, 99)
}
"""How tools write a statistic → how the canonical names do."""


def spread(pattern: str, name: str, scale: Scale) -> tuple[Field, ...]:
    """Return a field for each statistic, put into the label where `pattern` has {}."""
    return tuple((pattern.format(word), f"{name}_{statistic}", scale) for word, statistic in STATISTICS.items())


def plain(text: str) -> str:
    """Return text without the markup of reStructuredText, Markdown or HTML."""
    if any(mark in text for mark in "`*<["):
        for pattern, kept in _MARKUP:
            text = pattern.sub(kept, text)
    return " ".join(text.split())


def label(text: str) -> str:
    """Return a header in the form in which fields are listed: lower case, words parted by single spaces."""
    return _BREAK.sub(" ", text).strip().casefold()


def split(header: str) -> tuple[str, str]:
    """Return label and unit of a header such as « Performance [seq/sec]»."""
    text = plain(header).replace("[", "(").replace("]", ")")
    match = _UNIT.fullmatch(text)
    if match is None:
        return label(text), ""
    return label(match[1]), re.sub(r"\s*/\s*", "/", " ".join(match[2].casefold().split()))


def labels(document: Document) -> frozenset[str]:
    """Return the labels by which a reader recognises its format; empty where there is no grid."""
    found = headers(document)
    return frozenset(split(header)[0] for header in found) if len(found) <= _MAX_HEADERS else frozenset()


def factor_of(file: str, header: str, unit: str, scale: Scale, line: int | None) -> float:
    """Return the factor of a stated unit; raise IngestError where the scale does not know it."""
    if unit in scale.factors:
        return scale.factors[unit]
    known = ", ".join(word for word in list(scale.factors)[:6] if word)
    message = f"The unit of {show(header)} is {'not known' if unit else 'not stated'}."
    raise IngestError([Problem(file, line, header, "unknown_unit", message, f"Known are {known} …")])


def resolve(
    file: str, found: Sequence[str], fields: Sequence[Field], line: int | None
) -> dict[str, tuple[str, float | None]]:
    """Return canonical name → (header, factor; None for text); raise IngestError where a unit is not known."""
    parts: dict[str, list[tuple[str, str]]] = {}
    for header in found[:_MAX_HEADERS]:
        word, unit = split(header.split("\0")[0])
        parts.setdefault(word, []).append((header, unit))
    resolved: dict[str, tuple[str, float | None]] = {}
    unknown: dict[str, tuple[str, Scale]] = {}
    understood: set[str] = set()
    for word, name, scale in fields:
        for header, unit in parts.get(word, ()):
            if header in understood:
                continue
            if scale is None or unit in scale.factors:
                understood.add(header)
                resolved.setdefault(name, (header, None if scale is None else scale.factors[unit]))
            elif scale.strict:
                unknown.setdefault(header, (unit, scale))
    for header, (unit, scale) in unknown.items():
        if header not in understood:
            factor_of(file, header, unit, scale, line)
    return resolved


@dataclass(slots=True)
class Columns:
    """Collect the canonical columns of one grid while a reader works on it."""

    file: str
    tool: str
    cells: Grid
    frame: pd.DataFrame
    headers: dict[str, str]
    warnings: list[Problem]
    refusals: list[Refusal]
    derived: set[str] = field(default_factory=set)

    def other(self, *wanted: str) -> pd.Series | None:
        """Return the plain texts of the first column with one of these labels."""
        for header in map(str, self.cells.frame):
            if split(header)[0] in wanted:
                return texts(self.cells.frame[header])
        return None

    def derive(self, name: str, values: pd.Series | Sequence[object]) -> None:
        """Add a column that follows from others, or fill its gaps."""
        column = pd.Series(values, index=self.frame.index, dtype=None if isinstance(values, pd.Series) else object)
        self.frame[name] = (
            column if name not in self.frame else self.frame[name].where(self.frame[name].notna(), column)
        )
        self.derived.add(name)

    def keep(self, rows: Sequence[int]) -> None:
        """Keep these rows only, counted from 0, and what was found about them."""
        places = {row: place for place, row in enumerate(rows)}
        self.frame = self.frame.iloc[list(rows)].reset_index(drop=True)
        cells = self.cells.frame.iloc[list(rows)].reset_index(drop=True)
        self.cells = replace(self.cells, frame=cells, lines=tuple(self.cells.lines[row] for row in rows))
        self.refusals = [replace(r, position=places[r.position]) for r in self.refusals if r.position in places]

    def means(self) -> None:
        """Derive mean lengths of a request where the totals and the completed requests are known."""
        for name, total in (("input_tokens", "total_input_tokens"), ("output_tokens", "total_output_tokens")):
            if name not in self.frame and {total, "completed"} <= set(self.frame):
                completed = self.frame["completed"]
                self.derive(name, (self.frame[total] / completed.where(completed > 0)).round(2))

    def warn(self, code: str, message: str, hint: str = "", column: str | None = None, row: int | None = None) -> None:
        """Add a warning; `row` counts from 0."""
        line = None if row is None else self.cells.lines[row]
        self.warnings.append(Problem(self.file, line, column, code, message, hint))

    def reading(self) -> Reading:
        """Return what was collected."""
        self.frame["tool"] = pd.Series(self.tool, index=self.frame.index, dtype=object)
        return Reading(
            self.frame,
            self.cells.lines,
            headers=self.headers,
            problems=ragged_problems(self.file, self.cells),
            warnings=tuple(self.warnings),
            refusals=tuple(self.refusals),
            provenance=dict.fromkeys(self.derived, "derived"),
            unreadable=len(self.cells.ragged),
        )


def first(rows: pd.Series) -> int:
    """Return the place of the first true row."""
    return int(rows.to_numpy().argmax())


def texts(values: pd.Series) -> pd.Series:
    """Return a column with markup removed from its texts."""
    return pd.Series([plain(cell) if isinstance(cell, str) else cell for cell in values], values.index, dtype=object)


def read_columns(document: Document, tool: str, fields: Sequence[Field]) -> Columns:
    """Return the columns of a document's one grid that `fields` name, numbers in canonical units."""
    cells = grid(document)
    assert cells is not None  # recognise() has seen a grid
    warnings = check_headers(document.file, cells)
    found: dict[str, pd.Series] = {}
    refusals: list[Refusal] = []
    resolved = resolve(document.file, list(map(str, cells.frame)), fields, cells.header_line)
    for name, (header, factor) in resolved.items():
        found[name] = texts(cells.frame[header])
        if factor is not None:
            values, refused = numbers(found[name], name, cells.decimal_comma)
            found[name] = values if factor == 1 else values * factor
            refusals += refused
    frame = pd.DataFrame(found, index=cells.frame.index)
    names = {name: header for name, (header, _) in resolved.items()}
    return Columns(document.file, tool, cells, frame, names, warnings, refusals)


def turned(table: Table) -> Table:
    """Return a table whose first column holds the labels as one whose header does: a row for each other column."""
    kept = [row for row in table.rows if any(row[1:])]
    rows = tuple(tuple(row[i] for row in kept) for i in range(1, len(table.header)))
    lines = (table.header_line,) * len(rows)
    return replace(table, header=tuple(row[0] for row in kept), rows=rows, lines=lines, ragged=())
