"""The JSON lines of SGLang's `bench_serving`: vLLM's keys in milliseconds, but for the latency of a whole request."""

from __future__ import annotations

from data.readers.benchmarks._runs import Fields, Runs, Texts, latencies
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "sglang"
KIND = "benchmark"
_STATISTICS = {"mean": "mean", "p50": "median", "p90": "p90", "p95": "p95", "p99": "p99"}
_METRICS = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2e": "e2e_latency"}
_FIELDS: Fields = {
    "duration_s": ("duration", 1.0),
    "completed": ("completed", 1.0),
    "request_rate": ("request_rate", 1.0),
    "concurrency": ("max_concurrency", 1.0),
    "total_input_tokens": ("total_input_tokens", 1.0),
    "total_output_tokens": ("total_output_tokens", 1.0),
    "req_per_s": ("request_throughput", 1.0),
    "output_tok_per_s": ("output_throughput", 1.0),
    "total_tok_per_s": ("total_throughput", 1.0),
    **latencies("{statistic}_{metric}_ms", _METRICS, _STATISTICS),
}
_TEXTS: Texts = {
    "model": ("model_id", "model", "server_info/model_path"),
    "engine": "backend",
    "engine_version": "server_info/version",
    "dataset": "dataset_name",
}


def recognise(document: Document) -> bool:
    """Tell whether the keys are those of SGLang's serving benchmark."""
    return {"mean_e2e_latency_ms", "output_throughput", "completed", "duration"} <= headers(document)


def read(document: Document) -> Reading:
    """Return a run a line; lengths are those that were counted, not those that were asked for."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    runs.means()
    at_once = runs.get("request_rate").isna() & runs.get("concurrency").isna()
    message = "All requests were sent at once: the time to the first token is mostly waiting"
    runs.remark(at_once, "sent_at_once", message, "Throughput holds; for latencies measure a lower load.")
    nominal = runs.number("random_input_len")
    differ = (runs.get("input_tokens") / nominal - 1).abs() > 0.05
    message = "random_input_len is not the mean length of the inputs; the counted tokens are taken"
    runs.remark(differ, "nominal_length", message, column="random_input_len")
    return runs.reading()
