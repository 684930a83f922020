"""Torch-TensorRT's list of operators (rst): full ATen schemas under «Converted» and «Lowered»; both of them run."""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "tensorrt-ops"
KIND = "operators"
_HEADING = re.compile(r".{1,80}(Converted|Lowered).{0,80}")
_UNDERLINE = re.compile(r"[-=~^]{4,}\s*")
_ITEM = re.compile(r"[-*] ([A-Za-z_]\w*\.[A-Za-z_][\w.]*)(?:\(.{0,5000})?")


def recognise(document: Document) -> bool:
    """Tell whether the page speaks of TensorRT and lists operators under «Converted»."""
    return "torch_tensorrt" in document.text[:5_000] and bool(
        re.search(r"^[-*] aten\.\w+", document.text, re.MULTILINE)
    )


def read(document: Document) -> Reading:
    """Return a native row for each list item; namespaces stay, `_operator.add` and `prims.div` are no ATen names."""
    rows = Rows(document.file)
    lines = document.text.split("\n")
    lowered = False
    for number, line in numbered(document.text):
        below = lines[number] if number < len(lines) else ""
        if _UNDERLINE.fullmatch(below) and (match := _HEADING.fullmatch(line)):
            lowered = match[1] == "Lowered"
        elif match := _ITEM.fullmatch(line.rstrip()):
            rows.add(
                number,
                operator=operator_name(match[1]),
                role="status",
                status="native",
                backend="tensorrt",
                mode="compile",
                reason="lowered by decomposition" if lowered else None,
            )
    rows.warn(
        "list_of_converters", "The list of Torch-TensorRT's Dynamo frontend, without a version; absence is unknown."
    )
    foreign = sum(not str(row["operator"]).startswith("aten.") for row in rows.cells)
    if foreign:
        rows.warn("other_namespaces", f"{foreign} rows are Python built-ins or prims, which match no ATen operator.")
    return rows.reading()
