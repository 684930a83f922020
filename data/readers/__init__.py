"""Readers: one module a format, found by listing the packages beside this file; content decides, never a file name.

A reader module has `ID`, `KIND` («benchmark» or «operators»), `recognise(document) -> bool` and
`read(document) -> Reading`. To add a format, add one module to `benchmarks/` or `operators/` and one test fixture.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Protocol, cast

from data.readers import benchmarks, operators
from data.readers.document import Document, parse
from data.readers.reading import Reading

__all__ = ["Document", "Reader", "Reading", "find", "parse", "readers"]


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
