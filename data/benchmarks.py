"""Named reads of benchmark runs that stay small however many runs are stored: groups of like runs, and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from data import schema
from data.queries import frame
from data.store import Store

COUNTED = "u.withdrawn_at IS NULL AND r.counted"
RUNS = f"benchmark_runs r JOIN uploads u USING (upload_id) WHERE {COUNTED}"
THROUGHPUTS = tuple(column.name for column in schema.THROUGHPUT_COLUMNS)
LATENCIES = tuple(column.name for column in schema.LATENCY_COLUMNS)
# All that sets one configuration apart from another, and what its runs are priced by and judged by.
ALIKE = (
    "model",
    "platform",
    "software_path",
    "instance_type",
    "accelerator_count",
    "precision",
    "engine",
    "concurrency",
    "request_rate",
    "batch_size",
    "price_usd_per_hour",
    "quality_metric",
    "run_valid",
)
_SAME_LENGTH_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where groups of runs are cut: the latency asked for, the share of failed requests, the quality that may be lost.

    Runs on different sides of a limit are never in one group, so that whoever judges a group judges each of its runs.
    """

    latency: str
    max_error_rate: float
    quality_tolerance: float


def count_runs(store: Store, model: str, platforms: Sequence[str]) -> int:
    """Return how many runs of a model count on some platforms."""
    sql = f"SELECT count(*) FROM {RUNS} AND r.model = $model AND list_contains($platforms, r.platform)"
    with store.cursor() as cursor:
        row = cursor.execute(sql, {"model": model, "platforms": list(platforms)}).fetchone()
    return int(row[0]) if row else 0


def run_groups(store: Store, model: str, baseline: str, candidate: str, cuts: Cuts) -> pd.DataFrame:
    """Return the runs of a model on two platforms as groups of like runs, one row a group.

    A group has the columns in which its runs agree; mean input and output length, which agree to three digits;
    geometric means of the throughputs with `sd_log_…`, the sample standard deviation of their logarithms;
    `latency_low`, `latency_high`, `latency_runs`; the worst error_rate and the lowest quality_value (of the baseline
    the mean, by which the candidate is judged); `runs`, `uploaded_at`, `measured_first`, `measured_last`, `files`,
    `sdk_versions`, `demo`. A run that does not state a throughput is never in one group with runs that do.
    """
    if cuts.latency not in LATENCIES:
        raise ValueError(f"{cuts.latency} is no latency column")
    return frame(
        store,
        f"{_chosen(cuts.latency)}, {_grouped()} SELECT * FROM grouped ORDER BY position, line",
        {
            "model": model,
            "baseline": baseline,
            "candidate": candidate,
            "max_error_rate": cuts.max_error_rate,
            "tolerance": cuts.quality_tolerance,
        },
    )


def _chosen(latency: str) -> str:
    """Return the query of the runs, each with the sides of the limits that it is on."""
    stated = " + ".join(f"CASE WHEN r.{name} > 0 THEN {2**i} ELSE 0 END" for i, name in enumerate(THROUGHPUTS))
    digits = ", ".join(
        f"CASE WHEN r.{name} > 0 THEN round(r.{name}, {_SAME_LENGTH_DIGITS - 1} - floor(log10(r.{name}))::INTEGER) "
        f"ELSE r.{name} END AS {name}_class"
        for name in ("input_tokens", "output_tokens")
    )
    trains = "coalesce(r.train_seq_per_s, r.time_to_train_s) IS NOT NULL"
    by = ", ".join(f"r.{name}" for name in ALIKE)
    return f"""WITH reference AS (
                SELECT r.quality_metric, {trains} AS trains, avg(r.quality_value) AS mean_quality FROM {RUNS}
                    AND r.model = $model AND r.platform = $baseline AND r.quality_value IS NOT NULL GROUP BY ALL),
            chosen AS (
                SELECT {by}, {digits}, {stated} AS stated, r.upload_id, r.input_tokens, r.output_tokens,
                    {", ".join(f"r.{name}" for name in THROUGHPUTS)}, r.{latency} AS latency,
                    r.source_line, r.error_rate, coalesce(r.error_rate, 0) > $max_error_rate AS failed,
                    r.quality_value, q.mean_quality, r.measured_at, r.sdk_version,
                    r.quality_value < q.mean_quality - $tolerance - 1e-9 * abs(q.mean_quality) AS lost,
                    r.quality_value IS NULL AS no_quality
                FROM benchmark_runs r JOIN uploads u USING (upload_id) LEFT JOIN reference q
                    ON q.quality_metric IS NOT DISTINCT FROM r.quality_metric AND q.trains = ({trains})
                WHERE {COUNTED} AND r.model = $model AND r.platform IN ($baseline, $candidate))"""


def _grouped() -> str:
    """Return the queries that group those runs and name the files they are from."""
    rates = ", ".join(
        f"exp(avg(ln(CASE WHEN {name} > 0 THEN {name} END))) AS {name}, "
        f"coalesce(stddev_samp(ln(CASE WHEN {name} > 0 THEN {name} END)), 0) AS sd_log_{name}"
        for name in THROUGHPUTS
    )
    return f"""alike AS (
                SELECT {", ".join(ALIKE)}, input_tokens_class, output_tokens_class, stated, failed, lost,
                    no_quality, avg(input_tokens) AS input_tokens,
                    avg(output_tokens) AS output_tokens, count(*) AS runs, {rates}, min(latency) AS latency_low,
                    max(latency) AS latency_high, count(latency) AS latency_runs, max(error_rate) AS error_rate,
                    CASE WHEN any_value(platform) = $baseline THEN avg(quality_value) ELSE min(quality_value) END
                        AS quality_value,
                    min(source_line) AS line, min(measured_at) AS measured_first, max(measured_at) AS measured_last,
                    list(DISTINCT upload_id) AS upload_ids,
                    coalesce(list(DISTINCT sdk_version) FILTER (sdk_version IS NOT NULL), []) AS sdk_versions
                FROM chosen GROUP BY ALL),
            numbered AS MATERIALIZED (SELECT row_number() OVER () AS number, * FROM alike),
            origin AS (
                SELECT number, max(u.uploaded_at) AS uploaded_at, bool_or(u.demo) AS demo, min(u.position) AS position,
                    list(u.file ORDER BY u.position) AS files
                FROM (SELECT number, unnest(upload_ids) AS upload_id FROM numbered) JOIN uploads u USING (upload_id)
                GROUP BY number),
            grouped AS (SELECT numbered.* EXCLUDE (upload_ids), uploaded_at, demo, files, position
                FROM numbered JOIN origin USING (number))"""
