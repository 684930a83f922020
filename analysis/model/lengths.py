"""Classes of input and output length: within 5 % they count as the same work (model section 16)."""

import pandas as pd

LENGTH_TOLERANCE = 0.05
LENGTHS = ("input_tokens", "output_tokens")
Lengths = tuple[float | None, ...]


def length_classes(runs: pd.DataFrame) -> "pd.Series[int]":
    """Number the classes of input and output length; lengths within 5 % of a class's first belong to the nearest class.

    A run that leaves a length open belongs to the one class that it can belong to, else to a class of its own kind.
    """
    pairs = list(zip(*(column(runs, name) for name in LENGTHS), strict=True))
    stated = sorted({pair for pair in pairs if None not in pair})
    classes: list[Lengths] = []
    numbers: dict[Lengths, int] = {}
    for pair in stated:
        if not any(_distance(known, pair) <= LENGTH_TOLERANCE for known in classes):
            classes.append(pair)
        numbers[pair] = min(range(len(classes)), key=lambda i: _distance(classes[i], pair))
    known = tuple(classes)
    for pair in sorted(set(pairs) - set(stated), key=lambda pair: tuple(-1.0 if x is None else x for x in pair)):
        possible = [i for i, lengths in enumerate(known) if _distance(lengths, pair) <= LENGTH_TOLERANCE]
        if len(possible) == 1:
            numbers[pair] = possible[0]
        else:
            classes.append(pair)
            numbers[pair] = len(classes) - 1
    return pd.Series([numbers[pair] for pair in pairs], index=runs.index, dtype=int)


def column(runs: pd.DataFrame, name: str) -> list[float | None]:
    """Return the numbers of a column, None where it holds none."""
    if name not in runs:
        return [None] * len(runs)
    return [None if pd.isna(value) else float(value) for value in runs[name]]


def _distance(a: Lengths, b: Lengths) -> float:
    """Return the largest relative difference of the lengths that both state."""
    both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return max((abs(x - y) / max(x, y, 1.0) for x, y in both), default=0.0)
