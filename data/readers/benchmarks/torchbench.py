"""The CSV of PyTorch's dynamo benchmarks (TorchBench): a row a model, units by the tool's rule.

`speedup` compares compiled with eager on the same device, and `compression_ratio` memory: neither is a speed.
"""

from __future__ import annotations

from data.readers.columns import TEXT, fixed, labels, read_columns
from data.readers.document import Document
from data.readers.reading import Reading

ID = "torchbench"
KIND = "benchmark"
_FIELDS = (
    ("dev", "platform", TEXT),
    ("name", "model", TEXT),
    ("batch size", "batch_size", fixed()),
    ("abs latency", "e2e_ms_p50", fixed()),
    ("compilation latency", "compile_s", fixed()),
)


def recognise(document: Document) -> bool:
    """Tell whether device, name and batch stand beside the latency of a run and that of compiling."""
    return labels(document) >= {"dev", "name", "batch size", "abs latency", "compilation latency"}


def read(document: Document) -> Reading:
    """Return the rows; the latency of one batch in ms is the median of the compiled run."""
    columns = read_columns(document, ID, _FIELDS)
    message = (
        "The file states no unit: abs_latency is taken as ms a batch, compilation_latency as s, as the tool writes."
    )
    columns.warn("unit_by_rule", message, "", "abs_latency")
    if columns.other("speedup") is not None:
        message = "speedup is against eager mode on the same device, not against another one: it is not loaded."
        columns.warn("other_baseline", message, "", "speedup")
    if (columns.frame["platform"].astype(str).str.lower() == "cuda").any():
        message = "«cuda» names no GPU, and PyTorch for AMD GPUs writes it too."
        columns.warn("device_not_named", message, "State instance type or accelerator.", "dev")
    return columns.reading()
