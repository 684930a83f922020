"""Log lines of PyTorch on Apple's MPS: a warning for what ran on the CPU, an error for what failed."""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "mps-log"
KIND = "operators"
_FELL_BACK = re.compile(
    r"The operator '([\w:.]+)' is not current\w*(?: supported| implemented)? \w+ the MPS backend and will fall back"
)
_FAILED = re.compile(
    r"The operator '([\w:.]+)' is not current\w* (?:implemented|supported) \w+ the MPS (?:device|backend)\."
)


def recognise(document: Document) -> bool:
    """Tell whether one of the two sentences stands in it."""
    return not document.records and bool(_FELL_BACK.search(document.text) or _FAILED.search(document.text))


def read(document: Document) -> Reading:
    """Return a used row for each operator and state; the warning comes once a process, so there are no calls."""
    rows = Rows(document.file)
    seen: set[tuple[str, str]] = set()
    for number, line in numbered(document.text):
        for status, pattern in (("fallback", _FELL_BACK), ("unsupported", _FAILED)):
            for match in pattern.finditer(line):
                name = operator_name(match[1])
                if (name, status) in seen:
                    continue
                seen.add((name, status))
                rows.add(number, operator=name, role="used", status=status, backend="mps", mode="eager")
    rows.warn("no_counts", "The warning comes once per process and operator: it counts no calls.")
    if any(status == "unsupported" for _, status in seen):
        rows.warn("stopped", "The run stopped at an error: what it would have called after that is unknown.")
    rows.warn("paths_dropped", "Paths in the log are left out.")
    return rows.reading()
