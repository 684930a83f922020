"""The few functions that the formulas need, for numbers, numpy arrays and torch tensors alike.

The formulas are annotated with `float`. An array or a tensor of the same meaning may stand in for any of them: one
call then evaluates the model at many points (a scan over spend, a batch of draws), with months on the last axis.
torch is never imported here; a tensor can only arrive from a caller that has imported it.
"""

import sys
from typing import Any, cast

import numpy as np
from scipy.special import ndtr as _numpy_ndtr


def _library(*values: Any) -> Any:
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)  # none yet while another thread is importing torch
    return torch if tensor is not None and any(isinstance(value, tensor) for value in values) else np


def _lift(library: Any, value: Any) -> Any:
    if library is np or isinstance(value, library.Tensor):
        return value
    return library.as_tensor(value, dtype=library.float64)


def _apply(name: str, *values: Any) -> float:
    library = _library(*values)
    return cast(float, getattr(library, name)(*(_lift(library, value) for value in values)))


def exp(x: float) -> float:
    """Return e to the power x."""
    return _apply("exp", x)


def log(x: float) -> float:
    """Return the natural logarithm of x."""
    return _apply("log", x)


def sqrt(x: float) -> float:
    """Return the square root of x."""
    return _apply("sqrt", x)


def ceil(x: float) -> float:
    """Return the smallest whole number that is not below x."""
    return _apply("ceil", x)


def maximum(x: float, y: float) -> float:
    """Return the larger of x and y, point by point."""
    return _apply("maximum", x, y)


def minimum(x: float, y: float) -> float:
    """Return the smaller of x and y, point by point."""
    return _apply("minimum", x, y)


def clip(x: float, low: float, high: float) -> float:
    """Return x held between low and high."""
    return minimum(maximum(x, low), high)


def where(condition: Any, x: float, y: float) -> float:
    """Return x where the condition holds and y elsewhere."""
    library = _library(condition, x, y)
    if library is np:
        return cast(float, np.where(condition, x, y)[()])  # [()] makes one number of an array without axes
    return cast(float, library.where(library.as_tensor(condition), _lift(library, x), _lift(library, y)))


def ndtr(x: float) -> float:
    """Return the standard normal distribution function at x."""
    library = _library(x)
    return cast(float, _numpy_ndtr(x) if library is np else library.special.ndtr(x))


def months(count: int, *like: Any) -> float:
    """Return the months 1..count as an array of the library that the values `like` belong to."""
    library = _library(*like)
    return cast(float, library.arange(1, count + 1, dtype=library.float64))


def by_month(x: Any) -> float:
    """Give x a last axis of length one, so that it meets the months; a plain number stays as it is."""
    return cast(float, x[..., None] if getattr(x, "ndim", 0) else x)


def alike(x: Any, like: Any) -> Any:
    """Return x as an array of the library that `like` belongs to."""
    library = _library(like)
    return x if library is np else _lift(library, x)


def prepend(first: Any, rest: Any) -> Any:
    """Return the months `rest` with one more in front of them."""
    library = _library(first, rest)
    first = library.broadcast_to(_lift(library, np.asarray(first) if library is np else first), rest.shape[:-1])
    return (np.concatenate if library is np else library.cat)((first[..., None], rest), -1)


def total(x: Any) -> float:
    """Return the sum over months (the last axis)."""
    return cast(float, x.sum(-1))
