"""What follows from a row's own values, and what deserves a warning: works on typed frames, a column at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from data import prices, schema
from data.errors import Problem
from data.readers.cells import Refusal

OVERLOAD_SHARE = 0.25
HIGH_ERROR_RATE = 0.05
FAR = 2.0  # figures that follow from one another agree within this factor, or something else was measured
WRONG_UNIT = 500.0  # s for ms is a factor of 1,000
FASTEST_REQUEST_TOKENS_PER_S = 10_000.0
FASTEST_INSTANCE_TOKENS_PER_S = 1e6
_LINES_SHOWN = 10
_STATISTICS = ("mean", "p50", "p90", "p95", "p99")
_LATENCIES = ("ttft", "tpot", "itl", "e2e")
_LATENCY_NAMES = [column.name for column in schema.LATENCY_COLUMNS]
_MAKERS = {"cuda": "NVIDIA", "neuron": "AWS", "neuron-xla": "AWS", "rocm": "AMD"}


def fill(frame: pd.DataFrame) -> dict[str, str]:
    """Fill in `frame` what follows from other columns; return provenance of the columns that were filled."""
    filled: dict[str, str] = {}
    derived = {
        "software_path": _followed(frame["platform"], schema.SOFTWARE_PATHS.get),
        "accelerator": _followed(frame["instance_type"], lambda name: _fact(name, "accelerator")),
        "accelerator_count": _followed(frame["instance_type"], lambda name: _fact(name, "accelerator_count")),
        "error_rate": _error_rate(frame),
    }
    for name, values in derived.items():
        gaps = frame[name].isna()
        if gaps.any() and (gaps := gaps & values.notna()).any():
            values = values.astype(frame[name].dtype)
            frame[name] = values if gaps.all() else frame[name].where(~gaps, values)
            filled[name] = "derived"
    return filled


def _followed(names: pd.Series, follow: Callable[[str], object]) -> pd.Series:
    """Return what follows from each name; every distinct name is looked at once."""
    codes, distinct = pd.factorize(names)
    found = np.array([*(follow(name) for name in distinct), None], dtype=object)  # the code of a gap is -1
    return pd.Series(found[codes], index=names.index, dtype=object)


def _fact(instance_type: str, name: str) -> object:
    return getattr(prices.instance(instance_type), name, None)


def _error_rate(frame: pd.DataFrame) -> pd.Series:
    everything = frame["completed"] + frame["failed"]
    return frame["failed"] / everything.where(everything > 0)


def refuse(frame: pd.DataFrame) -> list[Refusal]:
    """Return refusals of rows that measure nothing, or whose platform cannot run on their instance."""
    refusals: list[Refusal] = []
    measured = pd.Series(False, index=frame.index)
    for name in (*_LATENCY_NAMES, *(column.name for column in schema.THROUGHPUT_COLUMNS)):
        if not measured.all():
            measured |= frame[name].notna()
    for position in measured.index[~measured]:
        message = "The row holds no latency and no throughput."
        refusals.append(
            Refusal(int(position), "", "no_metric", message, "Leave it out, or name its metric canonically.")
        )
    for platform, name in frame[["platform", "instance_type"]].dropna().drop_duplicates().itertuples(index=False):
        facts = prices.instance(name)
        maker = _MAKERS.get(platform)
        if facts is None or maker is None or facts.accelerator.startswith(maker):
            continue
        rows = (frame["instance_type"] == name) & (frame["platform"] == platform)
        message = f"Platform {platform} does not run on {name} ({facts.accelerator})."
        refusals += [
            Refusal(int(position), "platform", "platform_instance_mismatch", message, "Correct one of the two.")
            for position in rows.index[rows]
        ]
    return refusals


def needs(frame: pd.DataFrame, kind: str) -> tuple[str, ...]:
    """Return the dimensions that some row lacks and that must be stated before the file is loaded."""
    if kind == "operators":
        lacking = {
            "model": (frame["role"] == "used") & frame["model"].isna(),
            "backend": frame["status"].notna() & frame["backend"].isna(),
            "version": frame["status"].notna() & frame["version"].isna(),
        }
        return tuple(name for name, rows in lacking.items() if rows.any())
    missing = [name for name in schema.REQUIRED if frame[name].isna().any()]
    if "instance_type" in missing:
        missing += [name for name in schema.FOLLOWS_FROM_INSTANCE if frame[name].isna().any()]
    return tuple(missing)


Remark = tuple[pd.Series, str, str, str, str]  # rows, column, code, message, hint


@dataclass(slots=True)
class _Found:
    """Count the rows that one remark is about, and keep the first of their lines."""

    column: str
    code: str
    message: str
    hint: str
    count: int = 0
    lines: list[int] = field(default_factory=list)


class Remarks:
    """Collect what a careful reader would remark about runs, batch by batch: one warning a kind, naming its lines."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Found] = {}
        self._rows = 0

    def add(self, frame: pd.DataFrame, lines: pd.Series) -> None:
        """Look at more runs; `lines` says where each stands."""
        self._rows += len(frame)
        kinds = (*_load(frame), *_latency(frame), *_agreement(frame), *_siblings(frame), *_instance(frame))
        for rows, column, code, message, hint in kinds:
            if rows.any():
                found = self._found.setdefault((column, code), _Found(column, code, message, hint))
                found.count += int(rows.sum())
                found.lines += [int(line) for line in lines[rows.index[rows][: _LINES_SHOWN + 1]]]

    def move(self, place: Callable[[int], int]) -> None:
        """Put what was found to other lines."""
        for found in self._found.values():
            found.lines = [place(line) for line in found.lines]

    def problems(self, file: str) -> list[Problem]:
        """Return the warnings about all runs looked at."""
        return [
            Problem(file, min(f.lines), f.column, f.code, f"{f.message}{_places(f, self._rows)}.", f.hint)
            for f in self._found.values()
        ]


def _places(found: _Found, rows: int) -> str:
    """Return which lines are meant, where the file has more than one."""
    if rows == 1:
        return ""
    shown = ", ".join(map(str, sorted(found.lines)[:_LINES_SHOWN])) + (" …" if found.count > _LINES_SHOWN else "")
    return f" ({found.count} of {rows} rows: line{'s' if found.count > 1 else ''} {shown})"


def _load(frame: pd.DataFrame) -> list[Remark]:
    unloaded = frame[["concurrency", "request_rate", "batch_size"]].isna().all(axis=1)
    return [
        (
            frame["error_rate"] > HIGH_ERROR_RATE,
            "error_rate",
            "high_error_rate",
            f"More than {HIGH_ERROR_RATE:.0%} of the requests failed",
            "Such a run does not count in a comparison.",
        ),
        (
            frame["completed"].notna() & (frame["completed"] == frame["concurrency"]),
            "completed",
            "one_wave",
            "As many requests as were in flight at once: one wave only, without a steady state",
            "Measure several times the concurrency.",
        ),
        (
            (frame["ttft_ms_mean"] > OVERLOAD_SHARE * frame["e2e_ms_mean"]) & ~_whole_is_ttft(frame),
            "ttft_ms_mean",
            "overloaded",
            f"The first token takes more than {OVERLOAD_SHARE:.0%} of the whole request: requests are queueing",
            "Throughput holds under overload while users wait; measure a lower load.",
        ),
        (
            frame["request_rate"] > 1.2 * frame["req_per_s"],
            "request_rate",
            "offered_exceeds_served",
            "More requests were offered per second than were served: the run is a burst or overloaded",
            "",
        ),
        (
            unloaded,
            "concurrency",
            "load_unknown",
            "Neither concurrency nor request rate nor batch size is known",
            "State it if you can: cost and latency belong to a load.",
        ),
    ]


def _whole_is_ttft(frame: pd.DataFrame) -> pd.Series:
    return (frame["ttft_ms_mean"] / frame["e2e_ms_mean"] - 1).abs() < 1e-6


def _latency(frame: pd.DataFrame) -> list[Remark]:
    above = pd.Series(False, index=frame.index)
    for statistic in _STATISTICS:
        above |= frame[f"ttft_ms_{statistic}"] > frame[f"e2e_ms_{statistic}"] * (1 + 1e-6)
    disorder = pd.Series(False, index=frame.index)
    skewed = pd.Series(False, index=frame.index)
    identical = pd.Series(False, index=frame.index)
    for metric in _LATENCIES:
        ordered = [frame[f"{metric}_ms_{statistic}"] for statistic in _STATISTICS[1:]]
        identical |= _all_equal(ordered)
        for i, low in enumerate(ordered):
            for high in ordered[i + 1 :]:
                disorder |= low > high * (1 + 1e-6)
        skewed |= frame[f"{metric}_ms_mean"] > 2 * frame[f"{metric}_ms_p50"]
    return [
        (above, "ttft_ms_mean", "ttft_above_e2e", "The first token comes later than the last", "Check the units."),
        (
            disorder,
            "e2e_ms_p99",
            "percentiles_disordered",
            "A higher percentile is below a lower one",
            "Check the columns.",
        ),
        (
            identical,
            "e2e_ms_p99",
            "identical_percentiles",
            "Three or more percentiles of a latency are the same number: one request, or a column copied",
            "Measure enough requests for a 99th percentile, at least some hundreds.",
        ),
        (skewed, "ttft_ms_mean", "skewed", "A mean latency is more than twice its median: few requests wait long", ""),
        (
            _whole_is_ttft(frame),
            "ttft_ms_mean",
            "not_streamed",
            "The first token comes with the last: the run did not stream, so its TTFT says nothing",
            "",
        ),
    ]


def _all_equal(percentiles: list[pd.Series]) -> pd.Series:
    """Tell in which rows three or more percentiles are stated and all of them are the same."""
    table = pd.concat(percentiles, axis=1)
    return (table.notna().sum(axis=1) >= 3) & (table.max(axis=1) == table.min(axis=1)) & (table.max(axis=1) > 0)


def _agreement(frame: pd.DataFrame) -> list[Remark]:
    """Compare figures that follow from one another: latency from its parts, load from throughput, totals from rates."""
    after_first = frame["tpot_ms_mean"] * (frame["output_tokens"] - 1).clip(lower=0)
    whole = after_first + frame["ttft_ms_mean"].fillna(0.0)
    latency = frame["e2e_ms_mean"]
    too_short = frame["ttft_ms_mean"].notna() & (whole < latency / FAR)
    requests = frame["req_per_s"].fillna(frame["output_tok_per_s"] / frame["output_tokens"].where(lambda n: n > 0))
    in_flight = requests * latency / 1000
    idle = (in_flight < frame["concurrency"] / FAR) & frame["request_rate"].isna()
    tokens_per_s = frame["total_output_tokens"] / frame["duration_s"]
    return [
        (
            (whole > latency * FAR) | too_short,
            "tpot_ms_mean",
            "tpot_far_from_latency",
            "First token + time per token × tokens is far from the whole request",
            "Check the units and the output length.",
        ),
        (
            (in_flight > frame["concurrency"] * FAR) | idle,
            "concurrency",
            "load_disagrees",
            "Requests per second × latency is far from the concurrency (Little's law)",
            "Check the units; or the load was not what the column says.",
        ),
        (
            frame["total_tok_per_s"] < frame["output_tok_per_s"] * (1 - 1e-6),
            "total_tok_per_s",
            "total_below_output",
            "Input and output tokens together are fewer than the output tokens alone",
            "Check which column is which.",
        ),
        (
            _far(tokens_per_s, frame["output_tok_per_s"]) | _far(frame["completed"] / frame["duration_s"], requests),
            "duration_s",
            "totals_disagree",
            "Totals ÷ duration are far from the throughput",
            "Check whether values stand under the wrong header.",
        ),
        (
            (frame["output_tokens"] / latency * 1000 > FASTEST_REQUEST_TOKENS_PER_S)
            | (
                pd.concat([tokens_per_s, frame["output_tok_per_s"]], axis=1).max(axis=1) > FASTEST_INSTANCE_TOKENS_PER_S
            ),
            "output_tokens",
            "implausibly_fast",
            "More tokens in less time than any accelerator makes",
            "Check the units, and whether values stand under the wrong header.",
        ),
    ]


def _far(a: pd.Series, b: pd.Series) -> pd.Series:
    return (a > b * FAR) | (a < b / FAR)


def _siblings(frame: pd.DataFrame) -> list[Remark]:
    """Compare a value with its row's other statistics and with its column: a factor of 1,000 is a unit mistaken."""
    odd = pd.Series(False, index=frame.index)
    for metric in _LATENCIES:
        stated = [frame[f"{metric}_ms_{statistic}"] for statistic in _STATISTICS]
        stated = [values.where(values > 0) for values in stated if values.notna().any()]
        for i, one in enumerate(stated):
            for other in stated[i + 1 :]:
                odd |= (one > WRONG_UNIT * other) | (other > WRONG_UNIT * one)
    columns = [*_LATENCY_NAMES, *(column.name for column in schema.THROUGHPUT_COLUMNS)]
    for name in columns:
        values = frame[name]
        if values.count() >= 3:
            values = values.where(values > 0)
            middle = values.median()
            odd |= (values > WRONG_UNIT * middle) | (values < middle / WRONG_UNIT)
    return [
        (
            odd,
            "",
            "thousandfold",
            "A value is some thousand times its siblings (the same column, or another statistic of the same latency)",
            "Check its unit: s taken for ms looks like this.",
        )
    ]


def _instance(frame: pd.DataFrame) -> list[Remark]:
    known = frame["instance_type"].notna()
    counts = _followed(frame["instance_type"], lambda name: _fact(name, "accelerator_count")).astype("float64")
    priced = _followed(frame["instance_type"], lambda name: bool(prices.propose_price(name))) == True  # noqa: E712
    found: list[Remark] = [
        (
            known & frame[name].isna(),
            name,
            f"{name}_unknown",
            f"{name} is not given, and the instance type is not in the table",
            "State it if you can.",
        )
        for name in schema.FOLLOWS_FROM_INSTANCE
    ]
    return [
        *found,
        (
            known & ~priced & frame["price_usd_per_hour"].isna(),
            "price_usd_per_hour",
            "price_unknown",
            f"No price is given, and the table has none for the instance in {prices.DEFAULT_REGION}",
            "State price_usd_per_hour.",
        ),
        (
            counts.notna() & frame["accelerator_count"].notna() & (counts != frame["accelerator_count"]),
            "accelerator_count",
            "part_of_instance",
            "Not all accelerators of the instance were used, yet the whole instance is billed",
            "",
        ),
    ]
