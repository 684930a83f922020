"""The lifecycle report of inference-perf: one file a stage of load, latencies in seconds under `successes`."""

from __future__ import annotations

from data.readers.benchmarks._runs import MEAN_AND_PERCENTILES, SECONDS, Fields, Runs, any_record, dig, latencies
from data.readers.document import Document
from data.readers.reading import Reading

ID = "inference-perf"
KIND = "benchmark"
# `normalized_time_per_output_token` holds the first token and is none of these.
_METRICS = {
    "ttft": "time_to_first_token",
    "tpot": "time_per_output_token",
    "itl": "inter_token_latency",
    "e2e": "request_latency",
}
_FIELDS: Fields = {
    "completed": ("successes/count", 1.0),
    "failed": ("failures/count", 1.0),
    "request_rate": ("load_summary/requested_rate", 1.0),
    "concurrency": ("load_summary/concurrency", 1.0),
    "req_per_s": ("successes/throughput/requests_per_sec", 1.0),
    "output_tok_per_s": ("successes/throughput/output_tokens_per_sec", 1.0),
    "total_tok_per_s": ("successes/throughput/total_tokens_per_sec", 1.0),
    "input_tokens": (("successes/prompt_len/mean", 1.0), ("successes/prompt_tokens/mean", 1.0)),
    "output_tokens": (("successes/output_len/mean", 1.0), ("successes/output_tokens/mean", 1.0)),
    **latencies("successes/latency/{metric}/{statistic}", _METRICS, MEAN_AND_PERCENTILES | {"p50": "median"}, SECONDS),
}


def recognise(document: Document) -> bool:
    """Tell whether successful requests have latencies and a throughput of their own."""
    return any_record(
        document,
        lambda report: (
            isinstance(dig(report, "successes/throughput"), dict) and isinstance(dig(report, "successes/latency"), dict)
        ),
    )


def read(document: Document) -> Reading:
    """Return a run a stage."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    asked, served = runs.get("request_rate"), runs.get("req_per_s")
    idle = (asked > 0) & (served >= 0.9 * asked)
    message = "The server kept up with the offered rate: this says nothing about its capacity"
    runs.remark(idle, "offered_load_served", message, "Raise the load to learn how much it can serve.")
    return runs.reading()
