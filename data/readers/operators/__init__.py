"""Readers of operator-coverage files, one module a format, and the one way to write an operator's name."""

from __future__ import annotations


def operator_name(raw: str) -> str:
    """Return `namespace.name.overload` from any spelling; the letter case stays, `default` is no overload."""
    name = raw.strip().split("(")[0].strip().removeprefix("torch.ops.").replace("::", ".")
    return name.removesuffix(".default")
