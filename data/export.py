"""Write stored rows and templates as text: canonical names, CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd

from data import queries, schema
from data.examine import records
from data.ingest import DEMO
from data.store import Store

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(store: Store, kind: str) -> list[dict[str, object]]:
    """Return the counted rows of `benchmark` or `operators` under canonical names, plain values."""
    frame = queries.benchmark_runs(store) if kind == "benchmark" else queries.operator_rows(store)
    frame = frame[list(schema.names(kind))]
    for column in schema.columns(kind):
        if column.dtype == "date":
            frame = frame.assign(**{column.name: _iso(frame[column.name])})
    return records(frame)


def _iso(moments: pd.Series) -> pd.Series:
    return pd.Series(
        [None if pd.isna(moment) else moment.isoformat() for moment in moments], index=moments.index, dtype=object
    )


def as_json(rows: list[dict[str, object]]) -> str:
    """Return rows as a JSON list."""
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(rows: list[dict[str, object]], kind: str) -> str:
    """Return rows as CSV; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, schema.names(kind), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: safe(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def safe(value: object) -> object:
    """Return a cell as a spreadsheet may have it: a text that would run as a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def template(kind: str) -> str:
    """Return the canonical CSV with a few example rows, to fill in."""
    name = "benchmarks" if kind == "benchmark" else "operators"
    return (DEMO.parent / f"{name}_template.csv").read_text(encoding="utf-8")
