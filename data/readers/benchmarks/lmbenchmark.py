"""The per-request table of LMBenchmark: one file is one run, whose figures are computed from its requests.

Percentiles are exact, as all requests are there; one that cannot be read would shift them, so it refuses the file.
"""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import numbers
from data.readers.columns import label, labels
from data.readers.document import Document
from data.readers.reading import Grid, Reading, check_headers, grid, ragged_problems

ID = "lmbenchmark"
KIND = "benchmark"
_COLUMNS = ("prompt_tokens", "generation_tokens", "ttft", "generation_time", "launch_time", "finish_time")
_PERCENTILES = (50, 90, 95, 99)
_UNIX_2001, _UNIX_2100 = 1e9, 4e9


def recognise(document: Document) -> bool:
    """Tell whether the columns of a request are there: times of launch and end, tokens, time to first token."""
    return labels(document) >= {label(name) for name in _COLUMNS}


def read(document: Document) -> Reading:
    """Return the one run; everything in it is derived."""
    cells = grid(document)
    assert cells is not None  # recognise() has seen a grid
    warnings = check_headers(document.file, cells)
    requests = _requests(document.file, cells)
    ended = requests["finish_time"].notna() & (requests["generation_tokens"] > 0)
    if not ended.any():
        message = "No request of the file ended with a token."
        raise IngestError([Problem(document.file, None, None, "no_rows", message, "Measure again.")])
    row = _run(requests[ended], int((~ended).sum()))
    message = f"The file lists {len(requests)} requests: they are one run, and its figures are computed from them."
    warnings.append(Problem(document.file, None, None, "computed_from_requests", message))
    frame = pd.DataFrame([row | {"tool": ID}], dtype=object)
    line = (cells.header_line or cells.lines[0],)
    return Reading(frame, line, warnings=tuple(warnings), provenance=dict.fromkeys(row, "derived"))


def _requests(file: str, cells: Grid) -> pd.DataFrame:
    """Return the requests as numbers; raise IngestError where one cannot be read or ends before it begins."""
    problems = list(ragged_problems(file, cells))
    by_label = {label(str(header)): str(header) for header in cells.frame}
    out: dict[str, pd.Series] = {}
    for name in _COLUMNS:
        out[name], refusals = numbers(cells.frame[by_label[label(name)]], name, cells.decimal_comma)
        problems += [Problem(file, cells.lines[r.position], name, r.code, r.message, r.hint) for r in refusals]
    requests = pd.DataFrame(out)
    backwards = (requests["finish_time"] < requests["launch_time"]) | (requests < 0).any(axis=1)
    for row in requests.index[backwards]:
        message = "The request ends before it begins, or a value is negative."
        problems.append(Problem(file, cells.lines[row], None, "out_of_range", message, "Remove or correct the row."))
    if problems:
        raise IngestError(problems[:100])
    return requests


def _run(requests: pd.DataFrame, failed: int) -> dict[str, object]:
    """Return the figures of the requests that ended."""
    tokens, count = requests["generation_tokens"], len(requests)
    duration = float(requests["finish_time"].max() - requests["launch_time"].min())
    start = float(requests["launch_time"].min())
    later = requests["generation_time"] / (tokens - 1).where(tokens > 1)
    row: dict[str, object] = {
        "completed": count,
        "failed": failed,
        "duration_s": duration if duration > 0 else None,
        "input_tokens": round(float(requests["prompt_tokens"].mean()), 2),
        "output_tokens": round(float(tokens.mean()), 2),
        "total_input_tokens": float(requests["prompt_tokens"].sum()),
        "total_output_tokens": float(tokens.sum()),
        "measured_at": _moment(start),
    }
    if duration > 0:
        row["req_per_s"] = count / duration
        row["output_tok_per_s"] = float(tokens.sum()) / duration
        row["total_tok_per_s"] = float(tokens.sum() + requests["prompt_tokens"].sum()) / duration
    whole = requests["finish_time"] - requests["launch_time"]
    for name, seconds in (("ttft_ms", requests["ttft"]), ("tpot_ms", later), ("e2e_ms", whole)):
        values = seconds.dropna().to_numpy(dtype=float) * 1e3
        if len(values):
            row[f"{name}_mean"] = float(values.mean())
            levels = np.percentile(values, _PERCENTILES)
            row |= {f"{name}_p{level}": float(value) for level, value in zip(_PERCENTILES, levels, strict=True)}
    return row


def _moment(seconds: float) -> str | None:
    """Return the time of a launch that is counted from 1970, None where it is counted from something else."""
    return datetime.fromtimestamp(seconds, UTC).isoformat() if _UNIX_2001 < seconds < _UNIX_2100 else None
