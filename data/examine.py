"""Examine a file without a store: recognise, read, type, fill, check; the outcome is a report and the good rows.

A bad cell refuses its row, and the good rows stay. What concerns the file as a whole (no reader, a header given twice,
a statement that contradicts it) refuses everything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from data import checks, schema
from data.errors import IngestError, Problem
from data.readers import Document, Reading, find, mapped, parse
from data.readers.cells import Refusal, show, typed
from data.readers.mapped import ColumnMapping

FindMapping = Callable[[tuple[str, ...]], ColumnMapping | None]
"""Return what the user says of a table with these headers, None where nothing is known of it."""

MAX_PROBLEMS = 10_000


@dataclass(frozen=True, slots=True)
class Report:
    """Say what became of one file.

    `kind` is benchmark, operators or unknown; `format` a reader's id, «mapping» for a table that no reader knows, None
    for what is no table. `needs` are dimensions still to be stated. `rows` are canonical rows (dry run only). `mapping`
    says how a table was read that no reader knows.
    """

    file: str
    sha256: str
    kind: str = "unknown"
    format: str | None = None
    rows_read: int = 0
    rows_loaded: int = 0
    rows_refused: int = 0
    duplicate: bool = False
    needs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    rows: list[dict[str, object]] = field(default_factory=list)
    upload_id: str | None = None
    mapping: ColumnMapping | None = None

    def as_dict(self, with_rows: bool = False) -> dict[str, object]:
        """Return the JSON shape; `rows` stays empty without `with_rows`."""
        return {
            "file": self.file,
            "sha256": self.sha256,
            "kind": self.kind,
            "format": self.format,
            "rows_read": self.rows_read,
            "rows_loaded": self.rows_loaded,
            "rows_refused": self.rows_refused,
            "duplicate": self.duplicate,
            "needs": list(self.needs),
            "problems": [problem.as_dict() for problem in self.problems],
            "warnings": [warning.as_dict() for warning in self.warnings],
            "rows": self.rows if with_rows else [],
            "upload_id": self.upload_id,
            "mapping": self.mapping.as_dict() if self.mapping else None,
        }


@dataclass(frozen=True, slots=True)
class Examined:
    """Hold a report in the making, with the typed good rows and what the user stated."""

    report: Report
    frame: pd.DataFrame
    overrides: dict[str, object] = field(default_factory=dict)
    provenance: dict[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


def examine(
    name: str, content: bytes, overrides: Mapping[str, object], find_mapping: FindMapping | None = None
) -> Examined:
    """Return what a file holds; every reason to refuse it is in the report, nothing is raised.

    `find_mapping` is asked about a table that no reader knows.
    """
    report = Report(name, hashlib.sha256(content).hexdigest())
    try:
        document = parse(name, content)
    except IngestError as error:
        return Examined(replace(report, problems=error.problems), pd.DataFrame())
    return examine_document(report, document, overrides, find_mapping)


def examine_document(
    report: Report, document: Document, overrides: Mapping[str, object], find_mapping: FindMapping | None = None
) -> Examined:
    """Return what a parsed file holds, as `examine` does; `report` names the file."""
    reader = find(document)
    try:
        if reader is not None:
            report = replace(report, kind=reader.KIND, format=reader.ID)
            said = stated(report.file, reader.KIND, overrides)
            return _check_rows(report, _with_notes(reader.read(document), document), said)
        cells = mapped.table(document) if find_mapping else None
        labels = tuple(map(str, cells.frame.columns)) if cells is not None else ()
        mapping = find_mapping(labels) if find_mapping and labels else None
        if mapping is None:
            return Examined(replace(_unrecognised(report, document), warnings=document.notes), pd.DataFrame())
        report = replace(report, kind=mapped.KIND, format=mapped.ID)
        mapping = mapped.settle(report.file, mapping)
        said = stated(report.file, mapped.KIND, {**mapping.values, **overrides})
        examined = _check_rows(report, _with_notes(mapped.read(document, mapping), document), said)
        return replace(examined, report=replace(examined.report, mapping=mapping), labels=labels)
    except IngestError as error:
        return Examined(replace(report, problems=error.problems), pd.DataFrame())


def _with_notes(reading: Reading, document: Document) -> Reading:
    return replace(reading, warnings=(*document.notes, *reading.warnings))


def _unrecognised(report: Report, document: Document) -> Report:
    """Report a table that no reader knows with its header, anything else as no table."""
    tables = [table for table in document.tables if table.is_tabular]
    keys = list(document.objects[0]) if len(document.objects) > 1 else list(tables[0].header) if tables else []
    hint = "Say what its columns mean, or rename them to canonical names; docs/file-formats.md lists these."
    if not keys:
        problem = Problem(report.file, None, None, "no_reader", "No reader knows this file, and it is no table.", hint)
        return replace(report, problems=(problem,))
    line = tables[0].header_line if tables else document.record_lines[0]
    read = len(tables[0].rows) if tables else len(document.records)
    shown = ", ".join(keys)
    shown = shown if len(shown) <= 500 else shown[:500] + "…"
    problem = Problem(report.file, line, None, "no_reader", f"No reader knows this table. Its columns: {shown}.", hint)
    return replace(report, format="mapping", rows_read=read, problems=(problem,))


def stated(file: str, kind: str, overrides: Mapping[str, object]) -> dict[str, object]:
    """Return the user's statements in canonical form; raise IngestError on unknown names and bad values."""
    problems: list[Problem] = []
    settable = schema.SETTABLE[kind]
    for name in overrides:
        if name not in settable:
            known = name in {other for names in schema.SETTABLE.values() for other in names}
            message = f"«{name}» cannot be stated for {kind} files." if known else f"«{name}» is no dimension."
            hint = schema.did_you_mean(name, settable) or f"Known are {', '.join(settable)}."
            problems.append(Problem(file, None, name, "unknown_override", message, hint))
    given = {name: value for name, value in overrides.items() if name in settable and value not in (None, "")}
    frame = pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in given.items()}, index=[0])
    columns = [schema.BY_NAME[kind][name] for name in given]
    values, refusals = typed(frame, columns)
    for refusal in refusals:
        message = f"The stated {refusal.column}: {refusal.message}"
        problems.append(Problem(file, None, refusal.column, refusal.code, message, refusal.hint))
    if problems:
        raise IngestError(problems)
    return {name: _plain(values[name].iloc[0], name, kind) for name in given if pd.notna(values[name].iloc[0])}


def _plain(value: object, name: str, kind: str) -> object:
    return int(value) if schema.BY_NAME[kind][name].dtype == "int" and isinstance(value, float) else value


@dataclass(frozen=True, slots=True)
class Checked:
    """Hold the good rows of a reading, and what was found about them and the others."""

    frame: pd.DataFrame
    read: int
    refused: int
    needs: tuple[str, ...]
    problems: list[Problem]
    provenance: dict[str, str]


def check_rows(
    file: str, kind: str, reading: Reading, said: dict[str, object], remarks: checks.Remarks | None = None
) -> Checked:
    """Type, fill and check the rows and keep the good ones; what is merely remarkable goes into `remarks`."""
    frame, refusals = typed(reading.frame, schema.columns(kind), reading.decimal_comma)
    refusals = [*reading.refusals, *refusals]
    lines = pd.Series(reading.lines, index=frame.index, dtype="int64")
    provenance = {
        name: "measured" for name in schema.names(kind) if name in reading.frame and frame[name].notna().any()
    }
    provenance |= {name: origin for name, origin in reading.provenance.items() if name in provenance}
    provenance |= _apply(file, frame, said, kind)
    if kind == "benchmark":
        provenance |= checks.fill(frame)
        known = {refusal.position for refusal in refusals}  # a metric that is no number is said once
        refusals += [r for r in checks.refuse(frame) if r.code != "no_metric" or r.position not in known]
    bad = sorted({refusal.position for refusal in refusals})
    problems = [*reading.problems, *_row_problems(file, refusals, lines, reading.headers)]
    frame["source_line"] = lines.astype("float64")
    good = frame.drop(index=bad) if bad else frame
    if remarks is not None and len(good):
        remarks.add(good, lines)
    return Checked(
        frame=good,
        read=len(frame) + reading.unreadable,
        refused=len(bad) + reading.unreadable,
        needs=checks.needs(good, kind) if len(good) else (),
        problems=problems,
        provenance=provenance,
    )


def _check_rows(report: Report, reading: Reading, said: dict[str, object]) -> Examined:
    """Check the rows of a whole file and complete its report."""
    remarks = checks.Remarks() if report.kind == "benchmark" else None
    checked = check_rows(report.file, report.kind, reading, said, remarks)
    problems = checked.problems
    if not checked.read:
        problems.append(Problem(report.file, None, None, "no_rows", "The file has no rows.", "Export it again."))
    report = replace(
        report,
        rows_read=checked.read,
        rows_loaded=len(checked.frame),
        rows_refused=checked.refused,
        needs=checked.needs,
        problems=capped(report.file, problems),
        warnings=(*reading.warnings, *(remarks.problems(report.file) if remarks else ())),
    )
    return Examined(report, checked.frame, said, checked.provenance)


def _apply(file: str, frame: pd.DataFrame, said: dict[str, object], kind: str) -> dict[str, str]:
    """Fill empty cells with what the user stated; raise where the file says something else."""
    problems: list[Problem] = []
    for name, value in said.items():
        other = frame[name].notna() & (frame[name] != value)
        if schema.BY_NAME[kind][name].is_number and isinstance(value, (int, float)):
            other &= (frame[name] - value).abs() > 1e-9 * abs(value)
        if other.any():
            message = f"The file says {name} is {show(frame[name][other].iloc[0])}, you say {show(value)}."
            hint = "Leave your statement out, or correct the file."
            problems.append(Problem(file, None, name, "override_contradicts", message, hint))
        elif frame[name].isna().any():
            frame[name] = frame[name].where(frame[name].notna(), value)
    if problems:
        raise IngestError(problems)
    return dict.fromkeys(said, "stated")


def _row_problems(file: str, refusals: list[Refusal], lines: pd.Series, headers: Mapping[str, str]) -> list[Problem]:
    return [
        Problem(
            file,
            int(lines[refusal.position]),
            headers.get(refusal.column, refusal.column) or None,
            refusal.code,
            refusal.message,
            refusal.hint,
        )
        for refusal in refusals
    ]


def capped(file: str, problems: list[Problem]) -> tuple[Problem, ...]:
    """Return the problems by line, not more than a report can hold where every row is bad."""
    problems = sorted(problems, key=lambda problem: problem.line or 0)
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    message = f"{len(problems) - MAX_PROBLEMS} more problems are not listed."
    return (*problems[:MAX_PROBLEMS], Problem(file, None, None, "more_problems", message, "Correct these first."))


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Return a typed frame as dicts of plain values: None for unknown, whole numbers as int."""
    whole = {column.name for columns in schema.COLUMNS.values() for column in columns if column.dtype == "int"} | {
        "source_line"
    }
    columns = {
        str(name): [
            None if value is None or value != value else int(value) if name in whole else value
            for value in frame[name].tolist()
        ]
        for name in frame
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
