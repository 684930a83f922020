"""`hipify-clang --print-stats`: how many CUDA references of a source file were converted to HIP.

CUDA API names are no operators, and what HIP converts says nothing about Trainium: a CUDA source has to be ported.
"""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "hipify"
KIND = "operators"
_FILE = re.compile(r"\s*\[HIPIFY\] info: file '([^']{1,500})' statistics:\s*")
_OTHER = re.compile(r"\s*\[HIPIFY\] info: .*")
_COUNT = re.compile(r"\s*(CONVERTED|UNCONVERTED) refs count: (\d{1,15})\s*")


def recognise(document: Document) -> bool:
    """Tell whether it holds the statistics of a file."""
    return not document.records and "[HIPIFY] info:" in document.text and "CONVERTED refs count:" in document.text


def read(document: Document) -> Reading:
    """Return two blocker rows for each file, from its last block: the summary above it says the same again."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    source = None
    for number, line in numbered(document.text):
        if match := _FILE.fullmatch(line):
            source = match[1].replace("\\", "/").rsplit("/", 1)[-1]
        elif _OTHER.fullmatch(line):
            source = None  # a total, or a breakdown
        elif source is not None and (match := _COUNT.fullmatch(line)):
            counts[source, match[1]] = int(match[2]), number
    rows = Rows(document.file)
    for (name, kind), (count, number) in counts.items():
        column = "converted_refs" if kind == "CONVERTED" else "unconverted_refs"
        rows.add(
            number,
            role="blocker",
            blocker=f"CUDA source {name}",
            reason="CUDA source: to be rewritten as an NKI kernel or in PyTorch",
            **{column: count},
        )
    rows.warn("no_operators", "These are references to the CUDA API, not operators: they match no ATen operator.")
    rows.warn("conversion", "What was converted to HIP says nothing about Trainium, nor that it compiles or how fast.")
    return rows.reading()
