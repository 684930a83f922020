"""Frozen scenarios behind a link: written once, read by whoever has the id."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from data.errors import DataError, ShareNotFoundError
from data.store import Store

_ID = re.compile(r"[A-Za-z0-9_-]{32}")


@dataclass(frozen=True, slots=True)
class Share:
    """Hold what was shared; `created_at` is UTC."""

    id: str
    created_at: datetime
    title: str
    note: str
    author: str
    payload: dict[str, object]


def save_share(
    store: Store, payload: Mapping[str, object], *, title: str = "", note: str = "", author: str = ""
) -> str:
    """Store a payload and return its id, which cannot be guessed; raise DataError where it is not plain JSON."""
    try:
        text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DataError(f"Only plain JSON without NaN or infinity can be shared: {error}.") from error
    if json.loads(text) != payload:
        raise DataError("Only plain JSON can be shared: keys are text, and there are no tuples.")
    share_id = secrets.token_urlsafe(24)
    created_at = datetime.now(UTC).replace(tzinfo=None)
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO shares VALUES (?, ?, ?, ?, ?, ?)", [share_id, created_at, title, note, author, text]
        )
    return share_id


def load_share(store: Store, share_id: str) -> Share:
    """Return a share; raise ShareNotFoundError where the id is unknown or no id at all."""
    row = None
    if _ID.fullmatch(share_id):
        with store.cursor() as cursor:
            row = cursor.execute(
                "SELECT id, created_at, title, note, author, payload FROM shares WHERE id = ?", [share_id]
            ).fetchone()
    if row is None:
        raise ShareNotFoundError("No shared page has this address. It may have been cut off when it was copied.")
    return Share(row[0], row[1], row[2], row[3], row[4], json.loads(row[5]))
