"""The JSON of `vllm bench latency`: seconds that one batch takes, repeated; lengths and batch size are not in it."""

from __future__ import annotations

import pandas as pd

from data.readers.benchmarks._runs import PERCENTILES, SECONDS, Runs, any_record, latencies
from data.readers.document import Document
from data.readers.reading import Reading

ID = "vllm-latency"
KIND = "benchmark"
_PERCENTILES = {name: name.removeprefix("p") for name in PERCENTILES}
_FIELDS = {"e2e_ms_mean": ("avg_latency", SECONDS)} | latencies(
    "{metric}/{statistic}", {"e2e": "percentiles"}, _PERCENTILES, SECONDS
)


def recognise(document: Document) -> bool:
    """Tell whether a run has a mean latency in seconds with the single latencies or their percentiles."""
    return any_record(
        document,
        lambda run: (
            "avg_latency" in run
            and (isinstance(run.get("latencies"), list) or isinstance(run.get("percentiles"), dict))
        ),
    )


def read(document: Document) -> Reading:
    """Return the latency of a whole batch; percentile 10 is never p90."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    runs.remark_few(_repetitions(runs), "repetitions")
    message = "The latency is that of a whole batch; its size and the lengths are not in the file."
    runs.warn("batch_unknown", message, "State batch_size, input_tokens and output_tokens.")
    return runs.reading()


def _repetitions(runs: Runs) -> pd.Series:
    return runs.raw("latencies").map(lambda found: len(found) if isinstance(found, list) else None).astype("float64")
