"""Lists of supported ATen operators as documentation gives them: rst grid, bullets, plain lines, or release notes.

Release notes say what was added, limited and removed, newest first: they are replayed in the order of their versions,
and the last word on an operator stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.readers.document import Document
from data.readers.operators import operator_name, tensorrt_ops
from data.readers.operators._rows import Rows, numbered, shortened
from data.readers.reading import Reading

ID = "torch-ops-list"
KIND = "operators"
_ENTRY = re.compile(
    r"\s*(?:[-*+|]\s+)?`{0,2}\s*((?:aten|prim)(?:::|\.)[\w.\\]+)(?:\(.*)?\s*`{0,2}\s*(?:\|\s*)?(?:([:-])\s*(.*))?"
)
_NOTE = re.compile(r"\s*[-*] [A-Z].{0,300}")
_RELEASE = re.compile(r".{0,80}\brelease \[(.{1,80})\]\s*", re.IGNORECASE)
_VERSION = re.compile(r"(?:\d+\.){2,}\d+")
_REMOVED = re.compile(r"\s*(?:-\s*)?remove[ds]? support", re.IGNORECASE)
_LIMITED = re.compile(r"limited\W+support", re.IGNORECASE)
_ADDED = re.compile(
    r"\s*(?:-\s*)?(?:added|new|these operators were already)\b.{0,80}(?:support|operators)", re.IGNORECASE
)
_ENOUGH = 5


@dataclass(frozen=True, slots=True)
class _Mention:
    """Hold one mention of an operator: what it says, on which line, of which release."""

    name: str
    status: str
    reason: str | None
    line: int
    release: tuple[int, ...]


def recognise(document: Document) -> bool:
    """Tell whether several lines hold an ATen name and nothing else but a note, and no other list is known by it."""
    if document.records or tensorrt_ops.recognise(document):
        return False
    entries = sum(1 for line in document.text.split("\n") if len(line) < 2_000 and _is_entry(line))
    return entries >= _ENOUGH


def read(document: Document) -> Reading:
    """Return a row for each distinct operator, by the last word on it."""
    mentions = _mentions(document.text)
    last: dict[str, _Mention] = {}
    for mention in sorted(mentions, key=lambda mention: mention.release):
        last[mention.name] = mention
    backend, remark = _backend(document.text)
    releases = sorted({mention.release for mention in mentions if mention.release})
    version = ".".join(map(str, releases[-1])) if releases else None
    rows = Rows(document.file)
    for name, mention in sorted(last.items(), key=lambda item: item[1].line):
        if not name.startswith("prim."):
            rows.add(
                mention.line,
                operator=name,
                role="status",
                status=mention.status,
                backend=backend,
                version=version,
                reason=mention.reason,
            )
    _warn(rows, remark, releases, last)
    return rows.reading()


def _is_entry(line: str) -> bool:
    match = _ENTRY.fullmatch(line)
    return match is not None and match[1].startswith("aten")


def _mentions(text: str) -> list[_Mention]:
    found: list[_Mention] = []
    release: tuple[int, ...] = ()
    mode = "added"
    for number, line in numbered(text):
        if len(line) > 2_000:
            continue
        if match := _RELEASE.fullmatch(line):
            version = _VERSION.search(match[1])
            release, mode = tuple(int(part[:9]) for part in version[0].split(".")) if version else (), "added"
        elif match := _ENTRY.fullmatch(line):
            found.append(_mention(match, mode, number, release))
        elif _REMOVED.match(line):
            mode = "removed"
        elif _LIMITED.search(line):
            mode = "limited"
        elif _ADDED.match(line):
            mode = "added"
    return found


def _mention(match: re.Match[str], mode: str, line: int, release: tuple[int, ...]) -> _Mention:
    note = (match[3] or "").replace("``", "").strip() or None
    status = "unsupported" if mode == "removed" else "native"
    reason = f"removed: {note}" if mode == "removed" and note else "removed" if mode == "removed" else note
    if mode == "limited" and reason is None:
        reason = "limited support"
    return _Mention(operator_name(match[1]), status, reason, line, release)


def _backend(text: str) -> tuple[str | None, str]:
    """Return the backend that the page names, and what that means; both Neuron libraries have the same publisher."""
    head = text[:5_000]
    if "TorchNeuron" in head:
        return "neuron", ""
    if "torch-neuronx" in head:
        return (
            "neuron-xla",
            "The list of the legacy PyTorch/XLA torch-neuronx: it is not that of native PyTorch on Neuron.",
        )
    if "torch-neuron" in head or "torch.neuron" in head:
        return "neuron-inf1", "The list is of torch-neuron on Inf1: it says nothing about Trainium."
    return None, "The file does not say whose operators these are."


def _warn(rows: Rows, remark: str, releases: list[tuple[int, ...]], last: dict[str, _Mention]) -> None:
    if remark:
        rows.warn("whose_list", remark)
    if releases:
        message = f"{len(releases)} releases were replayed, oldest first; the last word on an operator counts."
        rows.warn("release_notes", message)
    else:
        rows.warn("no_version", "The list does not say its version. An operator that is absent is unknown.")
    limited = sorted(row["operator"] for row in rows.cells if row["status"] == "native" and row["reason"])  # type: ignore[type-var]
    if limited:
        rows.warn(
            "conditions",
            f"{shortened([str(name) for name in limited], 10)}: supported under a condition, kept as the reason.",
        )
    primitives = sum(name.startswith("prim.") for name in last)
    if primitives:
        rows.warn("primitives", f"{primitives} prim:: names are no operators and are left out.")
    if not any("." in str(row["operator"]).removeprefix("aten.") for row in rows.cells):
        rows.warn("no_overloads", "Names have no overload, so a match is «overload not verified».")
