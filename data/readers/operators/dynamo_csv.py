"""Result tables of PyTorch's Dynamo benchmarks: a row a model, with its accuracy verdict and graph breaks."""

from __future__ import annotations

import re

from data.errors import Problem
from data.readers.document import Document
from data.readers.operators._rows import Rows, numbered, shortened
from data.readers.reading import Reading

ID = "dynamo-csv"
KIND = "operators"
_HEADER = "name,accuracy,graph_breaks"
_COUNT = re.compile(r"\d{1,9}")


def recognise(document: Document) -> bool:
    """Tell whether the first line is the header; blank lines stand between the rows."""
    return document.text.lstrip().split("\n", 1)[0].replace(" ", "") == _HEADER


def read(document: Document) -> Reading:
    """Return a row for each model; a skip is no pass, and no graph breaks are no coverage."""
    rows = Rows(document.file)
    unreadable = 0
    for number, line in numbered(document.text):
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or ",".join(cells) == _HEADER:
            continue
        if len(cells) != 3 or not cells[0]:
            message = f"The row has {len(cells)} cells, the header 3."
            rows.problems.append(Problem(document.file, number, None, "wrong_cell_count", message, ""))
            unreadable += 1
            continue
        breaks = int(cells[2]) if _COUNT.fullmatch(cells[2]) else None
        rows.add(
            number,
            role="blocker",
            model=cells[0],
            accuracy=cells[1],
            graph_breaks=cells[2] if breaks is None else breaks,
            mode="compile",
            blocker="graph breaks" if breaks else None,
            reason=None if cells[1] == "pass" else f"accuracy: {cells[1]}",
        )
    skipped = sorted(str(row["model"]) for row in rows.cells if "skip" in str(row["accuracy"]))
    if skipped:
        rows.warn("skipped", f"{shortened(skipped)}: skipped by the benchmark, so nothing is known of them.")
    rows.warn(
        "no_operators", "Rows are models of a benchmark suite: no operator is named, and no break is no coverage."
    )
    reading = rows.reading()
    return Reading(
        reading.frame, reading.lines, problems=reading.problems, warnings=reading.warnings, unreadable=unreadable
    )
