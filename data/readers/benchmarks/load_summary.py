"""A load-sweep summary: one row a concurrency, latencies in seconds, one wave of requests a row.

The tool's total throughput leaves out the input tokens, and its TPOT is latency ÷ output tokens, so it holds the
prefill: neither is taken for what its name says where the numbers show it.
"""

from __future__ import annotations

import pandas as pd

from data.errors import Problem
from data.readers.cells import Refusal, numbers
from data.readers.document import Document
from data.readers.reading import Reading, check_headers, grid, headers, ragged_problems

ID = "load-summary"
KIND = "benchmark"
_SAME = {  # canonical name → header, factor to the canonical unit
    "input_tokens": ("input_len", 1),
    "concurrency": ("concurrency", 1),
    "completed": ("completed", 1),
    "failed": ("errors", 1),
    "duration_s": ("total_time_s", 1),
    "req_per_s": ("throughput_req_s", 1),
    "output_tok_per_s": ("throughput_output_tok_s", 1),
    "total_tok_per_s": ("throughput_total_tok_s", 1),
    "e2e_ms_mean": ("mean_latency_s", 1000),
    "e2e_ms_p50": ("p50_latency_s", 1000),
    "e2e_ms_p90": ("p90_latency_s", 1000),
    "e2e_ms_p95": ("p95_latency_s", 1000),
    "e2e_ms_p99": ("p99_latency_s", 1000),
    "ttft_ms_mean": ("mean_ttft_s", 1000),
    "ttft_ms_p50": ("p50_ttft_s", 1000),
    "ttft_ms_p90": ("p90_ttft_s", 1000),
    "ttft_ms_p95": ("p95_ttft_s", 1000),
    "ttft_ms_p99": ("p99_ttft_s", 1000),
    "tpot_ms_mean": ("mean_tpot_ms", 1),
}
_TELLING = {"concurrency", "completed", "total_time_s", "throughput_output_tok_s", "mean_latency_s"}
_NEAR = 0.02


def recognise(document: Document) -> bool:
    """Tell whether the headers are those of the sweep, seconds in their names."""
    return headers(document) >= _TELLING


def read(document: Document) -> Reading:
    """Return the runs in canonical units with the mean output length derived; say what the numbers really hold."""
    cells = grid(document)
    assert cells is not None  # recognise() has seen a grid
    warnings = check_headers(document.file, cells)
    columns: dict[str, pd.Series] = {}
    refusals: list[Refusal] = []
    for name, (header, factor) in _SAME.items():
        if header in cells.frame:
            values, refused = numbers(cells.frame[header], name, cells.decimal_comma)
            columns[name] = values * factor
            refusals += refused
    frame = pd.DataFrame(columns, index=cells.frame.index)
    provenance: dict[str, str] = {}
    frame["output_tokens"] = _output_tokens(frame)
    provenance["output_tokens"] = "derived"
    frame["tool"] = pd.Series(ID, index=frame.index, dtype=object)
    warnings += _leave_out_misnamed(document.file, frame)
    return Reading(
        frame,
        cells.lines,
        headers={name: header for name, (header, _) in _SAME.items()},
        problems=ragged_problems(document.file, cells),
        warnings=tuple(warnings),
        refusals=tuple(refusals),
        provenance=provenance,
        unreadable=len(cells.ragged),
    )


def _output_tokens(frame: pd.DataFrame) -> pd.Series:
    completed = frame["completed"].where(frame["completed"] > 0)
    return (frame["output_tok_per_s"] * frame["duration_s"] / completed).round(1)


def _leave_out_misnamed(file: str, frame: pd.DataFrame) -> list[Problem]:
    """Empty the total throughput and the TPOT in `frame` where they are not what they are called."""
    warnings: list[Problem] = []
    if "total_tok_per_s" in frame:
        same = (frame["total_tok_per_s"] - frame["output_tok_per_s"]).abs() <= 1e-9 * frame["output_tok_per_s"].abs()
        if "input_tokens" in frame and (same & (frame["input_tokens"] > 0)).any():
            frame.loc[same, "total_tok_per_s"] = float("nan")
            message = "throughput_total_tok_s equals the output throughput, so it leaves out the input: not loaded."
            warnings.append(Problem(file, None, "throughput_total_tok_s", "total_is_output", message))
    if "tpot_ms_mean" in frame:
        whole = frame["e2e_ms_mean"] / frame["output_tokens"].where(frame["output_tokens"] > 0)
        prefill = (frame["tpot_ms_mean"] / whole - 1).abs() <= _NEAR
        if prefill.any():
            frame.loc[prefill, "tpot_ms_mean"] = float("nan")
            message = "mean_tpot_ms is latency ÷ output tokens: it holds the prefill: not loaded."
            warnings.append(Problem(file, None, "mean_tpot_ms", "tpot_holds_prefill", message))
    return warnings
