"""The JSON of `torch_neuronx.analyze()`, which belongs to the legacy PyTorch/XLA library.

Two schemas: inference has a flat `supported_operators` and a list `unsupported_operators`; training nests both under
a namespace. Paths of the machine that ran it are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.reading import Reading

ID = "neuron-analyze"
KIND = "operators"
_FRAME = re.compile(r"([^\s/\\]+\.py)\s*\(?(\d+)\)?")


def recognise(document: Document) -> bool:
    """Tell whether this is one object with `torch_neuronx_version` and the two operator lists."""
    keys = document.objects[0].keys() if len(document.objects) == 1 else ()
    return "torch_neuronx_version" in keys and ("supported_operators" in keys or "unsupported_operators" in keys)


def read(document: Document) -> Reading:
    """Return a native row for each supported operator and an unsupported row for each refused call."""
    report = document.objects[0]
    nested = isinstance(report.get("unsupported_operators"), dict)
    common = {
        "role": "used",
        "backend": "neuron-xla",
        "version": str(report["torch_neuronx_version"]),
        "mode": "train" if nested else "infer",
    }
    rows = [
        {"operator": operator_name(name), "status": "native", "calls": calls, **common}
        for name, calls in _supported(document, report.get("supported_operators") or {})
    ]
    rows += [
        {
            "operator": operator_name(entry["kind"]),
            "status": "unsupported",
            "calls": 1,
            "reason": f"fails in {entry['failureAt']}" if entry.get("failureAt") else None,
            "user_code": _user_code(entry.get("call")),
            **common,
        }
        for entry in _unsupported(document, report.get("unsupported_operators") or [])
    ]
    frame = pd.DataFrame(rows, dtype=object).reset_index(drop=True)
    lines = tuple(_line(document.text, name) for name in (str(row["operator"]) for row in rows))
    return Reading(frame, lines, warnings=_warnings(document.file, report, rows))


def _supported(document: Document, value: object) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict):
        raise _malformed(document, "supported_operators", "an object")
    for name, calls in value.items():
        if isinstance(calls, dict):
            yield from calls.items()
        else:
            yield name, calls


def _unsupported(document: Document, value: object) -> Iterator[dict[str, str]]:
    lists = value.values() if isinstance(value, dict) else [value]
    for entries in lists:
        if not isinstance(entries, list):
            raise _malformed(document, "unsupported_operators", "a list")
        for entry in entries:
            if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
                raise _malformed(document, "unsupported_operators", "a list of objects with «kind»")
            yield entry


def _malformed(document: Document, key: str, wanted: str) -> IngestError:
    return IngestError(
        [Problem(document.file, None, key, "bad_schema", f"«{key}» is not {wanted}.", "Export the report again.")]
    )


def _user_code(call: object) -> str | None:
    """Return file:line of the innermost frame outside installed packages, without its folder."""
    for frame in str(call or "").split("\n"):
        match = _FRAME.search(frame)
        if match and "site-packages" not in frame:
            return f"{match[1]}:{match[2]}"
    return None


def _line(text: str, operator: str) -> int:
    """Return the line that first names the operator, else 1."""
    position = text.find(operator.replace(".", "::", 1))
    return 1 + text.count("\n", 0, max(position, 0))


def _warnings(file: str, report: dict[str, object], rows: list[dict[str, object]]) -> tuple[Problem, ...]:
    by_status = {
        status: {str(row["operator"]) for row in rows if row["status"] == status}
        for status in ("native", "unsupported")
    }
    both = sorted(by_status["native"] & by_status["unsupported"])
    found = [
        (
            "legacy_backend",
            f"torch-neuronx {report['torch_neuronx_version']} is the legacy PyTorch/XLA library: this says nothing "
            "about native PyTorch on Neuron.",
        ),
        (
            "tool_percentage",
            f"The tool's own {report.get('support_percentage')} counts HLO instructions, neither operators nor time.",
        ),
    ]
    if both:
        found.append(("both_states", f"{', '.join(both)}: supported in some calls, unsupported in others."))
    if any("/" in str(entry) for entry in (report.get("unsupported_operators"),)):
        found.append(("paths_dropped", "Paths of the machine that made the report are left out."))
    return tuple(Problem(file, None, None, code, message) for code, message in found)
