"""The experiment JSON of InferenceX: the keys of vLLM's benchmark without `_ms`, in seconds."""

from __future__ import annotations

import pandas as pd

from data.readers.benchmarks._runs import MEAN_AND_PERCENTILES, SECONDS, Fields, Runs, Texts, latencies, precision_of
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "inferencex"
KIND = "benchmark"
METRICS = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2e": "e2el"}
LATENCIES = latencies("{statistic}_{metric}", METRICS, MEAN_AND_PERCENTILES | {"p50": "median"}, SECONDS)
_FIELDS: Fields = {
    "duration_s": ("duration", 1.0),
    "completed": ("completed", 1.0),
    "request_rate": ("request_rate", 1.0),
    "concurrency": ("max_concurrency", 1.0),
    "total_input_tokens": ("total_input_tokens", 1.0),
    "total_output_tokens": ("total_output_tokens", 1.0),
    "req_per_s": ("request_throughput", 1.0),
    "output_tok_per_s": ("output_throughput", 1.0),
    "total_tok_per_s": ("total_token_throughput", 1.0),
    **LATENCIES,
}
_TEXTS: Texts = {"model": "model_id", "measured_at": "date"}


def recognise(document: Document) -> bool:
    """Tell whether latencies stand under names without a unit, beside an output throughput that is not per GPU."""
    keys = headers(document)
    unitless = keys & {"median_ttft", "mean_ttft", "median_e2el", "mean_e2el"}
    return bool(unitless) and "output_throughput" in keys and "tput_per_gpu" not in keys


def read(document: Document) -> Reading:
    """Return the runs; the median is p50, and an input throughput is nobody's output."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    runs.means()
    found = pd.Series([precision_of(name) for name in runs.raw("model_id")], runs.frame.index, dtype=object)
    if found.notna().any():
        runs.follow("precision", found)
        message = "The precision is read from the model's name."
        runs.warn("read_from_text", message, "Check it.", "model_id")
    message = "The file does not say which chip served the requests, nor how many."
    runs.warn("server_not_described", message, "The price must be that of everything that served them.")
    return runs.reading()
