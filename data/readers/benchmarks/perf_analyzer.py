"""The CSV of Triton's perf_analyzer: a row a load, latencies in microseconds by the tool's rule, rows by throughput."""

from __future__ import annotations

from data.readers.columns import MS, Columns, first, fixed, labels, read_columns, spread
from data.readers.document import Document
from data.readers.reading import Reading

ID = "perf-analyzer"
KIND = "benchmark"
_FIELDS = (
    ("concurrency", "concurrency", fixed()),
    ("request rate", "request_rate", fixed()),
    ("inferences/second", "samples_per_s", fixed()),
    *spread("{} latency", "e2e_ms", fixed(1e-3, MS)),
)
_OWN = {"client send", "network+server send/recv", "p50 latency", "p99 latency"}


def recognise(document: Document) -> bool:
    """Tell whether inferences per second stand beside a load and the tool's own split of the latency."""
    found = labels(document)
    return "inferences/second" in found and bool(found & {"concurrency", "request rate"}) and bool(found & _OWN)


def read(document: Document) -> Reading:
    """Return the runs with latencies in ms; warn where the numbers contradict microseconds."""
    columns = read_columns(document, ID, _FIELDS)
    message = "The file states no unit: latencies are taken as microseconds, as the tool writes them."
    columns.warn("unit_by_rule", message, "Check one of them.")
    _check_unit(columns)
    return columns.reading()


def _check_unit(columns: Columns) -> None:
    """Warn where concurrency ÷ throughput, which is the latency, is far from the latency read."""
    frame = columns.frame
    if not {"concurrency", "e2e_ms_p50"} <= set(frame):
        return
    ratio = 1e3 * frame["concurrency"] / frame["samples_per_s"] / frame["e2e_ms_p50"]
    odd = (ratio > 30) | (ratio < 1 / 30)
    if odd.any():
        message = "Concurrency ÷ throughput is far from the latency read as microseconds."
        columns.warn("unit_implausible", message, "Check the unit.", "p50 latency", row=first(odd))
