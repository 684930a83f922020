"""The summary JSON of LLMPerf: flat keys that state seconds; throughput of the system and of a request are two things.

Its inter-token latency holds the first token too, so it is none of ours and is not loaded.
"""

from __future__ import annotations

from data.readers.benchmarks._runs import PERCENTILES, SECONDS, Fields, Runs, Texts, latencies
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "llmperf"
KIND = "benchmark"
_STATISTICS = {"mean": "mean"} | {name: f"quantiles_{name}" for name in PERCENTILES}
_FIELDS: Fields = {
    "concurrency": ("num_concurrent_requests", 1.0),
    "input_tokens": (("results_number_input_tokens_mean", 1.0), ("mean_input_tokens", 1.0)),
    "output_tokens": (("results_number_output_tokens_mean", 1.0), ("mean_output_tokens", 1.0)),
    "output_tok_per_s": ("results_mean_output_throughput_token_per_s", 1.0),
    "req_per_s": ("results_num_completed_requests_per_min", 1 / 60),
    "completed": ("results_num_completed_requests", 1.0),
    "failed": ("results_number_errors", 1.0),
    "error_rate": ("results_error_rate", 1.0),
    **latencies("results_{metric}_s_{statistic}", {"ttft": "ttft", "e2e": "end_to_end_latency"}, _STATISTICS, SECONDS),
}
_TEXTS: Texts = {"model": "model", "measured_at": "timestamp", "engine": "framework"}


def recognise(document: Document) -> bool:
    """Tell whether the keys begin with «results_» and state seconds."""
    keys = headers(document)
    return any(key.startswith("results_ttft_s") for key in keys) and any(
        key.startswith("results_end_to_end_latency_s") for key in keys
    )


def read(document: Document) -> Reading:
    """Return the runs in canonical units."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    message = "LLMPerf's inter-token latency holds the first token: it is neither TPOT nor ITL and is not loaded."
    runs.warn("itl_holds_first_token", message)
    if any(record.get("api") or record.get("llm_api") for record in runs.records):
        message = "A hosted service was measured: which hardware served it is not known."
        runs.warn("hosted_service", message, "Say «unknown» where you do not know it.")
    return runs.reading()
