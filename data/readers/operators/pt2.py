"""`torch.export` archives (.pt2): the graph of an exported model, from its model.json only; nothing is unpickled.

Targets are `torch.ops.aten.view.default`. Sizes are those of the example; symbolic ones are unknown. Of a stack trace
only file:line of the model stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, shortened, user_code
from data.readers.reading import Reading

ID = "pt2"
KIND = "operators"
_TARGET = "torch.ops."
# torch._export.serde.schema.ScalarType: name and bytes of an element.
_DTYPES: dict[int, tuple[str, int]] = {
    1: ("uint8", 1),
    2: ("int8", 1),
    3: ("int16", 2),
    4: ("int32", 4),
    5: ("int64", 8),
    6: ("fp16", 2),
    7: ("fp32", 4),
    8: ("fp64", 8),
    9: ("complex32", 4),
    10: ("complex64", 8),
    11: ("complex128", 16),
    12: ("bool", 1),
    13: ("bf16", 2),
    28: ("uint16", 2),
    29: ("fp8", 1),
    30: ("fp8", 1),
    31: ("fp8", 1),
    32: ("fp8", 1),
}


def recognise(document: Document) -> bool:
    """Tell whether this is the JSON of an exported program."""
    root = document.objects[0] if len(document.objects) == 1 else {}
    return "graph_module" in root and ("opset_version" in root or "schema_version" in root)


def read(document: Document) -> Reading:
    """Return a used row for each operator: calls in the graph, bytes it writes, where the model calls it first."""
    rows = Rows(document.file)
    found: dict[str, dict[str, object]] = {}
    dtypes: dict[str, set[str]] = {}
    others: set[str] = set()
    for node, tensors in _nodes(document.objects[0]):
        target = node.get("target")
        if not isinstance(target, str):
            continue
        if not target.startswith(_TARGET) or target.startswith(f"{_TARGET}higher_order."):
            others.add(target.removeprefix(_TARGET))
            continue
        name = operator_name(target)
        if name not in found:
            metadata = node.get("metadata")
            place = user_code(metadata.get("stack_trace")) if isinstance(metadata, dict) else None
            line = 1 + document.text.count("\n", 0, max(document.text.find(target), 0))
            found[name] = rows.add(line, operator=name, role="used", calls=0, output_bytes=0, user_code=place)
            dtypes[name] = set()
        row = found[name]
        row["calls"] = int(str(row["calls"])) + 1
        written = _bytes(node.get("outputs"), tensors)
        row["output_bytes"] = None if written is None or row["output_bytes"] is None else row["output_bytes"] + written  # type: ignore[operator]
        dtypes[name] |= _input_dtypes(node.get("inputs"), tensors)
    for name, row in found.items():
        row["dtype"] = next(iter(dtypes[name])) if len(dtypes[name]) == 1 else None
    _warn(rows, document, others)
    return rows.reading()


def _nodes(program: dict[str, object]) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    """Yield each node and the tensors of its graph; graphs inside (branches, loops) hang on their nodes' inputs."""
    module = program.get("graph_module")
    waiting = [module.get("graph")] if isinstance(module, dict) else []
    while waiting:
        graph = waiting.pop()
        if not isinstance(graph, dict) or not isinstance(nodes := graph.get("nodes"), list):
            continue
        tensors = graph.get("tensor_values")
        for node in nodes:
            if isinstance(node, dict):
                yield node, tensors if isinstance(tensors, dict) else {}
                inputs = node.get("inputs")
                for value in inputs if isinstance(inputs, list) else ():
                    inner = value.get("arg") if isinstance(value, dict) else None
                    branch = inner.get("as_graph") if isinstance(inner, dict) else None
                    waiting += [branch.get("graph")] if isinstance(branch, dict) else []


def _names(value: object) -> Iterator[str]:
    """Yield the names of the tensors in an argument or a list of them."""
    if isinstance(value, dict):
        single, several = value.get("as_tensor"), value.get("as_tensors")
        for tensor in [single, *(several if isinstance(several, list) else [])]:
            if isinstance(tensor, dict) and isinstance(tensor.get("name"), str):
                yield tensor["name"]


def _input_dtypes(inputs: object, tensors: dict[str, object]) -> set[str]:
    arguments = [value.get("arg") for value in inputs if isinstance(value, dict)] if isinstance(inputs, list) else []
    kinds = [_meta(tensors, name).get("dtype") for argument in arguments for name in _names(argument)]
    return {_DTYPES[kind][0] for kind in kinds if isinstance(kind, int) and kind in _DTYPES}


def _meta(tensors: dict[str, object], name: str) -> dict[str, object]:
    found = tensors.get(name)
    return found if isinstance(found, dict) else {}


def _bytes(outputs: object, tensors: dict[str, object]) -> int | None:
    """Return the bytes of the outputs, None where a size is symbolic or a type unknown."""
    total = 0
    for output in outputs if isinstance(outputs, list) else ():
        for name in _names(output):
            meta = _meta(tensors, name)
            sizes, kind = meta.get("sizes"), meta.get("dtype")
            if not isinstance(sizes, list) or not isinstance(kind, int) or kind not in _DTYPES or len(sizes) > 64:
                return None
            numbers = [size.get("as_int") if isinstance(size, dict) else None for size in sizes]
            if not all(isinstance(number, int) and 0 <= number < 1 << 40 for number in numbers):
                return None
            total += _DTYPES[kind][1] * math.prod(number for number in numbers if isinstance(number, int))
    return total if total < 1 << 62 else None


def _warn(rows: Rows, document: Document, others: set[str]) -> None:
    version = document.objects[0].get("torch_version")
    said = f" by PyTorch {version[:40]}" if isinstance(version, str) else ""
    rows.warn(
        "exported_graph",
        f"Exported{said}: calls are those of one pass through the graph, sizes those of the example inputs.",
    )
    unsized = sorted(str(row["operator"]) for row in rows.cells if row["output_bytes"] is None)
    if unsized:
        rows.warn("bytes_unknown", f"The output of {shortened(unsized)} has symbolic sizes: its bytes are unknown.")
    if others:
        rows.warn("no_operators", f"{shortened(sorted(others))}: Python built-ins or control flow, no operators.")
    if "stack_trace" in document.text:
        rows.warn("paths_dropped", "Paths in stack traces are left out; file and line of the model stay.")
