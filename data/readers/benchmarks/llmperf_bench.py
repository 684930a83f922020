"""The summary JSON of llmperf-bench: one object a concurrency, under keys that are the concurrencies."""

from __future__ import annotations

import re

from data.readers.benchmarks._runs import Fields, Record, Runs, any_record
from data.readers.document import Document
from data.readers.reading import Reading

ID = "llmperf-bench"
KIND = "benchmark"
_TTFT = "first-time-to-token_mean_in_ms"
_FIELDS: Fields = {
    "concurrency": (("concurrency", 1.0), ("key", 1.0)),
    "input_tokens": ("input_token_length", 1.0),
    "output_tokens": ("output_token_length", 1.0),
    "ttft_ms_mean": (_TTFT, 1.0),
    "output_tok_per_s": ("throughput_token_per_s", 1.0),
}


def recognise(document: Document) -> bool:
    """Tell whether the values of an object are runs with a time to the first token in milliseconds."""
    return any_record(document, lambda record: any(_is_run(value) for value in record.values()))


def _is_run(value: object) -> bool:
    return isinstance(value, dict) and _TTFT in value and "throughput_token_per_s" in value


def read(document: Document) -> Reading:
    """Return a run a concurrency, in rising order."""
    found = [
        (_line(document, key, line), {"key": key, **run})
        for record, line in zip(document.objects, document.record_lines, strict=True)
        for key, run in record.items()
        if isinstance(run, dict)
    ]
    found.sort(key=lambda pair: _load(pair[1]))
    runs = Runs(document, ID, [run for _, run in found], tuple(line for line, _ in found))
    runs.take(_FIELDS)
    left_out = "latency_ms_per_token"
    if any(left_out in run for run in runs.records):
        message = f"{left_out} is not said to be TPOT or ITL, and is not loaded."
        runs.warn("metric_unclear", message, column=left_out)
    first, rate = runs.get("ttft_ms_mean"), runs.get("output_tok_per_s")
    queue = (first > 5 * first.min()) & (rate < 1.5 * rate.shift())
    message = "The first token takes over five times as long as at the lowest load while throughput grows little"
    runs.remark(queue, "overloaded", message, "Requests are queueing; compare at a lower load.")
    return runs.reading()


def _load(run: Record) -> float:
    """Return the concurrency as a number: sorted as text, 128 would come before 2."""
    given = str(run.get("concurrency", run["key"]))
    return float(given) if re.fullmatch(r"\d{1,9}", given) else float("inf")


def _line(document: Document, key: str, line: int) -> int:
    if len(document.objects) > 1:
        return line
    match = re.search(rf'"{re.escape(key)}"\s*:\s*\{{', document.text)
    return 1 + document.text.count("\n", 0, match.start()) if match else line
