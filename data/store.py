"""The DuckDB file behind everything: one connection a process, a cursor a call, one writer at a time.

A DuckDB connection that several threads share mixes up their results, so nobody gets the connection itself. Files
outside the store cannot be reached through it: uploads are parsed before they get here.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import duckdb

from data.errors import DataError, StoreBusyError

DEFAULT_PATH = "var/crossover.duckdb"
# The order matters: once the configuration is locked, nothing can be loosened again.
_HARDENING = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)

_open: dict[Path, Store] = {}
_open_lock = threading.Lock()


class Store:
    """Give cursors and transactions on one DuckDB file; made by `open_store`."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._connection = connection
        self._write_lock = threading.Lock()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor of its own for reading."""
        with self._connection.cursor() as cursor:
            yield cursor

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor whose writes all hold, or none if the block raises; writers of this process take turns."""
        with self._write_lock, self._connection.cursor() as cursor:
            cursor.execute("BEGIN")
            try:
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")

    def get_setting(self, name: str) -> str | None:
        """Return a setting, None where it was never set."""
        with self.cursor() as cursor:
            row = cursor.execute("SELECT value FROM settings WHERE name = ?", [name]).fetchone()
        return None if row is None else str(row[0])

    def set_setting(self, name: str, value: str) -> None:
        """Set a setting."""
        with self.transaction() as cursor:
            cursor.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", [name, value])

    def close(self) -> None:
        """Close the file for everybody in this process."""
        with _open_lock:
            _open.pop(self.path, None)
            self._connection.close()


def store_path(path: str | Path | None = None) -> Path:
    """Return where the store is: the path given, else the environment's CROSSOVER_DB, else var/crossover.duckdb."""
    return Path(path or os.environ.get("CROSSOVER_DB") or DEFAULT_PATH).expanduser().resolve()


def open_store(path: str | Path | None = None) -> Store:
    """Open a store, or return the one this process has open; its folder and tables are made where they are missing.

    Without a path the environment's CROSSOVER_DB counts, else var/crossover.duckdb. Raise StoreBusyError where another
    process has the file open, DataError where the file is no store or was written by newer code.
    """
    target = store_path(path)
    with _open_lock:
        if target not in _open:
            _open[target] = _connect(target)
        return _open[target]


def _connect(path: Path) -> Store:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(str(path))
    except (OSError, duckdb.Error) as error:
        raise _opening_failed(path, error) from error
    try:
        store = Store(path, connection)
        if _migrate(store):
            # DuckDB cannot replay every change of a table from its log after a crash: put it into the file at once.
            connection.execute("CHECKPOINT")
        for statement in _HARDENING:
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return store


def _opening_failed(path: Path, error: Exception) -> DataError:
    text = str(error)
    if "Could not set lock" in text or "being used by another process" in text:
        holder = re.search(r"held in (.+?) \(PID (\d+)\)", text)
        who = f"process {holder[2]} ({holder[1]})" if holder else "another process"
        return StoreBusyError(
            f"The store {path} is open in {who}. Stop it, or use another file: --db PATH, or CROSSOVER_DB=PATH."
        )
    return DataError(f"The store {path} cannot be opened: {text.splitlines()[0]}")


def migrations() -> list[tuple[int, str, str]]:
    """Return (version, name, SQL) of every migration, in order."""
    folder = files("data") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), name, (folder / name).read_text(encoding="utf-8")) for name in names]


def _migrate(store: Store) -> bool:
    """Bring the tables to the newest version, and tell whether they were not; refuse a store newer than this code."""
    known = migrations()
    with store.transaction() as cursor:
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(version INTEGER PRIMARY KEY, name VARCHAR, applied_at TIMESTAMP)"
        )
        row = cursor.execute("SELECT coalesce(max(version), 0) FROM schema_migrations").fetchone()
        version = row[0] if row else 0
        if version > known[-1][0]:
            raise DataError(
                f"The store {store.path} has version {version}, this program knows up to {known[-1][0]}. "
                "Update the program, or use another file."
            )
        for number, name, sql in known:
            if number > version:
                cursor.execute(sql)
                cursor.execute(
                    "INSERT INTO schema_migrations VALUES (?, ?, current_timestamp AT TIME ZONE 'UTC')", [number, name]
                )
    return bool(version < known[-1][0])


def schema_version(store: Store) -> int:
    """Return the version of the newest migration that the store has."""
    with store.cursor() as cursor:
        row = cursor.execute("SELECT max(version) FROM schema_migrations").fetchone()
    return int(row[0]) if row else 0
