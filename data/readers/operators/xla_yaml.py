"""PyTorch/XLA's list of native functions (YAML): what it lowers, in five sections whose names overlap.

Read line by line: its two levels need no YAML library, and the line of each name is kept.
"""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import aten_name
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "xla-yaml"
KIND = "operators"
_BACKEND = re.compile(r"^backend: *XLA *$", re.MULTILINE)
_SECTION = re.compile(r"([a-z_]+): *(?:#.*)?")
_ENTRY = re.compile(r" *- +([\w.]+) *(?:#.*)?")
_SECTIONS = ("full_codegen", "ir_gen", "supported", "symint", "autograd")


def recognise(document: Document) -> bool:
    """Tell whether it says `backend: XLA` and has a section of operators."""
    return _BACKEND.search(document.text) is not None and any(f"\n{name}:" in document.text for name in _SECTIONS)


def read(document: Document) -> Reading:
    """Return a native row for each distinct name; `ir_gen` and `symint` only repeat names of other sections."""
    rows = Rows(document.file)
    names: set[str] = set()
    entries, section = 0, ""
    for number, line in numbered(document.text):
        if match := _SECTION.fullmatch(line):
            section = match[1]
        elif section in _SECTIONS and (match := _ENTRY.fullmatch(line)):
            entries += 1
            name = aten_name(match[1])
            if name not in names:
                names.add(name)
                rows.add(number, operator=name, role="status", status="native", backend="xla")
    rows.warn(
        "list_of_lowerings",
        "A list of what PyTorch/XLA lowers, not of what a device runs: composite operators are absent, and absence is "
        "unknown. It does not say its version.",
    )
    if entries > len(names):
        rows.warn("repeated_entries", f"{entries} entries name {len(names)} operators.")
    return rows.reading()
