"""Readers of operator-coverage files, one module a format, and the one way to write an operator's name."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?=[_*])")


def operator_name(raw: str) -> str:
    """Return `namespace.name.overload` from any spelling; the letter case stays, `default` is no overload.

    Schema text, quotes and the backslashes of markup are dropped.
    """
    name = _ESCAPE.sub("", raw).strip().strip("`'\"*").split("(")[0].strip()
    return name.removeprefix("torch.ops.").replace("::", ".").removesuffix(".default")


def aten_name(raw: str) -> str:
    """Return a canonical name where the format says that a name without a namespace belongs to ATen."""
    name = operator_name(raw)
    return name if name.startswith("aten.") else f"aten.{name}"
