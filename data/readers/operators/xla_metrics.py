"""torch_xla's metrics report: counters `aten::X` fell back to the CPU, counters `xla::X` ran on the device.

Counters of a process only grow, so of a counter that stands in several reports the largest value counts.
"""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, numbered, shortened
from data.readers.reading import Reading

ID = "xla-metrics"
KIND = "operators"
_METRIC = re.compile(r"^Metric: \w", re.MULTILINE)
_OPERATOR = re.compile(r"Counter: (aten|xla)::([\w.]+)\s*")
_ANY = re.compile(r"^(?:Counter: [\w:.]+\s*\n\s+Value: \d|Metric: \w+\s*\n\s+TotalSamples: )", re.MULTILINE)
_VALUE = re.compile(r"\s+Value: (\d{1,18})\s*")
_SYNCS = frozenset({"_local_scalar_dense", "nonzero", "item"})


def recognise(document: Document) -> bool:
    """Tell whether metrics or counters stand in it as torch_xla prints them."""
    return not document.records and _ANY.search(document.text) is not None


def read(document: Document) -> Reading:
    """Return a used row for each operator counter; the calls are its value."""
    rows = Rows(document.file)
    found: dict[str, dict[str, object]] = {}
    lines = document.text.split("\n")
    repeated = False
    for number, line in numbered(document.text):
        match = _OPERATOR.fullmatch(line)
        value = _VALUE.fullmatch(lines[number]) if match and number < len(lines) else None
        if match is None or value is None:
            continue
        calls = int(value[1])
        if match[0].strip() in found:
            row = found[match[0].strip()]
            row["calls"] = max(calls, int(str(row["calls"])))
            repeated = True
            continue
        sync = match[1] == "aten" and match[2] in _SYNCS
        found[match[0].strip()] = rows.add(
            number,
            operator=operator_name(f"aten.{match[2]}"),
            role="used",
            status="fallback" if match[1] == "aten" else "native",
            calls=calls,
            mode="lazy",
            reason="reads a value on the host: an ordinary sync, no missing operator" if sync else None,
        )
    _warn(rows, repeated)
    return rows.reading()


def _warn(rows: Rows, repeated: bool) -> None:
    syncs = sorted({str(row["operator"]) for row in rows.cells if row["reason"]})
    if syncs:
        rows.warn("host_sync", f"{shortened(syncs)}: a sync with the host, not a missing operator.")
    if repeated:
        rows.warn("several_reports", "The file holds several reports: of each counter the largest value is read.")
    if not rows.cells:
        rows.warn("no_operator_counters", "The report has no operator counter: nothing fell back, or it was cleared.")
    rows.warn("lazy_trace", "xla:: counters count what was traced into graphs, not what a device ran.")
