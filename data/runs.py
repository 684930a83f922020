"""Named reads of single runs and of their history: filtered and bounded in SQL, each row with file, line and hash."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO, StringIO

import pandas as pd

from data import schema
from data.benchmarks import LATENCIES, RUNS, THROUGHPUTS
from data.export import safe
from data.queries import frame
from data.store import Store

MEASURES = (*THROUGHPUTS, *LATENCIES)
MOST_POINTS = 4000
_LINE = ("platform", "instance_type", "precision", "engine", "concurrency", "request_rate", "batch_size")


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are asked for; an empty choice means all."""

    models: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    instance_types: tuple[str, ...] = ()
    precisions: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, object]:
        """Return the parameters of the condition."""
        return {
            "models": list(self.models) or None,
            "platforms": list(self.platforms) or None,
            "instances": list(self.instance_types) or None,
            "precisions": list(self.precisions) or None,
        }


_CHOSEN = f"""{RUNS}
    AND ($models IS NULL OR list_contains($models, r.model))
    AND ($platforms IS NULL OR list_contains($platforms, r.platform))
    AND ($instances IS NULL OR list_contains($instances, r.instance_type))
    AND ($precisions IS NULL OR list_contains($precisions, r.precision))"""


def summary(store: Store) -> pd.DataFrame:
    """Return one row a model and platform: runs, first and last date, best throughputs, shortest time to train.

    Most stores hold few withdrawn uploads: to leave those out by name is quicker than to join all runs with uploads.
    """
    with store.cursor() as cursor:
        withdrawn = cursor.execute("SELECT upload_id FROM uploads WHERE withdrawn_at IS NOT NULL").fetchall()
    active = "AND NOT list_contains($withdrawn, upload_id)" if withdrawn else ""
    return frame(
        store,
        f"""SELECT model, platform, count(*)::BIGINT AS runs,
                min(measured_at) AS first_measured, max(measured_at) AS last_measured,
                max(output_tok_per_s) AS output_tok_per_s, max(train_seq_per_s) AS train_seq_per_s,
                min(time_to_train_s) AS time_to_train_s
            FROM benchmark_runs WHERE counted {active} GROUP BY model, platform ORDER BY model, platform""",
        {"withdrawn": [row[0] for row in withdrawn]} if withdrawn else {},
    )


def choices(store: Store) -> pd.DataFrame:
    """Return the distinct model, platform, instance_type and precision of the runs that count."""
    return frame(store, f"SELECT DISTINCT r.model, r.platform, r.instance_type, r.precision FROM {RUNS} ORDER BY ALL")


def count(store: Store, chosen: RunFilter) -> int:
    """Return how many runs a filter leaves."""
    with store.cursor() as cursor:
        row = cursor.execute(f"SELECT count(*) FROM {_CHOSEN}", chosen.parameters).fetchone()
    return int(row[0]) if row else 0


def history(store: Store, chosen: RunFilter, measure: str, most_lines: int = 8) -> pd.DataFrame:
    """Return the history of the configurations with most runs: one row a configuration, version and period.

    Columns: configuration, platform, sdk_version, tool, tool_version, period, runs, low, middle, high, undated. The
    period is a day, week or month, whichever keeps to `MOST_POINTS`; `middle` is the median of the runs, never a mean
    of percentiles; `undated` counts runs placed at their upload for want of a date.
    """
    if measure not in MEASURES:
        raise ValueError(f"{measure} is no measured column")
    lines = ", ".join(f"r.{name}" for name in _LINE)
    label = "concat_ws(', ', r.instance_type, r.precision, r.engine, 'concurrency ' || r.concurrency, "
    label += "format('{:g} requests/s', r.request_rate), 'batch ' || r.batch_size, r.model)"
    return frame(
        store,
        f"""WITH run AS (
                SELECT {label} AS configuration, {lines}, r.sdk_version, r.tool, r.tool_version, r.{measure} AS value,
                    coalesce(r.measured_at, u.uploaded_at) AS moment, r.measured_at IS NULL AS undated
                FROM {_CHOSEN} AND r.{measure} IS NOT NULL),
            top AS (SELECT configuration, platform FROM run GROUP BY ALL
                ORDER BY count(*) DESC, configuration, platform LIMIT $most_lines),
            span AS (SELECT CASE WHEN max(moment) - min(moment) <= INTERVAL 92 DAY THEN 'day'
                WHEN max(moment) - min(moment) <= INTERVAL 730 DAY THEN 'week' ELSE 'month' END AS step FROM run)
            SELECT configuration, platform, sdk_version, tool, tool_version, date_trunc(step, moment) AS period,
                count(*)::BIGINT AS runs, min(value) AS low, median(value) AS middle, max(value) AS high,
                count(*) FILTER (undated)::BIGINT AS undated
            FROM run JOIN top USING (configuration, platform), span
            GROUP BY ALL ORDER BY period DESC, configuration, sdk_version LIMIT {MOST_POINTS}""",
        {**chosen.parameters, "most_lines": most_lines},
    )


def rows(store: Store, chosen: RunFilter, most: int | None = None) -> pd.DataFrame:
    """Return the runs of a filter, the newest first: file, line and hash, then the canonical columns."""
    columns = ", ".join(f"r.{name}" for name in schema.names("benchmark"))
    limit = "" if most is None else f"LIMIT {int(most)}"
    return frame(
        store,
        f"""SELECT u.file, r.source_line AS line, u.sha256, u.uploaded_at, u.demo, {columns}
            FROM {_CHOSEN} ORDER BY u.position DESC, r.source_line {limit}""",
        chosen.parameters,
    )


def as_csv(table: pd.DataFrame) -> bytes:
    """Return a table of runs as CSV; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    texts = table.select_dtypes(["object", "str"]).columns
    out = StringIO()
    table.assign(**{name: table[name].map(safe) for name in map(str, texts)}).to_csv(
        out, index=False, lineterminator="\n"
    )
    return out.getvalue().encode()


def as_parquet(table: pd.DataFrame) -> bytes:
    """Return a table of runs as Parquet."""
    out = BytesIO()
    table.to_parquet(out, index=False, compression="zstd")
    return out.getvalue()
