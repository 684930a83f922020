"""TorchNeuron's compatibility table (markdown): operator, status, data types, whether it falls back to the CPU."""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import aten_name
from data.readers.operators._rows import MarkdownTable, Rows, markdown_tables
from data.readers.reading import Reading

ID = "torchneuron-compat"
KIND = "operators"
_OPERATOR = re.compile(r"(aten )?op(erator)?s?( name)?", re.IGNORECASE)
_STATUS = re.compile(r"(support )?status|support(ed)?", re.IGNORECASE)
_DTYPES = re.compile(r"(supported )?(d ?types?|data types?)", re.IGNORECASE)
_FALLBACK = re.compile(r"cpu[ -]fallbacks?|falls? back( to cpu)?", re.IGNORECASE)
_VERSION = re.compile(r"torch-neuronx[`*:=\s]*(?:version\s*)?v?(\d+\.\d+(?:\.\d+)*)", re.IGNORECASE)
_NO = ("unsupported", "not supported", "not implemented", "no", "❌", "✗", "✘", ":x:")
_YES = ("supported", "full", "fully supported", "yes", "native", "implemented", "✅", "✓", "✔", ":white_check_mark:")
_SOME = ("partial", "partially supported", "limited", "⚠", "🟡")


def recognise(document: Document) -> bool:
    """Tell whether a markdown table has columns for operator, status and CPU fallback."""
    return "|" in document.text and any(_columns(table) is not None for table in markdown_tables(document.text))


def read(document: Document) -> Reading:
    """Return a status row for each operator of every such table, data types and version kept."""
    rows = Rows(document.file)
    version = _VERSION.search(document.text)
    for table in markdown_tables(document.text):
        columns = _columns(table)
        if columns is None:
            continue
        for line, cells in zip(table.lines, table.rows, strict=True):
            said = {name: cells[i].strip("`* ") for name, i in columns.items()}
            if not said["operator"]:
                continue
            rows.add(
                line,
                operator=aten_name(said["operator"]),
                role="status",
                status=_state(said["status"], said["fallback"]),
                backend="neuron",
                version=version[1] if version else None,
                dtype=said.get("dtype") or None,
                reason=_reason(table, cells, columns, said),
            )
    rows.warn("eager_fallback", "The table is of the native backend; its fallbacks are those of eager mode.")
    if version is None:
        rows.warn("no_version", "The file does not say which torch-neuronx it is about.")
    doubtful = [row for row in rows.cells if row["status"] == "unknown"]
    if doubtful:
        rows.warn("status_unclear", f"The status of {len(doubtful)} operators is none that is known: it is «unknown».")
    return rows.reading()


def _columns(table: MarkdownTable) -> dict[str, int] | None:
    wanted = {"operator": _OPERATOR, "status": _STATUS, "fallback": _FALLBACK, "dtype": _DTYPES}
    found = {
        name: i
        for name, pattern in wanted.items()
        for i, header in reversed(list(enumerate(table.header)))
        if pattern.fullmatch(header.strip("`* ").replace("_", " "))
    }
    return found if {"operator", "status", "fallback"} <= found.keys() else None


def _state(status: str, fallback: str) -> str:
    """Return what the two cells say together: an operator that is not supported but falls back does run."""
    word = status.lower().split("(")[0].strip(" .\ufe0f")
    falls = fallback.lower().split("(")[0].strip(" .\ufe0f")
    if falls in _YES or "fallback" in word:
        return "fallback"
    if word in _YES or word in _SOME:
        return "native"
    return "unsupported" if word in _NO else "unknown"


def _reason(table: MarkdownTable, cells: tuple[str, ...], columns: dict[str, int], said: dict[str, str]) -> str | None:
    notes = [cells[i] for i in range(len(cells)) if i not in columns.values() and cells[i] not in ("", "-", "–")]
    if said["status"].lower().split("(")[0].strip(" .\ufe0f") in _SOME:
        notes.insert(0, f"{said['status']} support")
    return "; ".join(notes) or None
