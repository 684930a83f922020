"""What TorchNeuron says ran on the device and what fell back: `get_executed_ops()`, `get_fallback_ops()`, or its log.

Names without counts. A list is read where it is labelled: JSON with `executed_ops` or `fallback_ops`, or a printed list
behind a label. A missing log line proves nothing, for the log category may be muted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from data.readers.document import Document
from data.readers.operators import aten_name
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "torchneuron-fallback"
KIND = "operators"
_KEYS = {
    "fallback_ops": "fallback",
    "get_fallback_ops": "fallback",
    "executed_ops": "native",
    "get_executed_ops": "native",
}
_LOG = re.compile(r"Operator '([\w:.]+)' executed via CPU fallback")
_FAILED = re.compile(r"CPU fallback (?:execution )?failed for '([\w:.]+)'")
_LIST = re.compile(
    r"\b(fallback|executed)(?:_ops| ops)?(?:\(\))?[^\[\]{}]{0,60}[:=][^\[\]{}]{0,20}[\[{]([^\]}]{0,200000})[\]}]", re.I
)
_NAME = re.compile(r"""['"]((?:aten(?:::|\.))?[a-zA-Z_]\w*(?:\.\w+)?)['"]""")


def recognise(document: Document) -> bool:
    """Tell whether there is a labelled list of operators, or a line of the fallback log."""
    if document.records:
        return len(document.objects) == 1 and any(isinstance(document.objects[0].get(key), list) for key in _KEYS)
    return bool(_LOG.search(document.text) or _FAILED.search(document.text)) or any(True for _ in _printed(document))


def read(document: Document) -> Reading:
    """Return a used row for each operator and state."""
    rows = Rows(document.file)
    seen: set[tuple[str, str]] = set()
    logged = not document.records and (_LOG.search(document.text) or _FAILED.search(document.text))
    for line, raw, status in _from_json(document) if document.records else _from_text(document):
        name = aten_name(raw)
        if (name, status) not in seen:
            seen.add((name, status))
            reason = {"fallback": "executed on the CPU", "unsupported": "the CPU fallback failed"}.get(status)
            rows.add(line, operator=name, role="used", status=status, backend="neuron", mode="eager", reason=reason)
    _warn(rows, bool(logged), seen)
    return rows.reading()


def _from_json(document: Document) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and state; tools that ran several tests keep a list for each."""
    for key, status in _KEYS.items():
        entries = document.objects[0].get(key)
        for entry in entries if isinstance(entries, list) else ():
            for name in entry if isinstance(entry, list) else [entry]:
                if isinstance(name, str) and name.strip():
                    found = document.text.find(f'"{name}"')
                    yield 1 + document.text.count("\n", 0, max(found, 0)), name, status


def _from_text(document: Document) -> Iterator[tuple[int, str, str]]:
    for number, line in numbered(document.text):
        if match := _LOG.search(line):
            yield number, match[1], "fallback"
        elif match := _FAILED.search(line):
            yield number, match[1], "unsupported"
    yield from _printed(document)


def _printed(document: Document) -> Iterator[tuple[int, str, str]]:
    """Yield the names of lists that were printed behind «fallback» or «executed»."""
    if document.records or not re.search(r"fallback|executed", document.text, re.IGNORECASE):
        return
    line, last = 1, 0
    for match in _LIST.finditer(document.text):
        line, last = line + document.text.count("\n", last, match.start()), match.start()
        for name in _NAME.finditer(match[2]):
            at = line + document.text.count("\n", match.start(), match.start(2) + name.start())
            yield at, name[1], "fallback" if match[1].lower() == "fallback" else "native"


def _warn(rows: Rows, logged: bool, seen: set[tuple[str, str]]) -> None:
    rows.warn("no_counts", "Names come once each, without counts: shares by calls or time cannot be told from it.")
    if logged:
        rows.warn("log_may_be_muted", "A log says what fell back; what it does not name may have fallen back unlogged.")
    elif not any(status == "native" for _, status in seen):
        rows.warn("fallbacks_only", "Only what fell back is named: what ran on the device is not in the file.")
    both = sorted({name for name, status in seen if status == "native"} & {name for name, s in seen if s != "native"})
    if both:
        rows.warn("both_states", f"{', '.join(both[:5])}: native in some calls, not in others.")
