"""The experiment JSON of genai-bench: seconds unless `_time_unit` says otherwise, requests per minute.

`stats/output_throughput` is that of a single request; the system's stands beside `stats`.
"""

from __future__ import annotations

from data.errors import IngestError, Problem
from data.readers.benchmarks._runs import MEAN_AND_PERCENTILES, SECONDS, Fields, Runs, Texts, any_record, dig, latencies
from data.readers.cells import show
from data.readers.document import Document
from data.readers.reading import Reading

ID = "genai-bench"
KIND = "benchmark"
_AT = "aggregated_metrics"
_METRICS = {"ttft": "ttft", "tpot": "tpot", "e2e": "e2e_latency"}
_FIELDS: Fields = {
    "concurrency": (f"{_AT}/num_concurrency", 1.0),
    "batch_size": (f"{_AT}/batch_size", 1.0),
    "output_tok_per_s": (f"{_AT}/mean_output_throughput_tokens_per_s", 1.0),
    "total_tok_per_s": (f"{_AT}/mean_total_tokens_throughput_tokens_per_s", 1.0),
    "req_per_s": ((f"{_AT}/requests_per_second", 1.0), (f"{_AT}/requests_per_minute", 1 / 60)),
    "completed": (f"{_AT}/num_completed_requests", 1.0),
    "failed": (f"{_AT}/num_error_requests", 1.0),
    "duration_s": (f"{_AT}/run_duration", 1.0),
    "input_tokens": (f"{_AT}/stats/num_input_tokens/mean", 1.0),
    "output_tokens": (f"{_AT}/stats/num_output_tokens/mean", 1.0),
    "total_input_tokens": (f"{_AT}/stats/num_input_tokens/sum", 1.0),
    "total_output_tokens": (f"{_AT}/stats/num_output_tokens/sum", 1.0),
}
_UNITS = {"s": SECONDS, "ms": 1.0}
_TEXTS: Texts = {"scenario": f"{_AT}/scenario"}


def recognise(document: Document) -> bool:
    """Tell whether there are aggregated metrics with statistics of the first token."""
    return any_record(document, lambda run: isinstance(dig(run, f"{_AT}/stats"), dict))


def read(document: Document) -> Reading:
    """Return one run a file; single requests are not runs."""
    units = {str(record.get("_time_unit", "s")) for record in document.objects}
    if len(units) != 1 or not units <= set(_UNITS):
        message = f"The time unit {show(', '.join(sorted(units)))} is not known, or not the same throughout."
        problem = Problem(
            document.file, document.record_lines[0], "_time_unit", "unknown_unit", message, "Use s or ms."
        )
        raise IngestError([problem])
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    pattern = f"{_AT}/stats/{{metric}}/{{statistic}}"
    runs.take(latencies(pattern, _METRICS, MEAN_AND_PERCENTILES, _UNITS[units.pop()]))
    runs.take_texts(_TEXTS)
    tokens = runs.number(f"{_AT}/stats/total_tokens/sum")
    share = runs.get("total_output_tokens") / tokens.where(tokens > 0)
    differ = (runs.get("total_tok_per_s") * share / runs.get("output_tok_per_s") - 1).abs() > 0.02
    message = "The output throughput is not its share of the total throughput"
    runs.remark(differ, "contradiction", message, "Both are loaded as they stand; measure over a longer run.")
    return runs.reading()
