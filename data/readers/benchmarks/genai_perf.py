"""The CSV of GenAI-Perf: a table of distributions, a blank line, a table of single values. One file is one run."""

from __future__ import annotations

from data.readers import metric_tables
from data.readers.document import Document
from data.readers.reading import Reading

ID = "genai-perf"
KIND = "benchmark"


def recognise(document: Document) -> bool:
    """Tell whether the first table has `Metric,avg,…` without standard deviations and names a request latency."""
    first = document.tables[0] if document.tables else None
    return first is not None and "std" not in first.header and metric_tables.is_first(first)


def read(document: Document) -> Reading:
    """Return the one run of the file in canonical units, which the metric names state."""
    return metric_tables.read(document, ID)
