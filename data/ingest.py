"""Load files into the store, take them out again, put them back: one transaction and one report a file."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from data import schema
from data.errors import DataError, IngestError, Problem
from data.examine import Examined, Report, examine, records, stated
from data.mappings import Remembered, recall, remember
from data.readers import mapped
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
    content: bytes,
    overrides: Mapping[str, object] | None = None,
    *,
    mapping: ColumnMapping | None = None,
    demo: bool = False,
) -> Report:
    """Read, check and store a file in one transaction; nothing is stored where the whole file is refused.

    `mapping` is for a table that no reader knows; without one, the mapping that was last used on the same headers
    counts.
    """
    overrides = {**(mapping.values if mapping else {}), **(overrides or {})}
    with store.cursor() as cursor:  # a file that is there already need not be read again
        known = _already_loaded(cursor, name, content, overrides, mapping)
    if known is not None:
        return known
    found: list[Remembered] = []
    examined = examine(name, content, overrides, lambda labels: mapping or _recall(store, labels, found))
    report = _note_mapping(examined.report, mapping, found)
    if report.needs:
        return replace(report, rows_loaded=0)
    if not report.rows_loaded:
        return report
    with store.transaction() as cursor:
        known = _already_loaded(cursor, name, content, overrides, mapping)  # somebody may have loaded it meanwhile
        if known is not None:
            return known
        report = replace(report, upload_id=secrets.token_hex(8))
        _insert_upload(cursor, replace(examined, report=report), demo)
        _insert_rows(cursor, replace(examined, report=report))
        if mapping is not None and report.mapping is not None:
            remember(cursor, examined.labels, report.mapping)
        _recount(cursor)
        return _note_repeats(cursor, report)


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


def _already_loaded(
    cursor: duckdb.DuckDBPyConnection,
    file: str,
    content: bytes,
    overrides: Mapping[str, object],
    mapping: ColumnMapping | None,
) -> Report | None:
    """Return the report on a file whose bytes an active upload holds, None where there is none.

    It is a duplicate as long as nothing is stated that differs from what was stated then.
    """
    sha256 = hashlib.sha256(content).hexdigest()
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


def _insert_rows(cursor: duckdb.DuckDBPyConnection, examined: Examined) -> None:
    """Insert the rows by name, each with a hash of all its canonical values but its place in the file."""
    kind = examined.report.kind
    identity = [name for name in schema.names(kind) if name not in ("source_line", "source_column")]
    values = ", ".join(f"coalesce(incoming.{name}::VARCHAR, chr(0))" for name in identity)
    columns = ", ".join(["source_line", *(name for name in schema.names(kind) if name != "source_line")])
    incoming = _for_duckdb(examined.frame, kind)
    cursor.register("incoming", incoming)
    cursor.execute(
        f"INSERT INTO {TABLES[kind]} (upload_id, row_hash, counted, {columns}) "
        f"SELECT ?, md5(concat_ws(chr(31), {values})), true, {columns} FROM incoming",
        [examined.report.upload_id],
    )
    cursor.unregister("incoming")


def _for_duckdb(frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Give every column the type of its table, so that DuckDB need not look into objects."""
    out: dict[str, pd.Series] = {"source_line": frame["source_line"].astype("Int64")}
    for column in schema.columns(kind):
        values = frame[column.name]
        if column.dtype == "date":
            out[column.name] = pd.to_datetime(values)
        elif column.dtype == "text":
            out[column.name] = values.astype("str")
        else:
            out[column.name] = values.astype("Int64" if column.dtype == "int" else "float64")
    return pd.DataFrame(out)


def _recount(cursor: duckdb.DuckDBPyConnection) -> None:
    """Count a row only in the earliest active upload that holds it: the same results sent twice are not more runs."""
    for table in TABLES.values():
        cursor.execute(
            f"""WITH owner AS (
                    SELECT row_hash, arg_min(upload_id, position) AS upload_id
                    FROM {table} JOIN uploads USING (upload_id)
                    WHERE withdrawn_at IS NULL GROUP BY row_hash)
                UPDATE {table} SET counted = {table}.upload_id = owner.upload_id FROM owner
                WHERE {table}.row_hash = owner.row_hash AND counted <> ({table}.upload_id = owner.upload_id)"""
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
