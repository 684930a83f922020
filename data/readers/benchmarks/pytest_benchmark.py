"""The storage of pytest-benchmark: seconds that a function takes, a run a test."""

from __future__ import annotations

from data.readers.benchmarks._runs import SECONDS, Fields, Runs, Texts, any_record, element_records
from data.readers.document import Document
from data.readers.reading import Reading

ID = "pytest-benchmark"
KIND = "benchmark"
_FIELDS: Fields = {"e2e_ms_mean": ("stats/mean", SECONDS), "e2e_ms_p50": ("stats/median", SECONDS)}
_TEXTS: Texts = {
    "scenario": ("fullname", "name"),
    "measured_at": "report/datetime",
    "tool_version": "report/version",
}
_MICRO_MS = 1.0


def recognise(document: Document) -> bool:
    """Tell whether there are benchmarks with statistics, not with metrics as GuideLLM's."""
    return any_record(document, lambda record: _has_stats(record.get("benchmarks")))


def _has_stats(tests: object) -> bool:
    return isinstance(tests, list) and any(
        isinstance(test, dict) and isinstance(test.get("stats"), dict) and "metrics" not in test for test in tests
    )


def read(document: Document) -> Reading:
    """Return a run a test; its rounds are not runs."""
    runs = Runs(document, ID, *element_records(document, "benchmarks"))
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    micro = runs.get("e2e_ms_mean") < _MICRO_MS
    message = f"A call takes less than {_MICRO_MS:g} ms: a micro test, which says little about a platform"
    runs.remark(micro, "micro_test", message)
    runs.remark_few(runs.number("stats/rounds"), "rounds")
    runs.warn("no_tokens", "A function was timed: requests, tokens and model are not known.")
    return runs.reading()
