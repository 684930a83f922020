"""PyTorch's operator-inputs text: `Operator:` lines, and below each a `cnt:` line for every combination of inputs."""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, numbered, shortened
from data.readers.reading import Reading

ID = "operator-inputs"
KIND = "operators"
_OPERATOR = re.compile(r"Operator: ([\w.:]{1,200})\s*")
_COUNT = re.compile(r"cnt: (\d{1,15}), (.{0,5000})", re.DOTALL)
_DTYPE = re.compile(r"\], ((?:bf|f|i|u|c|b)\d{1,3})[,)]|'dtype': ((?:bf|f|i|u|c|b)\d{1,3})\b")
_BOTH = re.compile(r"^Operator: [\w.:]+\s*\n\s*cnt: \d", re.MULTILINE)
_DTYPES = {
    **{"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64", "b8": "bool", "u8": "uint8"},
    **{"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64"},
    **{"c32": "complex32", "c64": "complex64", "c128": "complex128"},
}


def recognise(document: Document) -> bool:
    """Tell whether a `cnt:` line follows an `Operator:` line."""
    return not document.records and _BOTH.search(document.text) is not None


def read(document: Document) -> Reading:
    """Return a used row for each operator, its calls summed; the numbers inside the inputs are shapes."""
    rows = Rows(document.file)
    found: dict[str, dict[str, object]] = {}
    dtypes: dict[str, set[str]] = {}
    name = None
    for number, line in numbered(document.text):
        if match := _OPERATOR.fullmatch(line):
            name = operator_name(match[1])
            if name not in found:
                found[name] = rows.add(number, operator=name, role="used", calls=0)
                dtypes[name] = set()
        elif name is not None and (match := _COUNT.fullmatch(line)):
            found[name]["calls"] = int(str(found[name]["calls"])) + int(match[1])
            dtypes[name] |= {_DTYPES.get(a or b, a or b) for a, b in _DTYPE.findall(match[2])}
    for name, row in found.items():
        row["dtype"] = next(iter(dtypes[name])) if len(dtypes[name]) == 1 else None
    _warn(rows, dtypes)
    return rows.reading()


def _warn(rows: Rows, dtypes: dict[str, set[str]]) -> None:
    rows.warn("no_times", "The file has calls but no times, and no status: it says what a model uses.")
    complex_ = sorted(name for name, found in dtypes.items() if any(dtype.startswith("complex") for dtype in found))
    if complex_:
        rows.warn("complex_numbers", f"{shortened(complex_)} work on complex numbers, which Neuron does not have.")
