"""Lists of supported ONNX operators (markdown, as onnx-mlir prints them). ONNX names are no ATen names."""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators._rows import MarkdownTable, Rows, markdown_tables
from data.readers.reading import Reading

ID = "onnx-list"
KIND = "operators"
_NAME = re.compile(r"\**(\w+)\**")
_TARGET = re.compile(r"ONNX Operation for Target \*(\w+)\*")
_OPSETS = "Supported Opsets"


def recognise(document: Document) -> bool:
    """Tell whether it speaks of ONNX and a table has operators and supported opsets."""
    return _OPSETS in document.text[:10_000] and "ONNX" in document.text and _table(document) is not None


def read(document: Document) -> Reading:
    """Return a row `onnx.Name` for each operator; «none» means unsupported, a limitation is no refusal."""
    table = _table(document)
    assert table is not None  # recognise() has seen it
    column = next(i for i, name in enumerate(table.header) if name.startswith(_OPSETS))
    rows = Rows(document.file)
    for line, cells in zip(table.lines, table.rows, strict=True):
        name = _NAME.fullmatch(cells[0])
        if name is None:
            continue
        supported = cells[column].lower() != "none"
        limit = "; ".join(cell for cell in cells[column + 1 :] if cell)
        rows.add(
            line,
            operator=f"onnx.{name[1]}",
            role="status",
            status="native" if supported else "unsupported",
            backend="onnx-mlir",
            reason=limit or (None if supported else "no opset is supported"),
        )
    _warn(rows, document.text)
    return rows.reading()


def _table(document: Document) -> MarkdownTable | None:
    found = markdown_tables(document.text)
    return next((table for table in found if any(name.startswith(_OPSETS) for name in table.header)), None)


def _warn(rows: Rows, text: str) -> None:
    rows.warn("other_names", "These are ONNX operators: they are kept as onnx.Name and match no ATen operator.")
    limited = sum(row["status"] == "native" and row["reason"] is not None for row in rows.cells)
    if limited:
        rows.warn("conditions", f"{limited} supported operators have limitations: they are kept as the reason.")
    if target := _TARGET.search(text):
        rows.warn("target", f"The list is for onnx-mlir's target «{target[1]}».")
