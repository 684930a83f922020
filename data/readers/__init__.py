"""Readers: one module a format, found by listing the packages beside this file; content decides, never a file name.

A reader module has `ID`, `KIND` («benchmark» or «operators»), `recognise(document) -> bool` and
`read(document) -> Reading`. To add a format, add one module to `benchmarks/` or `operators/` and one test fixture.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import cache
from typing import Protocol, cast

from data.errors import IngestError, Problem
from data.readers import benchmarks, document, operators
from data.readers.containers import Part, unpack
from data.readers.document import Document
from data.readers.reading import Reading

__all__ = ["Document", "Reader", "Reading", "find", "parse", "parts", "readers"]


class Reader(Protocol):
    """Read one format."""

    ID: str
    KIND: str

    def recognise(self, document: Document) -> bool:
        """Tell by content whether this is the format."""

    def read(self, document: Document) -> Reading:
        """Return rows under canonical names; raise IngestError where the file as a whole makes no sense."""


@cache
def readers() -> tuple[Reader, ...]:
    """Return every reader, in the order of their names."""
    return tuple(
        cast(Reader, importlib.import_module(f"{package.__name__}.{module.name}"))
        for package in (benchmarks, operators)
        for module in pkgutil.iter_modules(package.__path__)
        if not module.name.startswith("_")
    )


def find(document: Document) -> Reader | None:
    """Return the reader that knows this document, None where no reader does."""
    return next((reader for reader in readers() if reader.recognise(document)), None)


def parse(file: str, content: bytes) -> Document:
    """Return the document in `content`: of an archive or workbook the one part that a reader knows.

    Raise IngestError where it cannot be read, or where readers know several parts: `parts` gives them one by one.
    """
    found = unpack(file, content)
    return document.parse(*found[0]) if len(found) == 1 else _choose(file, found)


def parts(file: str, content: bytes) -> list[Part]:
    """Return what to load one by one: the file itself, or the parts of it where readers know several."""
    try:
        found = unpack(file, content)
    except IngestError:
        return [(file, content)]
    known = [part for part in found if _is_known(part)] if len(found) > 1 else []
    return known if len(known) > 1 else [(file, content)]


def _is_known(part: Part) -> bool:
    try:
        return find(document.parse(*part)) is not None
    except IngestError:
        return False


def _choose(file: str, found: tuple[Part, ...]) -> Document:
    """Return the one document among the parts that a reader knows, else the first table; note what is left out."""
    documents: list[Document] = []
    notes: list[Problem] = []
    for name, content in found:
        try:
            documents.append(document.parse(name, content))
        except IngestError as error:
            message = f"{_short(file, name)} is left out: {error.problems[0].message}"
            notes.append(Problem(file, None, None, "part_left_out", message))
    known = [part for part in documents if find(part) is not None]
    if len(known) > 1:
        names = ", ".join(_short(file, part.file) for part in known[:5])
        message = f"It holds {len(known)} files or sheets that can be loaded ({names}{' …' if len(known) > 5 else ''})."
        raise IngestError([Problem(file, None, None, "several_files", message, "Load each as a file of its own.")])
    chosen = (known or [part for part in documents if part.objects or part.tables] or documents)[:1]
    if not chosen:
        raise IngestError(notes)
    for part in documents:
        if part is not chosen[0]:
            message = f"{_short(file, part.file)} is left out: no reader knows it."
            notes.append(Problem(file, None, None, "part_left_out", message))
    return replace(chosen[0], notes=tuple(notes[:20]))


def _short(file: str, name: str) -> str:
    return f"«{name.removeprefix(file + '/')[:60]}»"
