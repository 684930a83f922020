"""`prof.key_averages().table()` as text: dashed rules, a row an operator, self times with their unit.

Names longer than the column end in «...» and are cut short; a table may also leave rows out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "key-averages"
KIND = "operators"
_RULE = re.compile(r"(?:-{4,}\s{1,4}){2,}-*\s*")
_NEEDED = {"Name", "Self CPU", "# of Calls"}
_TIME = re.compile(r"([\d.]{1,30})(ns|us|ms|s)")
_UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_FLOPS = re.compile(r"Total ([KMGTP]?)FLOPs")
_SCALE = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_TOTAL = re.compile(r"^\s*Self CPU time total: ([\d.]+)(ns|us|ms|s)\s*$", re.MULTILINE)
_OPERATOR = re.compile(r"[A-Za-z_]\w*::\w+(?:\.\w+)?(?:\.\.\.)?")
_NO_OPERATORS = frozenset({"autograd", "torch", "profiler", "prim"})


def recognise(document: Document) -> bool:
    """Tell whether a dashed table has the profiler's columns."""
    return "Self CPU %" in document.text and any(True for _ in _table(document.text))


def read(document: Document) -> Reading:
    """Return a used row for each operator; rows of one operator by input shape are added up."""
    rows = Rows(document.file)
    found: dict[str, dict[str, object]] = {}
    spent, cut, device = 0.0, 0, False
    for number, said in _table(document.text):
        time = _microseconds(said["Self CPU"])
        spent += time or 0.0
        device = device or any(name.startswith(("Self CUDA", "Self XPU", "Self Device")) for name in said)
        name = said["Name"]
        if not _OPERATOR.fullmatch(name) or name.split("::")[0] in _NO_OPERATORS:
            continue
        cut += name.endswith("...")
        name = operator_name(name.replace("...", "…"))
        row = found.get(name)
        if row is None:
            row = found[name] = rows.add(number, operator=name, role="used", calls=0, time_us=0.0, flops=None)
        calls = said["# of Calls"]
        row["calls"] = _sum(row["calls"], float(calls) if calls.isdecimal() and len(calls) < 16 else None)
        row["time_us"] = _sum(row["time_us"], time)
        row["flops"] = _flops(row["flops"], said)
    _warn(rows, document.text, spent, cut, device)
    return rows.reading()


def _table(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of each row; headers stand between two rules, columns are as wide as their rule."""
    header: list[str] = []
    spans: list[tuple[int, int]] = []
    rules = 0
    for number, line in numbered(text):
        if len(line) > 20_000:
            continue
        if _RULE.fullmatch(line):
            rules = rules % 3 + 1
            spans = [match.span() for match in re.finditer(r"-+", line)] if rules == 1 else spans
        elif rules == 1:
            header = [line[start:end].strip() for start, end in spans]
        elif rules == 2 and set(header) >= _NEEDED:
            cells = [line[start:end].strip() for start, end in spans]
            if cells[0]:
                yield number, dict(zip(header, cells, strict=True))


def _microseconds(cell: str) -> float | None:
    match = _TIME.fullmatch(cell)
    try:
        return float(match[1]) * _UNITS[match[2]] if match else None
    except ValueError:
        return None


def _flops(before: object, said: dict[str, str]) -> float | None:
    for name, cell in said.items():
        if match := _FLOPS.fullmatch(name):
            try:
                return float(str(before or 0.0)) + float(cell) * _SCALE[match[1]]
            except ValueError:
                break
    return float(str(before)) if before is not None else None


def _sum(before: object, value: float | None) -> float | None:
    return None if before is None or value is None else float(str(before)) + value


def _warn(rows: Rows, text: str, spent: float, cut: int, device: bool) -> None:
    rows.warn("no_overloads", "The table names no overloads, so a match is «overload not verified».")
    if cut:
        hint = "Print it with max_name_column_width=120."
        rows.warn("names_cut_short", f"{cut} names are cut short and match nothing for certain.", hint)
    total = _TOTAL.search(text)
    whole = _microseconds(f"{total[1]}{total[2]}") if total else None
    if whole and spent < 0.99 * whole:
        hint = "Print it with row_limit=-1."
        rows.warn(
            "rows_left_out", f"The rows hold {spent / whole:.0%} of the total time: the others are missing.", hint
        )
    if device:
        rows.warn("host_time", "Times are self times on the host; those of the device are not loaded.")
