"""Measure two ways of doing the same thing in turns, and report them as one line of JSON."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turns(ours: Callable[[], Any], other: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Return the median seconds of each; they take turns, so that a busy moment falls on both."""
    ours(), other()
    times = [(seconds(ours), seconds(other)) for _ in range(rounds)]
    return statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)


def report(name: str, ours: float, other: float, ratio: float, unit: str, goal: float, **more: Any) -> None:
    """Print the result as one line."""
    line = {"name": name, "ours": short(ours), "other": short(other), "ratio": short(ratio), "unit": unit, "goal": goal}
    print(json.dumps({**line, **more}), flush=True)


def short(value: float) -> float:
    return float(f"{value:.3g}")
