"""Named reads. Only uploads that are not withdrawn count, and of rows sent twice only the first."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pandas as pd

from data import schema
from data.store import Store

_ACTIVE = "withdrawn_at IS NULL"
_ORIGIN = "u.upload_id, u.sha256, u.file, u.demo, u.uploaded_at"


def uploads(store: Store, kind: str | None = None) -> pd.DataFrame:
    """Return every upload, withdrawn ones too, newest first; overrides, provenance, warnings and problems are JSON."""
    return frame(
        store,
        """SELECT upload_id, file, sha256, kind, format, rows_read, rows_loaded, rows_refused, rows_counted, demo,
               uploaded_at, withdrawn_at, overrides, provenance, warnings, problems
           FROM uploads WHERE $kind IS NULL OR kind = $kind ORDER BY position DESC""",
        {"kind": kind},
    )


def upload_state(store: Store, upload_id: str) -> str | None:
    """Return active or withdrawn; None for an upload that is not known."""
    with store.cursor() as cursor:
        row = cursor.execute("SELECT withdrawn_at IS NULL FROM uploads WHERE upload_id = ?", [upload_id]).fetchone()
    return None if row is None else "active" if row[0] else "withdrawn"


def models(store: Store) -> pd.DataFrame:
    """Return model, platform, runs and last_upload of all counted runs, the latest model first."""
    return frame(
        store,
        f"""SELECT r.model, r.platform, count(*)::BIGINT AS runs, max(u.uploaded_at) AS last_upload
            FROM benchmark_runs r JOIN uploads u USING (upload_id) WHERE {_ACTIVE} AND r.counted
            GROUP BY ALL ORDER BY last_upload DESC, r.model, r.platform""",
    )


def benchmark_runs(store: Store, model: str | None = None, platforms: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the counted runs: canonical columns, then source_line, upload_id, sha256, file, demo, uploaded_at."""
    columns = ", ".join(f"r.{name}" for name in schema.names("benchmark"))
    return frame(
        store,
        f"""SELECT {columns}, r.source_line, {_ORIGIN} FROM benchmark_runs r JOIN uploads u USING (upload_id)
            WHERE {_ACTIVE} AND r.counted AND ($model IS NULL OR r.model = $model)
                AND ($platforms IS NULL OR list_contains($platforms, r.platform))
            ORDER BY u.position, r.source_line""",
        {"model": model, "platforms": None if platforms is None else list(platforms)},
    )


def operator_rows(store: Store, model: str | None = None, backend: str | None = None) -> pd.DataFrame:
    """Return the rows of operator files: canonical columns, then upload_id, sha256, file, demo, uploaded_at."""
    columns = ", ".join(f"r.{name}" for name in schema.names("operators"))
    return frame(
        store,
        f"""SELECT {columns}, {_ORIGIN} FROM operator_rows r JOIN uploads u USING (upload_id)
            WHERE {_ACTIVE} AND r.counted
                AND ($model IS NULL OR r.model = $model) AND ($backend IS NULL OR r.backend = $backend)
            ORDER BY u.position, r.source_line, r.operator""",
        {"model": model, "backend": backend},
    )


def coverage_reports(store: Store) -> pd.DataFrame:
    """Return one row per (upload, model, backend, version, mode), newest first.

    `native`, `fallback`, `unsupported` and `unknown` count distinct operators that have such a row (an operator may
    have several states); `calls` and `time_us` are sums, null where no row states them.
    """
    counts = ", ".join(
        f"count(DISTINCT r.operator) FILTER (coalesce(r.status, 'unknown') = '{status}')::BIGINT AS {status}"
        for status in schema.STATUSES
    )
    return frame(
        store,
        f"""SELECT {_ORIGIN}, r.model, r.backend, r.version, r.mode,
                count(DISTINCT r.operator)::BIGINT AS operators, {counts},
                sum(r.calls)::DOUBLE AS calls, sum(r.time_us) AS time_us
            FROM operator_rows r JOIN uploads u USING (upload_id) WHERE {_ACTIVE} AND r.counted
            GROUP BY ALL ORDER BY max(u.position) DESC, r.model, r.backend, r.version, r.mode""",
    )


def dataset_hash(store: Store) -> str:
    """Return a hash of the evidence by content: files, statements, which rows count; in whatever order they came."""
    with store.cursor() as cursor:
        rows = cursor.execute(
            f"SELECT sha256, overrides, mapping, demo, rows_counted FROM uploads WHERE {_ACTIVE} ORDER BY ALL"
        ).fetchall()
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def evidence_version(store: Store) -> str:
    """Return a text that changes whenever anything that a query can show changes: the key of what is kept of them."""
    with store.cursor() as cursor:
        rows = cursor.execute(
            f"SELECT upload_id, rows_counted FROM uploads WHERE {_ACTIVE} ORDER BY position"
        ).fetchall()
    return hashlib.sha256(repr((str(store.path), rows)).encode()).hexdigest()


def demo_loaded(store: Store) -> bool:
    """Tell whether demo data counts at present."""
    with store.cursor() as cursor:
        return cursor.execute(f"SELECT 1 FROM uploads WHERE demo AND {_ACTIVE} LIMIT 1").fetchone() is not None


def frame(store: Store, sql: str, parameters: dict[str, object] | None = None) -> pd.DataFrame:
    """Run a query and return its frame: text is str or None, numbers are NaN where unknown."""
    with store.cursor() as cursor:
        found: pd.DataFrame = cursor.execute(sql, parameters or {}).df()
    for name in map(str, found.select_dtypes("str").columns):
        found[name] = found[name].astype(object).where(found[name].notna(), None)
    for name in map(str, found.select_dtypes("Int64").columns):
        found[name] = found[name].astype("float64")
    return found
