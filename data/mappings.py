"""Remember what the columns of unknown tables mean, by their headers.

Only the columns are remembered. What was said of a whole file (its platform, its instance) is asked again: the next
file with the same headers may come from another machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from data.readers.mapped import ColumnMapping, Meaning, fingerprint

if TYPE_CHECKING:
    import duckdb

    from data.store import Store


@dataclass(frozen=True, slots=True)
class Remembered:
    """Hold a mapping and when it was stated."""

    fingerprint: str
    mapping: ColumnMapping
    stated_at: datetime


def remember(cursor: duckdb.DuckDBPyConnection, labels: Iterable[str], mapping: ColumnMapping) -> None:
    """Keep a mapping for the next table with these headers, in place of an earlier one."""
    columns = ColumnMapping(mapping.columns).as_dict()["columns"]
    cursor.execute(
        "INSERT OR REPLACE INTO mappings VALUES (?, ?, ?)",
        [fingerprint(labels), json.dumps(columns, ensure_ascii=False), datetime.now(UTC).replace(tzinfo=None)],
    )


def recall(store: Store, labels: Iterable[str]) -> Remembered | None:
    """Return the mapping that was last stated for a table with these headers."""
    return next(iter(_read(store, "WHERE fingerprint = ?", [fingerprint(labels)])), None)


def remembered(store: Store) -> list[Remembered]:
    """Return every mapping, the newest first."""
    return _read(store, "ORDER BY stated_at DESC, fingerprint", [])


def forget(store: Store, fingerprint: str) -> None:
    """Forget a mapping; what was loaded with it stays."""
    with store.transaction() as cursor:
        cursor.execute("DELETE FROM mappings WHERE fingerprint = ?", [fingerprint])


def _read(store: Store, rest: str, values: list[str]) -> list[Remembered]:
    with store.cursor() as cursor:
        rows = cursor.execute(f"SELECT fingerprint, columns, stated_at FROM mappings {rest}", values).fetchall()
    return [Remembered(key, _mapping(columns), stated_at) for key, columns, stated_at in rows]


def _mapping(columns: str) -> ColumnMapping:
    return ColumnMapping({label: Meaning(**meaning) for label, meaning in json.loads(columns).items()})
