"""The `benchmark_report` of NxD Inference: milliseconds of the whole model and of its parts, which are not runs."""

from __future__ import annotations

from data.readers.benchmarks._runs import PERCENTILES, SECONDS, Runs, any_record, dig, latencies
from data.readers.document import Document
from data.readers.reading import Reading

ID = "nxdi"
KIND = "benchmark"
_WHOLE = "e2e_model"
_FIELDS = latencies("{metric}/latency_ms_{statistic}", {"e2e": _WHOLE}, PERCENTILES | {"mean": "avg"})  # p100 is no p99


def recognise(document: Document) -> bool:
    """Tell whether the whole model has latencies in milliseconds under NxD Inference's names."""
    return any_record(document, lambda report: _is_timed(dig(report, _WHOLE)))


def _is_timed(part: object) -> bool:
    return isinstance(part, dict) and any(key.startswith("latency_ms_") for key in map(str, part))


def read(document: Document) -> Reading:
    """Return the latency of the whole model; its throughput has no unit and is not loaded."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    throughput = runs.number(f"{_WHOLE}/throughput")
    tokens = throughput * runs.get("e2e_ms_mean") / SECONDS
    hint = "State the lengths and the batch size; from them the output throughput follows."
    for position in throughput.index[throughput.notna()]:
        message = f"The unit of throughput ({throughput[position]:g}) is not stated, so it is not loaded."
        if tokens.notna()[position]:
            message += f" × latency it is {tokens[position]:g}: tokens of a whole batch, perhaps input and output."
        runs.warn("unit_not_stated", message, hint, f"{_WHOLE}/throughput", int(position))
    message = "Batch size and lengths are not in the file."
    runs.warn("batch_unknown", message, "State batch_size, input_tokens and output_tokens.")
    empty = [name for name, part in runs.records[0].items() if part is None] if len(runs.records) else []
    if empty:
        runs.warn("part_missing", f"{', '.join(empty)[:200]}: nothing was measured.")
    return runs.reading()
