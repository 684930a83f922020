"""PyTorch's ExecutionTrace (Chakra): every operator that ran, with its schema, shapes and types; no times.

The overload stands in `op_schema` only. An operator that another one called is listed as well, as it ran.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows
from data.readers.reading import Reading

ID = "execution-trace"
KIND = "operators"
_OPERATOR = re.compile(r"[A-Za-z_]\w*::\w+(?:\.\w+)?")
_NO_OPERATORS = frozenset({"autograd", "torch", "profiler", "prim"})
_TENSOR = re.compile(r"Tensor\(([\w:<> ]+)\)")
_BYTES = {
    **{"float": 4, "double": 8, "c10::Half": 2, "c10::BFloat16": 2, "long int": 8, "long": 8, "int": 4, "bool": 1},
    **{"unsigned char": 1, "signed char": 1, "short": 2, "c10::complex<float>": 8, "c10::complex<double>": 16},
    **{"c10::Float8_e4m3fn": 1, "c10::Float8_e5m2": 1},
}
_DTYPES = {
    **{"float": "fp32", "double": "fp64", "c10::Half": "fp16", "c10::BFloat16": "bf16", "long int": "int64"},
    **{"int": "int32", "bool": "bool", "c10::Float8_e4m3fn": "fp8", "c10::Float8_e5m2": "fp8"},
}


def recognise(document: Document) -> bool:
    """Tell whether this is one object with `schema` and a list `nodes`."""
    root = document.objects[0] if len(document.objects) == 1 else {}
    return isinstance(root.get("schema"), str) and isinstance(root.get("nodes"), list)


def read(document: Document) -> Reading:
    """Return a used row for each operator: calls, bytes written, the type of its inputs where there is one only."""
    nodes = document.objects[0]["nodes"]
    rows = Rows(document.file)
    found: dict[str, dict[str, object]] = {}
    dtypes: dict[str, Counter[str]] = {}
    unsized = 0
    for node in nodes if isinstance(nodes, list) else ():
        name = _name(node)
        if name is None:
            continue
        if name not in found:
            found[name] = rows.add(1, operator=name, role="used", calls=0, output_bytes=0)
            dtypes[name] = Counter()
        row = found[name]
        row["calls"] = int(str(row["calls"])) + 1
        dtypes[name].update(_DTYPES.get(kind, kind) for kind in _kinds(node.get("inputs")))
        written = _bytes(node.get("outputs"))
        unsized += written is None
        row["output_bytes"] = None if written is None or row["output_bytes"] is None else row["output_bytes"] + written  # type: ignore[operator]
    for name, row in found.items():
        row["dtype"] = next(iter(dtypes[name])) if len(dtypes[name]) == 1 else None
    rows.lines = _lines(document.text, list(found), rows.lines)
    rows.warn("no_times", "An execution trace has no times and no status: it says what a model uses.")
    rows.warn(
        "nested_calls", "An operator and those it calls are all listed: calls of wrappers and of parts both count."
    )
    if unsized:
        rows.warn("bytes_unknown", f"Of {unsized} calls the size of the output is not known; it is left out.")
    return rows.reading()


def _name(node: object) -> str | None:
    """Return the canonical name of a node, from its schema where it has one; None for what is no operator."""
    if not isinstance(node, dict) or not isinstance(node.get("name"), str):
        return None
    name = node["name"]
    if not _OPERATOR.fullmatch(name) or name.split("::")[0] in _NO_OPERATORS:
        return None
    attributes = node.get("attrs")
    for attribute in attributes if isinstance(attributes, list) else ():
        if isinstance(attribute, dict) and attribute.get("name") == "op_schema":
            schema = attribute.get("value")
            return operator_name(schema) if isinstance(schema, str) and "::" in schema else operator_name(name)
    schema = node.get("op_schema")  # before version 1.0.3 a key of the node
    return operator_name(schema) if isinstance(schema, str) and "::" in schema else operator_name(name)


def _kinds(values: object) -> list[str]:
    types = values.get("types") if isinstance(values, dict) else None
    return (
        [kind for entry in types if isinstance(entry, str) for kind in _TENSOR.findall(entry)]
        if isinstance(types, list)
        else []
    )


def _bytes(outputs: object) -> int | None:
    """Return the bytes of the tensors among the outputs, None where a shape or a type is not known."""
    if not isinstance(outputs, dict):
        return None
    types, shapes = outputs.get("types"), outputs.get("shapes")
    if not isinstance(types, list) or not isinstance(shapes, list) or len(types) != len(shapes):
        return None
    total = 0
    for kind, shape in zip(types, shapes, strict=True):
        if not isinstance(kind, str) or "Tensor" not in kind:
            continue
        match = _TENSOR.fullmatch(kind)
        if match is None or match[1] not in _BYTES or not isinstance(shape, list):
            return None
        if not all(isinstance(size, int) and 0 <= size < 1 << 40 for size in shape) or len(shape) > 64:
            return None
        total += _BYTES[match[1]] * math.prod(shape)
    return total if total < 1 << 62 else None


def _lines(text: str, names: list[str], lines: list[int]) -> list[int]:
    """Return the line on which each operator is first named."""
    found = dict(zip(names, lines, strict=True))
    line, last = 1, 0
    first: dict[str, int] = {}
    for match in re.finditer(r'"name"\s*:\s*"([\w:.]{3,200})"', text):
        name = operator_name(match[1])
        if name not in first:
            line, last = line + text.count("\n", last, match.start()), match.start()
            first[name] = line
    return [first.get(name, first.get(".".join(name.split(".")[:2]), found[name])) for name in names]
