"""Turn cells into canonical values, a column at a time, and say which cells could not be turned.

Whole columns go through pandas; only cells that are not plain numbers are looked at one by one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from data import schema
from data.schema import Column

NOTHING = frozenset(
    {"", "-", "--", "—", "n/a", "na", "nan", "none", "null", "#n/a", "inf", "+inf", "-inf", "infinity", "-infinity"}
)
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_POINT_GROUPS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?([eE][+-]?\d+)?")
_WITH_UNIT = re.compile(r"[$€£]?\s*([+-]?[\d.,]+(?:[eE][+-]?\d+)?)\s*([A-Za-zµ%/×$€£]+(?:/[A-Za-z]+)?)?")
_MAX_TEXT = 1_000
_NESTED = "\0nested"  # no cell holds a NUL


@dataclass(frozen=True, slots=True)
class Refusal:
    """Say why the row at `position` (counted from 0 in the frame) is refused."""

    position: int
    column: str
    code: str
    message: str
    hint: str = ""


def has_decimal_comma(cells: Sequence[str], delimiter: str) -> bool:
    """Tell whether a table writes 0,5 for a half.

    «1,234» may be read both ways: it counts as a decimal only where the table is split by semicolons, as spreadsheets
    do in countries with a decimal comma, and where no cell shows a decimal point.
    """
    comma = ambiguous = False
    for cell in cells:
        if "," in cell and _DECIMAL_COMMA.fullmatch(cell):
            if _THOUSANDS.fullmatch(cell) is None:
                comma = True
            else:
                ambiguous = True
        elif (
            "." in cell and (_PLAIN.fullmatch(cell) or _THOUSANDS.fullmatch(cell)) and not _POINT_GROUPS.fullmatch(cell)
        ):
            return False
    return comma or (ambiguous and delimiter == ";")


def number(cell: str, decimal_comma: bool = False) -> float | None:
    """Return the number a cell holds, None for an empty one; raise ValueError for anything else."""
    text = cell.strip().replace("\u00a0", "").replace("\u2212", "-")
    if text.lower() in NOTHING:
        return None
    if decimal_comma and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif not decimal_comma and _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    elif decimal_comma or not _PLAIN.fullmatch(text):
        raise ValueError(cell)
    if math.isinf(value := float(text)):
        raise ValueError(cell)
    return value


def numbers(values: pd.Series, column: str, decimal_comma: bool = False) -> tuple[pd.Series, list[Refusal]]:
    """Return a column as float64 with NaN for unknown, and a refusal for each cell that is no number."""
    if pd.api.types.is_float_dtype(values.dtype):
        return values.where(values.abs() != float("inf")), []
    if decimal_comma:
        found = pd.Series(float("nan"), index=values.index)
    else:
        found = pd.to_numeric(values.where(values.map(type).isin((str, int, float))), errors="coerce").astype("float64")
        found = found.where(found.abs() != float("inf"))
    odd = values[found.isna() & values.notna() & (values != "")]
    fixed: dict[int, float] = {}
    refusals: list[Refusal] = []
    for position, cell in zip(odd.index, odd, strict=True):
        try:
            value = _odd_number(cell, decimal_comma)
        except ValueError:
            refusals.append(_no_number(position, column, cell))
        else:
            if value is not None:
                fixed[position] = value
    if fixed:
        found = found.where(found.notna(), pd.Series(fixed, dtype="float64").reindex(found.index))
    return found, refusals


def _odd_number(cell: object, decimal_comma: bool) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (str, int, float)):
        raise ValueError(cell)
    value = number(cell, decimal_comma) if isinstance(cell, str) else _as_float(cell)
    return value if value is not None and abs(value) != float("inf") else None


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(value) from error


def _no_number(position: int, column: str, cell: object) -> Refusal:
    shown = show(cell)
    unit = _WITH_UNIT.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if unit is not None and unit[0] != unit[1]:
        hint = "Write the bare number; the unit stands in the column's name."
        return Refusal(
            position, column, "unit_in_cell", f"{shown} holds a unit, and this column has a fixed one.", hint
        )
    return Refusal(
        position,
        column,
        "not_a_number",
        f"{shown} is not a number.",
        "Leave the cell empty where the value is unknown.",
    )


def show(cell: object) -> str:
    """Return a cell in quotes, cut short."""
    text = str(cell)
    return f"«{text[:60]}…»" if len(text) > 60 else f"«{text}»"


def typed(
    frame: pd.DataFrame, columns: Sequence[Column], decimal_comma: bool = False
) -> tuple[pd.DataFrame, list[Refusal]]:
    """Return the frame with every given column present, in order and in its type, and the refusals.

    Numbers become float64 (NaN unknown), text and dates objects (None unknown); ranges and choices are checked.
    """
    out: dict[str, pd.Series] = {}
    refusals: list[Refusal] = []
    for column in columns:
        if column.name not in frame:
            dtype = "float64" if column.is_number else "object"
            out[column.name] = pd.Series(float("nan") if column.is_number else None, index=frame.index, dtype=dtype)
            continue
        if column.is_number:
            values, refused = numbers(frame[column.name], column.name, decimal_comma)
            refused += _out_of_range(values, column)
        else:
            values, refused = _texts(frame[column.name], column)
        out[column.name] = values
        refusals += refused
    return pd.DataFrame(out, index=frame.index, copy=False), refusals


def _out_of_range(values: pd.Series, column: Column) -> list[Refusal]:
    refusals: list[Refusal] = []
    wrong = pd.Series(False, index=values.index)
    if column.low is not None:
        wrong |= values <= column.low if column.above else values < column.low
    if column.high is not None:
        wrong |= values > column.high
    for position, value in values[wrong].items():
        message = f"{value:g} is out of range: {column.name} is {column.range_text} {column.unit}".rstrip() + "."
        refusals.append(Refusal(_position(position), column.name, "out_of_range", message, _range_hint(column)))
    if column.dtype == "int":
        for position, value in values[~wrong & values.notna() & (values % 1 != 0)].items():
            refusals.append(Refusal(_position(position), column.name, "not_whole", f"{value:g} is not a whole number."))
    return refusals


def _position(label: object) -> int:
    assert isinstance(label, int)  # frames of readers are indexed 0..n-1
    return label


def _range_hint(column: Column) -> str:
    if column.unit == "share":
        return "A share is written as a number from 0 to 1: 2 % is 0.02."
    return "Leave the cell empty where nothing was measured." if column.kind == "metric" else ""


def _texts(values: pd.Series, column: Column) -> tuple[pd.Series, list[Refusal]]:
    """Return a text or date column in canonical spelling; each distinct cell is looked at once."""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return values, []
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _categories(values, column)
    keys = [_cell_text(cell) for cell in values]
    judged = {key: _judge(key, column) for key in set(keys)}
    out = pd.Series([judged[key][0] for key in keys], index=values.index, dtype="object")
    wrong = {key: refusal for key, (_, refusal) in judged.items() if refusal is not None}
    return out, [replace(wrong[key], position=i) for i, key in enumerate(keys) if key in wrong]


def _categories(values: pd.Series, column: Column) -> tuple[pd.Series, list[Refusal]]:
    """Return a column of categories as `_texts` does, without looking at every cell."""
    judged = [_judge(_cell_text(category), column) for category in values.cat.categories]
    codes = values.cat.codes.to_numpy()
    words = np.array([*(word for word, _ in judged), None], dtype=object)  # the code of a gap is -1
    wrong = [i for i, (_, refusal) in enumerate(judged) if refusal is not None]
    refusals = [
        replace(refusal, position=int(position))
        for i in wrong
        for position in np.flatnonzero(codes == i)
        if (refusal := judged[i][1]) is not None
    ]
    return pd.Series(words[codes], index=values.index, dtype="object"), refusals


def _cell_text(cell: object) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None or cell != cell:  # None or NaN
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return _NESTED if isinstance(cell, (list, dict)) else str(cell)


def _judge(key: str, column: Column) -> tuple[str | None, Refusal | None]:
    """Return the canonical value of a cell, and why it is refused."""
    if key == _NESTED or len(key) > _MAX_TEXT:
        message = "A list, an object or a very long text stands where a name is due."
        return None, Refusal(0, column.name, "bad_text", message, "Keep the name, leave out the rest.")
    if key.strip().lower() in NOTHING:
        return None, None
    value = _NORMAL.get(column.name, str)(" ".join(key.split()))
    if column.choices and value not in column.choices:
        message = f"{show(value)} is not one of {', '.join(column.choices)}."
        hint = _platform_hint(column, value) or schema.did_you_mean(value, column.choices)
        return None, Refusal(0, column.name, f"unknown_{column.name}", message, hint)
    if column.dtype == "date" and _iso(value) is None:
        hint = "Write 2026-10-31 or 2026-10-31T14:05:00."
        return None, Refusal(0, column.name, "not_a_date", f"{show(value)} is not a date.", hint)
    return value, None


def _platform_hint(column: Column, value: str) -> str:
    if column.name not in ("platform", "backend"):
        return ""
    if any(word in value for word in ("trainium", "inferentia", "trn", "xla")):
        return "Say «neuron» for native PyTorch on Neuron, «neuron-xla» for PyTorch/XLA."
    return "Say whose: cuda, rocm, mps or xpu." if value == "gpu" else ""


def _iso(text: str) -> str | None:
    """Return a date or time as ISO text without zone offset, or None where it is neither."""
    compact = re.fullmatch(r"(\d{4})-?(\d{2})-?(\d{2})-(\d{2})-?(\d{2})-?(\d{2})", text)
    if compact:
        text = "{}-{}-{}T{}:{}:{}".format(*compact.groups())
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="seconds")


def _platform(text: str) -> str:
    word = text.lower().replace("_", "-").replace(" ", "-")
    return schema.PLATFORM_SPELLINGS.get(word, word)


_NORMAL: dict[str, Callable[[str], str]] = {
    "platform": _platform,
    "backend": _platform,
    "precision": lambda text: schema.PRECISION_SPELLINGS.get(text.lower(), text.lower()),
    "instance_type": str.lower,
    "status": str.lower,
    "role": str.lower,
    "measured_at": lambda text: _iso(text) or text,
}
