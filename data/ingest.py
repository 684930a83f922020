"""Load files into the store, take them out again, put them back: one transaction and one report a file."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from data import bulk, schema
from data.errors import DataError, IngestError, Problem
from data.examine import Examined, Report, examine, records, stated
from data.mappings import Remembered, recall, remember
from data.readers import mapped
from data.readers.benchmarks import crossover_csv
from data.readers.mapped import ColumnMapping

if TYPE_CHECKING:
    import duckdb

    from data.store import Store

__all__ = ["Report", "inspect", "load", "load_demo", "remove_demo", "restore", "withdraw"]

DEMO = Path(__file__).parent / "samples" / "demo"
TABLES = {"benchmark": "benchmark_runs", "operators": "operator_rows"}
_DEMO_SETTING = "demo_loaded"


def inspect(
    name: str, content: bytes, overrides: Mapping[str, object] | None = None, mapping: ColumnMapping | None = None
) -> Report:
    """Read and check a file without storing anything; the report holds its canonical rows."""
    examined = examine(name, content, overrides or {}, lambda _: mapping)
    return replace(_note_mapping(examined.report, mapping, []), rows=records(examined.frame))


def load(
    store: Store,
    name: str,
    content: bytes | Path,
    overrides: Mapping[str, object] | None = None,
    *,
    mapping: ColumnMapping | None = None,
    demo: bool = False,
) -> Report:
    """Read, check and store a file in one transaction; nothing is stored where the whole file is refused.

    `mapping` is for a table that no reader knows; without one, the mapping that was last used on the same headers
    counts. A large canonical table is read in batches; from a path, without ever being whole in memory.
    """
    overrides = {**(mapping.values if mapping else {}), **(overrides or {})}
    digest = bulk.digest(content)
    offer = _Offer(name, digest.sha256, overrides, mapping)
    with store.cursor() as cursor:  # a file that is there already need not be read again
        known = _already_loaded(cursor, offer)
    if known is not None:
        return known
    layout = bulk.find_layout(name, content)
    if layout is not None:
        try:
            return _load_in_batches(store, offer, content, layout, digest.lines)
        except (bulk.NotPlainError, IngestError):
            pass  # the ordinary way reads it, or says what is wrong
    return _load_whole(store, offer, content.read_bytes() if isinstance(content, Path) else content, demo)


@dataclass(frozen=True, slots=True)
class _Offer:
    """Hold what is offered for loading, without its content."""

    file: str
    sha256: str
    overrides: Mapping[str, object]
    mapping: ColumnMapping | None


def _load_whole(store: Store, offer: _Offer, content: bytes, demo: bool) -> Report:
    """Load a file that is read as one."""
    found: list[Remembered] = []
    examined = examine(
        offer.file, content, offer.overrides, lambda labels: offer.mapping or _recall(store, labels, found)
    )
    report = _note_mapping(examined.report, offer.mapping, found)
    if report.needs:
        return replace(report, rows_loaded=0)
    if not report.rows_loaded:
        return report
    with store.transaction() as cursor:
        known = _already_loaded(cursor, offer)  # somebody may have loaded it meanwhile
        if known is not None:
            return known
        upload_id = secrets.token_hex(8)
        report = replace(report, upload_id=upload_id)
        _insert_upload(cursor, replace(examined, report=report), demo)
        _insert_rows(cursor, upload_id, report.kind, examined.frame)
        if offer.mapping is not None and report.mapping is not None:
            remember(cursor, examined.labels, report.mapping)
        _discount_repeats(cursor, report)
        return _note_repeats(cursor, report)


class _NothingLoaded(Exception):  # noqa: N818 - an outcome, which undoes the transaction, not an error
    def __init__(self, report: Report) -> None:
        self.report = report


def _load_in_batches(store: Store, offer: _Offer, content: bytes | Path, layout: bulk.Layout, lines: int) -> Report:
    """Load a large canonical table; raise NotPlainError, with nothing stored, where it is not as plain as it looked."""
    kind, upload_id = crossover_csv.KIND, secrets.token_hex(8)
    report = Report(offer.file, offer.sha256, kind, crossover_csv.ID, upload_id=upload_id)
    try:
        said = stated(offer.file, kind, offer.overrides)
    except IngestError as error:
        return replace(report, problems=error.problems, upload_id=None)
    try:
        with bulk.spooled(content) as path, store.transaction() as cursor:
            known = _already_loaded(cursor, offer)
            if known is not None:
                return known
            examined = bulk.examine_batches(
                report, bulk.BulkReader(layout, path, lines), said, _Sink(cursor, upload_id, kind)
            )
            if examined.report.needs or not examined.report.rows_loaded:
                raise _NothingLoaded(replace(examined.report, rows_loaded=0, upload_id=None))
            _insert_upload(cursor, examined, demo=False)
            _discount_repeats(cursor, examined.report)
            return _note_repeats(cursor, examined.report)
    except _NothingLoaded as outcome:
        return outcome.report


@dataclass(frozen=True, slots=True)
class _Sink:
    """Take checked rows of one upload into the store."""

    cursor: duckdb.DuckDBPyConnection
    upload_id: str
    kind: str

    def insert(self, frame: pd.DataFrame) -> None:
        """Insert rows."""
        _insert_rows(self.cursor, self.upload_id, self.kind, frame)

    def move_lines(self, shifts: pd.DataFrame) -> None:
        """Add `shift` to the line of the rows that are at or after `start` and before `end`, as counted so far."""
        self.cursor.register("shifts", shifts)
        self.cursor.execute(
            f"UPDATE {TABLES[self.kind]} SET source_line = source_line + s.shift FROM shifts s "
            "WHERE upload_id = ? AND source_line >= s.start AND source_line < s.end",
            [self.upload_id],
        )
        self.cursor.unregister("shifts")


def withdraw(store: Store, upload_id: str) -> None:
    """Stop counting an upload; it stays listed and can be restored. Raise DataError where it is not known."""
    with store.transaction() as cursor:
        _upload(cursor, upload_id)
        now = datetime.now(UTC).replace(tzinfo=None)
        cursor.execute(
            "UPDATE uploads SET withdrawn_at = ? WHERE upload_id = ? AND withdrawn_at IS NULL", [now, upload_id]
        )
        _recount(cursor)


def restore(store: Store, upload_id: str) -> None:
    """Count a withdrawn upload again. Raise DataError where it is not known or its file has been loaded anew."""
    with store.transaction() as cursor:
        sha256, withdrawn = _upload(cursor, upload_id)
        if not withdrawn:
            return
        if _is_active(cursor, sha256):
            raise DataError("The same file has been loaded again since. Withdraw that upload first.")
        cursor.execute("UPDATE uploads SET withdrawn_at = NULL WHERE upload_id = ?", [upload_id])
        _recount(cursor)


def load_demo(store: Store) -> tuple[Report, ...]:
    """Load the demo files, once in the life of a store: demo data that was removed does not come back."""
    if store.get_setting(_DEMO_SETTING) is not None:
        return ()
    reports = tuple(load(store, path.name, path.read_bytes(), demo=True) for path in sorted(DEMO.glob("*.csv")))
    store.set_setting(_DEMO_SETTING, datetime.now(UTC).isoformat(timespec="seconds"))
    return reports


def remove_demo(store: Store) -> None:
    """Withdraw every demo upload."""
    with store.transaction() as cursor:
        now = datetime.now(UTC).replace(tzinfo=None)
        cursor.execute("UPDATE uploads SET withdrawn_at = ? WHERE demo AND withdrawn_at IS NULL", [now])
        _recount(cursor)


def _upload(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> tuple[str, bool]:
    """Return the hash of an upload and whether it is withdrawn; raise DataError where it is not known."""
    row = cursor.execute(
        "SELECT sha256, withdrawn_at IS NOT NULL FROM uploads WHERE upload_id = ?", [upload_id]
    ).fetchone()
    if row is None:
        raise DataError(f"There is no upload «{upload_id}».")
    return str(row[0]), bool(row[1])


def _is_active(cursor: duckdb.DuckDBPyConnection, sha256: str) -> bool:
    query = "SELECT 1 FROM uploads WHERE sha256 = ? AND withdrawn_at IS NULL"
    return cursor.execute(query, [sha256]).fetchone() is not None


def _already_loaded(cursor: duckdb.DuckDBPyConnection, offer: _Offer) -> Report | None:
    """Return the report on a file whose bytes an active upload holds, None where there is none.

    It is a duplicate as long as nothing is stated that differs from what was stated then.
    """
    file, sha256, overrides, mapping = offer.file, offer.sha256, offer.overrides, offer.mapping
    row = cursor.execute(
        """SELECT upload_id, kind, format, rows_read, rows_refused, overrides, mapping FROM uploads
           WHERE sha256 = ? AND withdrawn_at IS NULL""",
        [sha256],
    ).fetchone()
    if row is None:
        return None
    report = Report(file, sha256, row[1], row[2], rows_read=row[3], rows_refused=row[4], upload_id=row[0])
    stored = json.loads(row[5])
    try:
        now = stated(file, report.kind, overrides)
        columns = mapped.settle(file, mapping).as_dict()["columns"] if mapping and row[6] else None
    except IngestError as error:
        return replace(report, problems=error.problems)
    if not now.items() <= stored.items():
        message = f"This file is loaded already, with {_words(stored)}; now you state {_words(now)}."
    elif columns is not None and columns != json.loads(row[6])["columns"]:
        message = "This file is loaded already, with other meanings of its columns."
    else:
        return replace(report, duplicate=True)
    hint = f"Withdraw upload {report.upload_id} first."
    return replace(report, problems=(Problem(file, None, None, "already_loaded_with_other_values", message, hint),))


def _recall(store: Store, labels: tuple[str, ...], found: list[Remembered]) -> ColumnMapping | None:
    """Return the mapping that is remembered for these headers, and put it into `found`."""
    known = recall(store, labels)
    found += [known] if known else []
    return known.mapping if known else None


def _note_mapping(report: Report, stated: ColumnMapping | None, found: list[Remembered]) -> Report:
    """Say that a mapping was used which the user stated for another file, or that a stated one was not needed."""
    if found:
        when = f"{found[0].stated_at:%Y-%m-%d}"
        message = f"Read with the meanings of its columns that were stated on {when} for the same headers."
        hint = "If they are wrong here, withdraw the upload, forget them and load the file again."
        note = Problem(report.file, None, None, "remembered_mapping", message, hint)
    elif stated is not None and report.format not in (None, "mapping", mapped.ID):
        message = f"The format {report.format} is known: the stated meanings of columns were not needed."
        note = Problem(report.file, None, None, "mapping_not_used", message)
    else:
        return report
    return replace(report, warnings=(note, *report.warnings))


def _words(stated: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(stated.items())) or "nothing stated"


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _insert_upload(cursor: duckdb.DuckDBPyConnection, examined: Examined, demo: bool) -> None:
    report = examined.report
    cursor.execute(
        """INSERT INTO uploads (upload_id, file, sha256, kind, format, rows_read, rows_loaded, rows_refused,
               rows_counted, demo, uploaded_at, overrides, provenance, warnings, problems, mapping)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)""",
        [
            report.upload_id,
            report.file,
            report.sha256,
            report.kind,
            report.format,
            report.rows_read,
            report.rows_loaded,
            report.rows_refused,
            demo,
            datetime.now(UTC).replace(tzinfo=None),
            _json(examined.overrides),
            _json(examined.provenance),
            _json([asdict(warning) for warning in report.warnings]),
            _json([asdict(problem) for problem in report.problems]),
            _json(report.mapping.as_dict()) if report.mapping else None,
        ],
    )


def _insert_rows(cursor: duckdb.DuckDBPyConnection, upload_id: str, kind: str, frame: pd.DataFrame) -> None:
    """Insert the rows by name; columns that hold nothing stay as they are, empty."""
    incoming = _for_duckdb(frame, kind)
    columns = ", ".join(incoming.column_names)
    cursor.register("incoming", incoming)
    cursor.execute(
        f"INSERT INTO {TABLES[kind]} (upload_id, counted, {columns}) SELECT ?, true, {columns} FROM incoming",
        [upload_id],
    )
    cursor.unregister("incoming")


def _for_duckdb(frame: pd.DataFrame, kind: str) -> pa.Table:
    """Return the columns that hold anything; texts as dictionaries, for they repeat."""
    out = {"source_line": pa.array(frame["source_line"], pa.int64(), from_pandas=True)}
    for column in schema.columns(kind):
        values = frame[column.name]
        if column.name == "source_line" or (pd.isna(values.iloc[:1]).all() and values.isna().all()):
            continue
        if column.dtype == "text":
            codes, words = pd.factorize(values)
            out[column.name] = pa.DictionaryArray.from_arrays(
                pa.array(codes, pa.int32(), mask=codes < 0), pa.array(words, pa.string())
            )
        else:
            numbers = pd.to_datetime(values) if column.dtype == "date" else values
            out[column.name] = pa.array(numbers, from_pandas=True)
    return pa.table(out)


def _identity(kind: str) -> str:
    """Return an expression for all canonical values of a row but its place in the file, 128 bits of hash."""
    names = ", ".join(name for name in schema.names(kind) if name not in ("source_line", "source_column"))
    return f"(hash({names}), hash(1, {names}))"


def _discount_repeats(cursor: duckdb.DuckDBPyConnection, report: Report) -> None:
    """Count the rows of a new upload, but those that an active upload holds already."""
    table, identity = TABLES[report.kind], _identity(report.kind)
    cursor.execute(
        f"""UPDATE {table} SET counted = false WHERE upload_id = $new AND {identity} IN (
                SELECT {identity} FROM {table} SEMI JOIN uploads u
                    ON {table}.upload_id = u.upload_id AND u.withdrawn_at IS NULL WHERE upload_id <> $new)""",
        {"new": report.upload_id},
    )
    cursor.execute(
        f"UPDATE uploads SET rows_counted = (SELECT count(*) FROM {table} WHERE upload_id = $new AND counted) "
        "WHERE upload_id = $new",
        {"new": report.upload_id},
    )


def _recount(cursor: duckdb.DuckDBPyConnection) -> None:
    """Count a row only in the earliest active upload that holds it: the same results sent twice are not more runs."""
    for kind, table in TABLES.items():
        cursor.execute(
            f"""WITH active AS (
                    SELECT r.rowid AS row, upload_id, position, {_identity(kind)} AS identity
                    FROM {table} r JOIN uploads USING (upload_id) WHERE withdrawn_at IS NULL),
                owner AS (SELECT identity, arg_min(upload_id, position) AS owner FROM active GROUP BY identity)
                UPDATE {table} SET counted = active.upload_id = owner.owner FROM active JOIN owner USING (identity)
                WHERE {table}.rowid = active.row AND counted <> (active.upload_id = owner.owner)"""
        )
    cursor.execute(
        """UPDATE uploads SET rows_counted = tally.n FROM (
               SELECT u.upload_id, count(r.upload_id) AS n FROM uploads u LEFT JOIN (
                   SELECT upload_id FROM benchmark_runs WHERE counted
                   UNION ALL SELECT upload_id FROM operator_rows WHERE counted) AS r USING (upload_id)
               GROUP BY u.upload_id) AS tally
           WHERE uploads.upload_id = tally.upload_id AND rows_counted <> tally.n"""
    )


def _note_repeats(cursor: duckdb.DuckDBPyConnection, report: Report) -> Report:
    """Warn of rows that an earlier upload holds already, and keep the warning with the upload."""
    row = cursor.execute(
        "SELECT rows_loaded - rows_counted FROM uploads WHERE upload_id = ?", [report.upload_id]
    ).fetchone()
    repeats = int(row[0]) if row else 0
    if not repeats:
        return report
    message = f"{repeats} rows are identical to rows of an earlier upload: they are kept, but not counted again."
    warning = Problem(
        report.file, None, None, "repeated_rows", message, "Withdraw one of the two uploads if it is a copy."
    )
    report = replace(report, warnings=(*report.warnings, warning))
    cursor.execute(
        "UPDATE uploads SET warnings = ? WHERE upload_id = ?",
        [_json([asdict(item) for item in report.warnings]), report.upload_id],
    )
    return report
