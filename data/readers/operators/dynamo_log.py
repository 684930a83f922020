"""Graph-break lines of Dynamo (`TORCH_LOGS=graph_breaks`), in the wording before PyTorch 2.8 and since.

A break is written once per frame that meets it, over several lines: it counts once per place in the code. The longer
lines below a break are explanation, in which examples are no cause.
"""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators._rows import Rows, numbered, user_code
from data.readers.reading import Reading

ID = "dynamo-log"
KIND = "operators"
_BREAK = re.compile(r"\[__graph_breaks\] Graph break (?:\(details suppressed\) )?in user code at (\S{1,500}):(\d+)")
_BREAK_SINCE = re.compile(r"Graph break(?: in user code)? (?:at|from user code at):? (\S{1,500}):(\d+)", re.IGNORECASE)
_REASON = re.compile(r"(?:\[__graph_breaks\] )(?:Reason|Graph Break Reason): (.*)")
_TEXT = re.compile(r".*?\[__graph_breaks\] ?(.*)")
_EXTENSION = re.compile(r"unsupported builtin ((?!builtins)[\w.]+)|C/C\+\+ (?:builtin|function|extension) `?([\w.]+)")
_CONTEXT = re.compile(r"\s*Developer debug context: (.*)")
_GENERIC = "Encountered graph break when attempting to trace"


def recognise(document: Document) -> bool:
    """Tell whether lines carry Dynamo's mark of a graph break, or its sentence."""
    return not document.records and ("[__graph_breaks]" in document.text or bool(_BREAK_SINCE.search(document.text)))


def read(document: Document) -> Reading:
    """Return a blocker for each place and reason, on the line of the reason; `graph_breaks` is 1 for each."""
    rows = Rows(document.file)
    seen: set[tuple[str | None, str]] = set()
    records, place, row, waiting = 0, None, None, False
    for number, line in numbered(document.text):
        line = line[:3_000]
        if match := _BREAK.search(line) or _BREAK_SINCE.search(line):
            records, place, row = records + 1, f"{match[1].rsplit('/', 1)[-1]}:{match[2]}", None
        elif match := _REASON.search(line):
            reason = match[1].strip()
            waiting = reason.startswith(_GENERIC)  # the reason proper stands two lines below
            row = None if waiting else _add(rows, seen, number, place, reason)
        elif waiting and (text := _text(line)):
            waiting, row = False, _add(rows, seen, number, place, text)
        elif row is not None and (match := _CONTEXT.fullmatch(_text(line))) and "extension" in str(row["reason"]):
            row["blocker"] = match[1][:200]
    if records and not rows.cells:  # places without reasons
        for number, line in numbered(document.text):
            if (match := _BREAK.search(line[:3_000]) or _BREAK_SINCE.search(line[:3_000])) is not None:
                _add(rows, seen, number, user_code(f"{match[1]}:{match[2]}"), "graph break")
    _warn(rows, records)
    return rows.reading()


def _text(line: str) -> str:
    match = _TEXT.fullmatch(line)
    return (match[1] if match else line).strip()


def _add(
    rows: Rows, seen: set[tuple[str | None, str]], number: int, place: str | None, reason: str
) -> dict[str, object] | None:
    """Add a break that is not there yet; what blocks is a compiled extension where the reason names one."""
    if (place, reason) in seen:
        return None
    seen.add((place, reason))
    named = _EXTENSION.search(reason)
    blocker = (named[1] or named[2]).split(".PyCapsule")[0].rstrip(".") if named else "graph break"
    return rows.add(
        number,
        role="blocker",
        blocker=blocker,
        graph_breaks=1,
        mode="compile",
        user_code=place,
        reason=reason.split(". ")[0],
    )


def _warn(rows: Rows, records: int) -> None:
    if records > len(rows.cells):
        message = f"{records} graph breaks were logged at {len(rows.cells)} places: each place counts once."
        rows.warn("repeated_breaks", message)
    extensions = sorted({str(row["blocker"]) for row in rows.cells} - {"graph break"})
    if extensions:
        rows.warn("extension", f"{', '.join(extensions[:5])}: compiled code, which has to be ported; no ATen operator.")
    rows.warn("no_operators", "Graph breaks say where compilation stops, nothing about which operators run.")
