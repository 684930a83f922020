"""The result of `vllm bench serve`: one JSON object, a list or lines of them, or a CSV with the same keys."""

from __future__ import annotations

import re

import pandas as pd

from data.errors import Problem
from data.readers.cells import Refusal, numbers, show
from data.readers.chips import platform
from data.readers.document import Document
from data.readers.reading import Grid, Reading, check_headers, grid, headers, ragged_problems

ID = "vllm-serve"
KIND = "benchmark"
_NUMBERS = {  # canonical name → key
    "duration_s": "duration",
    "completed": "completed",
    "failed": "failed",
    "request_rate": "request_rate",
    "concurrency": "max_concurrency",
    "total_input_tokens": "total_input_tokens",
    "total_output_tokens": "total_output_tokens",
    "req_per_s": "request_throughput",
    "output_tok_per_s": "output_throughput",
    "total_tok_per_s": "total_token_throughput",
} | {
    f"{canonical}_ms_{statistic}": f"{prefix}_{key}_ms"
    for canonical, key in (("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"), ("e2e", "e2el"))
    for statistic, prefix in (("mean", "mean"), ("p50", "median"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"))
}
_TEXTS = {"model": "model_id", "measured_at": "date"}
# Keys that describe a run without setting it apart as a configuration.
_NO_SETTING = re.compile(
    r"(std|p\d+(\.\d+)?|median|mean)_.*|num_prompts|.*throughput|request_goodput|tokenizer_id|endpoint_type|backend|label|"
    r"burstiness|qps|conc|isl|osl|.*file(name)?|.*_lens|ttfts|itls|errors|generated_texts|max_concurrent_requests|max_output.*"
)
_GPU = re.compile(r"(\d+)\s*x\s*([A-Za-z]+-?\d+[A-Za-z]*)\b(.*)", re.DOTALL)
_PRECISION = re.compile(r"(fp8|fp16|bf16|fp4|mxfp4|int8|int4|fp32)", re.IGNORECASE)


def recognise(document: Document) -> bool:
    """Tell whether the keys are those of vLLM's serving benchmark and not of SGLang's."""
    keys = headers(document)
    latency = any(key in keys for key in ("mean_ttft_ms", "median_ttft_ms"))
    return (
        {"total_token_throughput", "output_throughput", "completed"} <= keys
        and latency
        and "mean_e2e_latency_ms" not in keys
    )


def read(document: Document) -> Reading:
    """Return the runs in canonical units; what sets configurations apart goes into `engine`."""
    cells = grid(document)
    assert cells is not None  # recognise() has seen a grid
    warnings = check_headers(document.file, cells)
    columns: dict[str, pd.Series] = {}
    refusals: list[Refusal] = []
    for name, key in _NUMBERS.items():
        if key in cells.frame:
            columns[name], refused = numbers(cells.frame[key], name, cells.decimal_comma)
            refusals += refused
    for name, key in _TEXTS.items():
        if key in cells.frame:
            columns[name] = cells.frame[key]
    frame = pd.DataFrame(columns, index=cells.frame.index)
    frame["tool"] = pd.Series(ID, index=frame.index, dtype=object)
    derived = _derive(frame, cells) + _from_gpu_text(frame, cells)
    warnings += _settings(document.file, frame, cells)
    warnings += _oddities(document.file, cells)
    return Reading(
        frame,
        cells.lines,
        headers=_NUMBERS | _TEXTS,
        problems=ragged_problems(document.file, cells),
        warnings=tuple(warnings),
        refusals=tuple(refusals),
        provenance=dict.fromkeys(derived, "derived"),
        unreadable=len(cells.ragged),
    )


def _derive(frame: pd.DataFrame, cells: Grid) -> list[str]:
    """Add failed requests and mean lengths to `frame`; return the names of what was added."""
    completed = frame["completed"].where(frame["completed"] > 0)
    added = []
    for name, total in (("input_tokens", "total_input_tokens"), ("output_tokens", "total_output_tokens")):
        if total in frame:
            frame[name] = (frame[total] / completed).round(2)
            added.append(name)
    if "failed" not in frame and "num_prompts" in cells.frame:
        asked, _ = numbers(cells.frame["num_prompts"], "num_prompts", cells.decimal_comma)
        frame["failed"] = (asked - frame["completed"]).where(asked >= frame["completed"])
        added.append("failed")
    return added


def _from_gpu_text(frame: pd.DataFrame, cells: Grid) -> list[str]:
    """Read chip, count, precision and platform out of a column such as `gpu` = «8xH100 1FP8-meta»."""
    if "gpu" not in cells.frame:
        return []
    found = [_chip(cell) for cell in cells.frame["gpu"]]
    names = ("accelerator", "accelerator_count", "precision", "platform")
    for position, name in enumerate(names):
        frame[name] = pd.Series([chip[position] for chip in found], index=frame.index, dtype=object)
    return list(names)


def _chip(cell: object) -> tuple[str | None, int | None, str | None, str | None]:
    match = _GPU.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if match is None or len(match[1]) > 4:
        return None, None, None, None
    precision = _PRECISION.search(match[3])
    return match[2].upper(), int(match[1]), precision[0].lower() if precision else None, platform(match[2])


def _settings(file: str, frame: pd.DataFrame, cells: Grid) -> list[Problem]:
    """Write into `engine` every setting that differs within the file, so that unlike runs are not taken for repeats."""
    known = {*_NUMBERS.values(), *_TEXTS.values(), ""}
    names = [
        str(name)
        for name in cells.frame
        if name not in known
        and not _NO_SETTING.fullmatch(str(name))
        and cells.frame[name].map(lambda cell: isinstance(cell, (str, int, float))).all()
        and cells.frame[name].astype(str).nunique() > 1
    ]
    if not names:
        return []
    labels = [
        ", ".join(f"{name}={' '.join(str(cell).split())}" for name, cell in zip(names, row, strict=True))
        for row in cells.frame[names].itertuples(index=False, name=None)
    ]
    frame["engine"] = pd.Series(labels, index=frame.index, dtype=object)
    message = (
        f"{', '.join(names)} differ within the file: each combination is kept as a configuration of its own (engine)."
    )
    found = [Problem(file, None, names[0], "settings_kept_apart", message)]
    if {"prefill", "decode"} <= set(names):
        hint = "State the price of all instances of a row together, or load each ratio as a file of its own."
        found.append(
            Problem(
                file,
                None,
                "prefill",
                "several_workers",
                "Rows use different numbers of prefill and decode workers.",
                hint,
            )
        )
    if "gpu" in names:
        hint = "Check accelerator, count, precision and platform."
        found.append(
            Problem(file, None, "gpu", "read_from_text", "Chip, count and precision are read from free text.", hint)
        )
    return found


def _oddities(file: str, cells: Grid) -> list[Problem]:
    """Return warnings on columns that contradict each other or say nothing."""
    found: list[Problem] = []
    for key in sorted(set(_NUMBERS.values()) & set(map(str, cells.frame))):
        if key.startswith(("mean_", "median_", "p99_")) and (cells.frame[key].fillna("") == "").all():
            hint = "If a column without a header holds it, name that column."
            found.append(Problem(file, cells.header_line, key, "empty_column", f"The column «{key}» is empty.", hint))
    if {"qps", "request_rate"} <= set(cells.frame):
        qps, _ = numbers(cells.frame["qps"], "qps", cells.decimal_comma)
        rate, _ = numbers(cells.frame["request_rate"], "request_rate", cells.decimal_comma)
        for position in qps.index[(qps - rate).abs() > 1e-9 * rate.abs()]:
            message = f"qps is {qps[position]:g}, request_rate {rate[position]:g}; request_rate is taken."
            found.append(Problem(file, cells.lines[position], "qps", "contradiction", message))
    if "gpu" not in cells.frame:
        message = "The file does not say what served the requests: one instance, or several workers on several."
        hint = "The price must be that of everything that served them."
        found.append(Problem(file, None, None, "server_not_described", message, hint))
    for key in ("filename", "source_file"):
        if key in cells.frame and "model_id" not in cells.frame:
            first = show(cells.frame[key].iloc[0])
            message = f"Model and precision may stand in «{key}» (first: {first}); they are not read."
            found.append(
                Problem(file, cells.header_line, key, "stands_in_file_name", message, "State model and precision.")
            )
    return found
