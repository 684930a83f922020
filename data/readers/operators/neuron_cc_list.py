"""What `neuronx-cc list-operators --framework XLA` prints, or the same list as a grid of the documentation.

Names are those of XLA's HLO, in CamelCase. They are kept as `hlo.Name` and never join ATen names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from data.readers.document import Document
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "neuron-cc-list"
KIND = "operators"
# Names that only XLA has; a list of operators of something else holds none of them.
_ONLY_HLO = frozenset(
    {"AllReduce", "AllGather", "Allgather", "BroadcastInDim", "ConvertElementType", "DotGeneral", "DynamicSlice"}
    | {"DynamicUpdateSlice", "BatchNormGrad", "BatchNormInference", "BatchNormTraining", "GetTupleElement"}
    | {"ReduceWindow", "ReduceScatter", "SelectAndScatter", "RngUniform", "ShiftRightLogical", "ConcatInDim"}
)
_PLAIN = re.compile(r"\s*([A-Za-z][A-Za-z0-9]{1,40})\s*")
_GRID = re.compile(r"\|\s*([A-Za-z][A-Za-z0-9]{1,40})\s*\|\s*([^|]*?)\s*\|")
_HEADING = "| Supported XLA Operators"
_ENOUGH = 3


def recognise(document: Document) -> bool:
    """Tell whether there is one name a line, or a grid under that heading, and several names only HLO has."""
    names = [name for _, name, _ in _names(document.text)]
    if len(_ONLY_HLO.intersection(names)) < _ENOUGH:
        return False
    if _HEADING in document.text:
        return True
    return 2 * len(names) > sum(1 for line in document.text.split("\n") if line.strip())


def read(document: Document) -> Reading:
    """Return a native row `hlo.Name` for each distinct name, notes as the reason."""
    rows = Rows(document.file)
    seen: set[str] = set()
    for number, name, note in _names(document.text):
        if name not in seen:
            seen.add(name)
            rows.add(
                number,
                operator=f"hlo.{name}",
                role="status",
                status="native",
                backend="neuronx-cc",
                mode="compile",
                reason=note or None,
            )
    rows.warn("other_names", "These are HLO instructions: they are kept as hlo.Name and match no ATen operator.")
    return rows.reading()


def _names(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and note: of the grid under the heading, else of lines that hold one word."""
    if (start := text.find(_HEADING)) >= 0:
        first = 1 + text.count("\n", 0, start)
        for number, line in enumerate(text[start:].split("\n"), first):
            if match := _GRID.fullmatch(line.strip()[:2_000]):
                yield number, match[1], match[2]
            elif not line.startswith(("|", "+")):
                return
        return
    for number, line in numbered(text):
        if len(line) < 60 and (match := _PLAIN.fullmatch(line)):
            yield number, match[1], ""
