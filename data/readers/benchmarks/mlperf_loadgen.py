"""The summary text of MLPerf LoadGen: one run a report, all times in nanoseconds as its labels say."""

from __future__ import annotations

import re

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import number, show
from data.readers.document import Document
from data.readers.plain_text import Section, sections
from data.readers.reading import Reading

ID = "mlperf-loadgen"
KIND = "benchmark"
_BANNER = re.compile(r"\s*MLPerf Results Summary\s*")
_PERCENTILE = re.compile(r"(\d+(?:\.\d+)?)(?:th)? percentile (.+)")
_LATENCIES = {  # label in lower case, without unit → canonical name
    "latency": "e2e_ms",
    "first token latency": "ttft_ms",
    "time to output token": "tpot_ms",
    "time per output token": "tpot_ms",
}
_LEVELS = {50.0: "p50", 90.0: "p90", 95.0: "p95", 99.0: "p99"}
_SINGLE = (  # canonical name, label; of several labels for one name the first that is there counts
    ("samples_per_s", "completed samples per second"),
    ("samples_per_s", "samples per second"),
    ("samples_per_s", "scheduled samples per second"),
    ("samples_per_s", "qps w/ loadgen overhead"),
    ("request_rate", "scheduled samples per second"),
    ("output_tok_per_s", "completed tokens per second"),
    ("output_tok_per_s", "tokens per second"),
)
_SHORT_MS = 60_000


def recognise(document: Document) -> bool:
    """Tell whether the text holds LoadGen's headline and a scenario."""
    text = document.text
    return "MLPerf Results Summary" in text and any("Scenario" in part.values for part in sections(text, _BANNER))


def read(document: Document) -> Reading:
    """Return a run for each report; an accuracy run holds no performance and is refused."""
    rows: list[dict[str, object]] = []
    lines: list[int] = []
    warnings: list[Problem] = []
    for section in sections(document.text, _BANNER):
        if "Scenario" not in section.values:
            continue
        rows.append(_run(document.file, section))
        lines.append(section.line)
        warnings += [
            Problem(document.file, section.line, column, code, message, hint)
            for column, code, message, hint in _remarks(section.values)
        ]
    frame = pd.DataFrame(rows, dtype=object)
    return Reading(frame, tuple(lines), warnings=tuple(warnings))


def _run(file: str, section: Section) -> dict[str, object]:
    mode = section.values.get("Mode", "PerformanceOnly")
    if mode == "AccuracyOnly":
        message = "This is an accuracy run: it holds no performance."
        raise IngestError([Problem(file, section.line, "Mode", "no_metric", message, "Load the performance run.")])
    row: dict[str, object] = {"scenario": section.values["Scenario"], "tool": ID}
    values = {" ".join(label.lower().split()): (label, cell) for label, cell in section.values.items()}
    for name, wanted in _SINGLE:
        if wanted in values and name not in row:
            row[name] = _value(file, section.line, *values[wanted])
    for label, (written, cell) in values.items():
        known = _latency(label)
        if known is not None and known not in row:
            nanoseconds = _value(file, section.line, written, cell)
            row[known] = None if nanoseconds is None else nanoseconds / 1e6
    row["run_valid"] = "yes" if section.values.get("Result is") == "VALID" else "no"
    if row["scenario"] == "SingleStream":
        row["concurrency"] = 1
    return row


def _latency(label: str) -> str | None:
    """Return the canonical name of a label that ends in (ns): 97.00 and 99.90 are neither p95 nor p99."""
    if not label.endswith("(ns)"):
        return None
    what = label.removesuffix("(ns)").strip()
    percentile = _PERCENTILE.fullmatch(what)
    if percentile is not None:
        name, statistic = _LATENCIES.get(percentile[2]), _LEVELS.get(float(percentile[1]))
    else:
        name, statistic = _LATENCIES.get(what.removeprefix("mean ")), "mean" if what.startswith("mean ") else None
    return f"{name}_{statistic}" if name and statistic else None


def _value(file: str, line: int, label: str, cell: str) -> float | None:
    try:
        return number(cell)
    except ValueError as error:
        message = f"{show(cell)} is not a number."
        raise IngestError([Problem(file, line, label, "not_a_number", message, "Copy the report again.")]) from error


def _remarks(values: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """Return column, code, message and hint of what keeps a report from being a result."""
    found = []
    verdict = values.get("Result is", "")
    if verdict != "VALID":
        message = f"LoadGen calls the result {show(verdict) if verdict else 'nothing at all'}, not VALID."
        found.append(("Result is", "run_not_valid", message, "It does not count."))
    if values["Scenario"] == "Offline":
        message = "Offline latency is the time since the one batch of all samples began, not that of a request."
        found.append(("Scenario", "offline_latency", message, "Hold no latency objective against it."))
    try:
        shortest = number(values.get("min_duration (ms)", ""))
    except ValueError:
        shortest = None
    if shortest is not None and shortest < _SHORT_MS:
        message = f"The run was asked to last {shortest:g} ms only: a trial, not an MLPerf result."
        found.append(("min_duration (ms)", "short_run", message, ""))
    message = "The report names neither model nor hardware; «SUT name» is a free label."
    return [*found, ("SUT name", "stands_elsewhere", message, "State model, platform, instance type and precision.")]
