"""The export of hyperfine: wall times of commands in seconds, a run a command."""

from __future__ import annotations

import pandas as pd

from data.readers.benchmarks._runs import SECONDS, Fields, Runs, Texts, any_record, element_records
from data.readers.document import Document
from data.readers.reading import Reading

ID = "hyperfine"
KIND = "benchmark"
_FIELDS: Fields = {"e2e_ms_mean": ("mean", SECONDS), "e2e_ms_p50": ("median", SECONDS)}  # user and system are CPU time
_TEXTS: Texts = {"scenario": "command"}
_WIDE = 0.1


def recognise(document: Document) -> bool:
    """Tell whether there are results of commands with times."""
    return any_record(document, lambda record: _has_times(record.get("results")))


def _has_times(results: object) -> bool:
    return isinstance(results, list) and any(
        isinstance(result, dict) and "command" in result and ("times" in result or "mean" in result)
        for result in results
    )


def read(document: Document) -> Reading:
    """Return a run a command; its repetitions are not runs."""
    runs = Runs(document, ID, *element_records(document, "results"))
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    runs.put("completed", runs.raw("exit_codes").map(lambda codes: _count(codes, good=True)).astype("float64"))
    runs.put("failed", runs.raw("exit_codes").map(lambda codes: _count(codes, good=False)).astype("float64"))
    times = runs.raw("times").map(lambda found: len(found) if isinstance(found, list) else None).astype("float64")
    runs.remark_few(times, "repetitions")
    spread = SECONDS * runs.number("stddev") / _positive(runs.get("e2e_ms_mean"))
    runs.remark(spread > _WIDE, "wide_spread", f"The times spread by more than {_WIDE:.0%} of their mean")
    message = "A command's wall time: it holds starting and loading; tokens and model are not known."
    runs.warn("no_tokens", message)
    return runs.reading()


def _count(codes: object, *, good: bool) -> int | None:
    return sum((code == 0) is good for code in codes) if isinstance(codes, list) and codes else None


def _positive(values: pd.Series) -> pd.Series:
    return values.where(values > 0)
