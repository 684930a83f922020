"""The JSON of `vllm bench throughput`: an offline run, all requests at once, no latencies.

`tokens_per_second` counts input and output. The output throughput follows only where the file gives both lengths and
they agree with its total.
"""

from __future__ import annotations

from data.readers.benchmarks._runs import Runs
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "vllm-throughput"
KIND = "benchmark"
_FIELDS = {
    "duration_s": ("elapsed_time", 1.0),
    "completed": ("num_requests", 1.0),
    "req_per_s": ("requests_per_second", 1.0),
    "total_tok_per_s": ("tokens_per_second", 1.0),
}
_INPUT = ("input", "input_len")
_OUTPUT = ("output", "ouput", "output_len")  # the misspelling is one that such files have
_NEAR = 0.01


def recognise(document: Document) -> bool:
    """Tell whether the keys are those of an offline run."""
    keys = headers(document)
    return {"elapsed_time", "num_requests"} <= keys and bool({"tokens_per_second", "total_num_tokens"} & keys)


def read(document: Document) -> Reading:
    """Return the runs; what counts input and output is never the output throughput."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    duration, requests = (runs.get(name).where(lambda found: found > 0) for name in ("duration_s", "completed"))
    total = runs.number("total_num_tokens")
    runs.follow("total_tok_per_s", total / duration)
    runs.follow("req_per_s", requests / duration)
    lengths = Runs(document, ID)
    lengths.take({"input_tokens": tuple((k, 1.0) for k in _INPUT), "output_tokens": tuple((k, 1.0) for k in _OUTPUT)})
    tokens = requests * (lengths.get("input_tokens") + lengths.get("output_tokens"))
    agree = (tokens - total).abs() <= _NEAR * total
    for name in ("input_tokens", "output_tokens"):
        runs.put(name, lengths.get(name).where(agree))
    runs.follow("output_tok_per_s", requests * runs.get("output_tokens") / duration)
    differ = tokens.notna() & total.notna() & ~agree
    runs.remark(differ, "contradiction", "The lengths of a request do not add up to total_num_tokens: not loaded")
    measured = runs.number("tokens_per_second")
    off = (measured * duration - total).abs() > _NEAR * total
    runs.remark(off, "contradiction", "tokens_per_second is not total_num_tokens ÷ elapsed_time")
    message = "tokens_per_second counts input and output tokens; an offline run has no latency of single requests."
    runs.warn("total_throughput", message)
    if any("ouput" in record for record in runs.records):
        runs.warn("misspelt_key", "«ouput» is read as the output length.", column="ouput")
    return runs.reading()
