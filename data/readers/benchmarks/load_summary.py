"""A load-sweep summary: one row a concurrency, latencies in seconds, one wave of requests a row.

The tool's total throughput leaves out the input tokens, and its TPOT is latency ÷ output tokens, so it holds the
prefill: neither is taken for what its name says where the numbers show it.
"""

from __future__ import annotations

import pandas as pd

from data.readers.columns import Columns, fixed, read_columns
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "load-summary"
KIND = "benchmark"
_STATISTICS = ("mean", "p50", "p90", "p95", "p99")
_FIELDS = (  # the units stand in the names, as words and not in brackets
    ("input len", "input_tokens", fixed()),
    ("concurrency", "concurrency", fixed()),
    ("completed", "completed", fixed()),
    ("errors", "failed", fixed()),
    ("total time s", "duration_s", fixed()),
    ("throughput req s", "req_per_s", fixed()),
    ("throughput output tok s", "output_tok_per_s", fixed()),
    ("throughput total tok s", "total_tok_per_s", fixed()),
    *((f"{word} latency s", f"e2e_ms_{word}", fixed(1e3)) for word in _STATISTICS),
    *((f"{word} ttft s", f"ttft_ms_{word}", fixed(1e3)) for word in _STATISTICS),
    ("mean tpot ms", "tpot_ms_mean", fixed()),
)
_TELLING = {"concurrency", "completed", "total_time_s", "throughput_output_tok_s", "mean_latency_s"}
_NEAR = 0.02


def recognise(document: Document) -> bool:
    """Tell whether the headers are those of the sweep, seconds in their names."""
    return headers(document) >= _TELLING


def read(document: Document) -> Reading:
    """Return the runs in canonical units with the mean output length derived; say what the numbers really hold."""
    columns = read_columns(document, ID, _FIELDS)
    frame = columns.frame
    completed = frame["completed"].where(frame["completed"] > 0)
    columns.derive("output_tokens", (frame["output_tok_per_s"] * frame["duration_s"] / completed).round(1))
    _leave_out_misnamed(columns, frame)
    return columns.reading()


def _leave_out_misnamed(columns: Columns, frame: pd.DataFrame) -> None:
    """Empty the total throughput and the TPOT in `frame` where they are not what they are called."""
    if "total_tok_per_s" in frame:
        same = (frame["total_tok_per_s"] - frame["output_tok_per_s"]).abs() <= 1e-9 * frame["output_tok_per_s"].abs()
        if "input_tokens" in frame and (same & (frame["input_tokens"] > 0)).any():
            frame.loc[same, "total_tok_per_s"] = float("nan")
            message = "throughput_total_tok_s equals the output throughput, so it leaves out the input: not loaded."
            columns.warn("total_is_output", message, "", "throughput_total_tok_s")
    if "tpot_ms_mean" in frame:
        whole = frame["e2e_ms_mean"] / frame["output_tokens"].where(frame["output_tokens"] > 0)
        prefill = (frame["tpot_ms_mean"] / whole - 1).abs() <= _NEAR
        if prefill.any():
            frame.loc[prefill, "tpot_ms_mean"] = float("nan")
            message = "mean_tpot_ms is latency ÷ output tokens: it holds the prefill: not loaded."
            columns.warn("tpot_holds_prefill", message, "", "mean_tpot_ms")
