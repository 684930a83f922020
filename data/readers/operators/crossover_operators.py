"""Crossover's own operator table, CSV or a JSON list: canonical names, one row an operator."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from data.errors import Problem
from data.readers import canonical
from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.reading import Reading, headers

ID = "crossover-operators"
KIND = "operators"
_TELLING = frozenset({"role", "status", "calls", "time_us", "backend"})


def recognise(document: Document) -> bool:
    """Tell whether there is a column `operator` and one that says how it runs or how often."""
    return "operator" in headers(document) and canonical.recognise(document, KIND, _TELLING)


def read(document: Document) -> Reading:
    """Return the rows with operator names made canonical; say which names carry no namespace."""
    reading = canonical.read(document, KIND)
    operators = reading.frame["operator"].map(lambda cell: operator_name(cell) if isinstance(cell, str) else cell)
    frame = reading.frame.assign(operator=operators)
    provenance = {}
    if "role" not in frame:
        frame["role"] = _roles(frame)
        provenance["role"] = "derived"
    return replace(
        reading, frame=frame, warnings=reading.warnings + _bare_names(document.file, operators), provenance=provenance
    )


def _roles(frame: pd.DataFrame) -> pd.Series:
    """Return «used» where a row was counted, timed or tied to a model, else «status»."""
    told = [name for name in ("model", "calls", "time_us", "flops") if name in frame]
    used = (frame[told].fillna("") != "").any(axis=1)
    return pd.Series("status", index=frame.index, dtype=object).where(~used, "used")


def _bare_names(file: str, operators: pd.Series) -> tuple[Problem, ...]:
    bare = sorted({name for name in operators if isinstance(name, str) and name and "." not in name})
    if not bare:
        return ()
    message = f"{len(bare)} operator names have no namespace ({', '.join(bare[:5])}…); they match nothing."
    return (Problem(file, None, "operator", "bare_operator_name", message, "Write aten.add.Tensor, not add."),)
