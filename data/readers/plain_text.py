"""Reports that are text for people: `label : value` lines under banners, one report or several in a file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"\s*([^:=]{2,80}?)\s*:\s*(\S.{0,200}?)\s*")
_MARKS = (  # a text to find fast, and what must stand around it
    (":::MLLOG ", re.compile(r":::MLLOG \s*\{")),
    ("MLPerf Results Summary", re.compile(r"^[ \t]*MLPerf Results Summary[ \t]*$", re.MULTILINE)),
    ("Serving Benchmark Result", re.compile(r"^=+ *Serving Benchmark Result *=+[ \t]*$", re.MULTILINE)),
    ('"traceEvents"', re.compile(r'\A\s*\{[\s\S]*?"traceEvents"\s*:\s*\[')),  # large: read event by event
    ("Self CPU %", re.compile(r"^(?:-{4,}  ?)+\s*$", re.MULTILINE)),
    ("[__graph_breaks]", re.compile(r"\[__graph_breaks\] ")),
    ("MPS backend and will fall back", re.compile(r"The operator '")),
    ("for the MPS device", re.compile(r"The operator '")),
    (":Neuron:", re.compile(r"^\w+:Neuron:", re.MULTILINE)),
    ("[NCC_", re.compile(r"\[NCC_[A-Z]{4}\d{3}\]")),
    ("executed via CPU fallback", re.compile(r"Operator '")),
    ("[HIPIFY] info:", re.compile(r"^\s*\[HIPIFY\] info:", re.MULTILINE)),
    ("cnt: ", re.compile(r"^Operator: [\w.:]+\s*$", re.MULTILINE)),
    ("Counter: ", re.compile(r"^Counter: [\w:.]+\s*$", re.MULTILINE)),
    ("MPS Support Matrix", re.compile(r"<title>MPS Support Matrix</title>")),
    ("backend: XLA", re.compile(r"^backend: *XLA *$", re.MULTILINE)),
)


@dataclass(frozen=True, slots=True)
class Section:
    """Hold the labels and values of one report, the first of a label given twice, and the line it begins on."""

    values: dict[str, str]
    line: int
    text: str


def is_report(text: str) -> bool:
    """Tell whether this is a report or a log of a known kind, in which no table must be sought."""
    return any(mark in text and pattern.search(text) for mark, pattern in _MARKS)


def sections(text: str, banner: re.Pattern[str]) -> Iterator[Section]:
    """Yield the report under each line that `banner` fully matches; what stands before the first is no report."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if banner.fullmatch(line)]
    for start, end in itertools.pairwise([*starts, len(lines)] if starts else []):
        values: dict[str, str] = {}
        for line in lines[start + 1 : end]:
            match = _LINE.fullmatch(line) if len(line) < 400 else None
            if match is not None:
                values.setdefault(match[1], match[2])
        yield Section(values, start + 1, "\n".join(lines[start:end]))
