"""What can go wrong with data, as data: where, which kind, what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Say one thing that is wrong, or worth knowing, about one file.

    `line` counts from 1 in the decoded text, `column` is the header as the file spells it; both are None where
    the whole file is meant. `code` is stable and meant for programs, `message` and `hint` are for people.
    """

    file: str
    line: int | None
    column: str | None
    code: str
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, int | str | None]:
        """Return the problem without its file, in the JSON shape of a report."""
        fields = asdict(self)
        del fields["file"]
        return fields

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line is not None else ""
        if self.column is not None:
            place = f"{place}, column {self.column}" if place else f"column {self.column}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.hint}".rstrip()


class DataError(Exception):
    """Report a failure of the stored data; the message is written for a user."""


class IngestError(DataError):
    """Refuse a file as a whole; `problems` says why."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))


class StoreBusyError(DataError):
    """Report that another process holds the store; the message names file, holder and remedy."""


class ShareNotFoundError(DataError):
    """Report that no share has this id."""
