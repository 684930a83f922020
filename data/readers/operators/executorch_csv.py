"""Operator tables of ExecuTorch: `Namespace,Operator,Notes` (Vulkan) or `Operator,Compute DType,…` (XNNPACK).

A blank note means that the operator is supported without a limit.
"""

from __future__ import annotations

from data.readers.document import Document
from data.readers.operators import aten_name, operator_name
from data.readers.operators._rows import Rows
from data.readers.reading import Reading, check_headers, grid, headers, ragged_problems

ID = "executorch-csv"
KIND = "operators"
_VULKAN = frozenset({"Namespace", "Operator", "Notes"})
_XNNPACK = frozenset({"Operator", "Compute DType", "Quantization", "Constraints"})


def recognise(document: Document) -> bool:
    """Tell whether the headers are those of one of the two tables."""
    return headers(document) in (_VULKAN, _XNNPACK)


def read(document: Document) -> Reading:
    """Return a native row for each line; the namespace stays what the file says, `operator.add` is no `aten.add`."""
    cells = grid(document)
    assert cells is not None  # recognise() has seen a grid
    rows = Rows(document.file, problems=list(ragged_problems(document.file, cells)))
    rows.warnings += check_headers(document.file, cells)
    vulkan = "Namespace" in cells.frame
    notes = "Notes" if vulkan else "Constraints"
    for line, row in zip(cells.lines, cells.frame.to_dict("records"), strict=True):
        said = {key: str(value or "").strip() for key, value in row.items()}
        rows.add(
            line,
            operator=operator_name(f"{said['Namespace']}.{said['Operator']}")
            if vulkan
            else aten_name(said["Operator"]),
            role="status",
            status="native",
            backend="executorch-vulkan" if vulkan else "executorch-xnnpack",
            dtype=said.get("Compute DType") or None,
            reason=said[notes] or None,
        )
    limited = sum(row["reason"] is not None for row in rows.cells)
    foreign = sum(not str(row["operator"]).startswith("aten.") for row in rows.cells)
    if limited:
        rows.warn("conditions", f"{limited} rows carry a limit or a remark: it is kept as the reason.")
    if foreign:
        rows.warn(
            "other_namespaces", f"{foreign} rows belong to other namespaces than aten and match no ATen operator."
        )
    rows.warn("no_overloads", "Names have no overload, so a match is «overload not verified»; absence is unknown.")
    reading = rows.reading()
    return Reading(
        reading.frame,
        reading.lines,
        problems=reading.problems,
        warnings=reading.warnings,
        unreadable=len(cells.ragged),
    )
