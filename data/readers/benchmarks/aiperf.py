"""The CSV of AIPerf: distributions with `std`, single values, and telemetry of the GPUs. One file is one run."""

from __future__ import annotations

from dataclasses import replace

from data.errors import Problem
from data.readers import metric_tables
from data.readers.chips import platform
from data.readers.document import Document, Table
from data.readers.reading import Reading

ID = "aiperf"
KIND = "benchmark"


def recognise(document: Document) -> bool:
    """Tell whether the first table has `Metric,avg,…` with standard deviations and names a request latency."""
    first = document.tables[0] if document.tables else None
    return first is not None and "std" in first.header and metric_tables.is_first(first)


def read(document: Document) -> Reading:
    """Return the one run of the file; chip and count come from the telemetry, where there is any."""
    chips = next((found for table in document.tables if (found := _chips(table))), {})
    reading = metric_tables.read(document, ID, chips)
    warnings = list(reading.warnings)
    if "total_tok_per_s" not in reading.frame:
        message = "The file has no throughput of input and output tokens together: it is left unknown."
        warnings.append(Problem(document.file, None, None, "total_unknown", message))
    return replace(reading, warnings=tuple(warnings), provenance=dict.fromkeys(chips, "derived"))


def _chips(table: Table) -> dict[str, float | str | None]:
    """Return chip, count and platform of the telemetry; nothing where it is another table or names several chips."""
    if not {"GPU_Name", "GPU_UUID"} <= set(table.header) or not table.rows:
        return {}
    names = {row[table.header.index("GPU_Name")] for row in table.rows}
    devices = {row[table.header.index("GPU_UUID")] for row in table.rows}
    if len(names) != 1:
        return {}
    name = names.pop()
    return {"accelerator": name, "accelerator_count": float(len(devices)), "platform": platform(name)}
