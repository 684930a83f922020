"""The statistics CSV of Locust: a row an endpoint, times in ms by the tool's rule, failures among the requests."""

from __future__ import annotations

from data.readers.columns import COUNT, Columns, first, fixed, labels, read_columns
from data.readers.document import Document
from data.readers.reading import Reading

ID = "locust"
KIND = "benchmark"
_FIELDS = (
    ("request count", "completed", COUNT),
    ("# requests", "completed", COUNT),
    ("failure count", "failed", COUNT),
    ("# failures", "failed", COUNT),
    ("average response time", "e2e_ms_mean", fixed()),
    ("50%", "e2e_ms_p50", fixed()),
    ("median response time", "e2e_ms_p50", fixed()),
    ("90%", "e2e_ms_p90", fixed()),
    ("95%", "e2e_ms_p95", fixed()),
    ("99%", "e2e_ms_p99", fixed()),
    ("requests/s", "req_per_s", fixed()),
)
_TOTALS = ("aggregated", "total")


def recognise(document: Document) -> bool:
    """Tell whether requests and failures are counted by name; the history file, a row a second, is another thing."""
    found = labels(document)
    counted = {"request count", "failure count"} <= found or {"# requests", "# failures"} <= found
    return counted and {"name", "average response time"} <= found and "timestamp" not in found


def read(document: Document) -> Reading:
    """Return a run for each endpoint; the line that mixes them is left out where it is not the only one."""
    columns = read_columns(document, ID, _FIELDS)
    _count_failures(columns)
    names = columns.other("name")
    assert names is not None  # recognise() has seen the column
    methods = columns.other("type", "method")
    pairs = zip(methods if methods is not None else [""] * len(names), names, strict=True)
    columns.derive("scenario", [" ".join(str(part) for part in pair if part) or None for pair in pairs])
    mixed = names.fillna("").astype(str).str.casefold().isin(_TOTALS)
    if mixed.any() and not mixed.all():
        columns.keep([row for row, whole in enumerate(mixed) if not whole])
        message = "The line of all endpoints together is left out: it mixes those that call the model with others."
        columns.warn("mixed_line", message)
    if len(columns.frame) > 1:
        message = f"The file holds {len(columns.frame)} endpoints; which of them call the model, it does not say."
        columns.warn("several_endpoints", message, "Each is a run of its own, named under scenario.")
    return columns.reading()


def _count_failures(columns: Columns) -> None:
    """Take the failures out of the requests, and out of their rate."""
    frame = columns.frame
    failed = frame["failed"].fillna(0)
    if not (failed > 0).any():
        return
    if "req_per_s" in frame:
        frame["req_per_s"] = frame["req_per_s"] * (1 - failed / frame["completed"].where(frame["completed"] > 0))
        columns.derived.add("req_per_s")
    frame["completed"] = frame["completed"] - failed
    columns.derived.add("completed")
    message = "Failed requests are counted among the response times."
    columns.warn("failures_in_latency", message, "", "Failure Count", row=first(failed > 0))
