"""Crossover's own benchmark table: canonical names, one row a run."""

from __future__ import annotations

from data import schema
from data.readers import canonical
from data.readers.document import Document
from data.readers.reading import Reading

ID = "crossover-csv"
KIND = "benchmark"
_TELLING = frozenset(column.name for column in (*schema.LATENCY_COLUMNS, *schema.THROUGHPUT_COLUMNS))


def recognise(document: Document) -> bool:
    """Tell whether a header is a canonical latency or throughput and most others are canonical too."""
    return canonical.recognise(document, KIND, _TELLING)


def read(document: Document) -> Reading:
    """Return the rows as they stand; units are in the names."""
    return canonical.read(document, KIND)
