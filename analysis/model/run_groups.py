"""Runs by the row or by the group: a store with a million runs hands over groups of like ones, a small one each run.

A group stands for runs that agree in all that a comparison distinguishes. Its throughputs are geometric means, and
beside the canonical columns it has `runs`, `sd_log_<throughput>` (sample standard deviation of the logarithm),
`latency_low`, `latency_high` and `latency_runs` of the latency asked for, `measured_first`, `measured_last`, `files`
and `sdk_versions`. Its `error_rate` is the worst, its `quality_value` the lowest. No percentile is ever averaged.
"""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

Record = dict[str, Any]
_READ = (
    "input_tokens",
    "output_tokens",
    "accelerator_count",
    "rate",
    "rate_sd_log",
    "runs",
    "latency_low",
    "latency_high",
    "latency_runs",
    "purchase_option",
    "price_label",
    "files",
    "sdk_versions",
    "measured_first",
    "measured_last",
    "error_rate",
    "quality_metric",
    "quality_value",
    "demo",
)


@dataclass(frozen=True, slots=True)
class PooledRates:
    """Throughput of a configuration: each run's value (of groups the mean alone), geometric mean, s.d. of ln, count."""

    values: tuple[float, ...]
    mean: float | None
    sd_log: float | None
    count: int


def as_groups(runs: pd.DataFrame, latency: str) -> pd.DataFrame:
    """Return the frame with the columns of groups; a row that is one run is a group of one."""
    if "runs" in runs:
        return runs
    values = pd.to_numeric(runs[latency]).astype(float) if latency in runs else pd.Series(float("nan"), runs.index)
    dates = pd.to_datetime(runs["measured_at"]) if "measured_at" in runs else pd.Series(pd.NaT, runs.index)
    versions = runs["sdk_version"] if "sdk_version" in runs else pd.Series(None, runs.index, dtype=object)
    return runs.assign(
        runs=1,
        latency_low=values,
        latency_high=values,
        latency_runs=values.notna().astype(int),
        measured_first=dates,
        measured_last=dates,
        files=pd.Series([(name,) for name in runs["file"]], runs.index, dtype=object),
        sdk_versions=pd.Series([() if pd.isna(v) else (v,) for v in versions], runs.index, dtype=object),
    )


def group_records(runs: pd.DataFrame, keys: tuple[str, ...]) -> list[list[Record]]:
    """Return the rows as records without NaN, those that agree in the keys together, in the order they come in."""
    plain = {name: runs[name].tolist() for name in (*keys, *_READ) if name in runs}
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for cells in zip(*plain.values(), strict=True):
        row = {name: _plain(cell) for name, cell in zip(plain, cells, strict=True)}
        groups.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    return list(groups.values())


def pool_rates(group: list[Record]) -> PooledRates:
    """Pool `rate`, `rate_sd_log` and `runs` of one configuration's rows, exactly as if each run were a row."""
    stated = [row for row in group if row["rate"] is not None]
    if not stated:
        return PooledRates((), None, None, 0)
    parts = [(int(row["runs"]), math.log(row["rate"]), float(row["rate_sd_log"] or 0.0)) for row in stated]
    total = sum(n for n, _, _ in parts)
    mean = sum(n * y for n, y, _ in parts) / total
    squares = sum((n - 1) * sd**2 + n * (y - mean) ** 2 for n, y, sd in parts)
    deviation = math.sqrt(squares / (total - 1)) if total > 1 else None
    rates = tuple(float(row["rate"]) for row in stated)
    return PooledRates(rates if total == len(rates) else (math.exp(mean),), math.exp(mean), deviation, total)


def latencies(group: list[Record]) -> tuple[float, ...]:
    """Return the latency of each run that recorded it; of groups the best and the worst."""
    if all(row["runs"] == 1 for row in group):
        return tuple(values(group, "latency_high"))
    both = values(group, "latency_low") + values(group, "latency_high")
    return tuple(sorted({min(both), max(both)})) if both else ()


def values(group: list[Record], name: str) -> list[Any]:
    """Return what the rows hold under a name, where they hold anything."""
    return [row[name] for row in group if row.get(name) is not None]


def _plain(cell: Any) -> Any:
    return None if cell is None or cell is pd.NaT or (isinstance(cell, float) and math.isnan(cell)) else cell
