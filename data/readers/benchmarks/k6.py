"""The summary of k6, as `--summary-export` or `handleSummary` writes it: milliseconds, no tokens.

`http_req_failed` is a rate of failures: what «passes» there has failed.
"""

from __future__ import annotations

import pandas as pd

from data.readers.benchmarks._runs import Fields, Runs, Source, any_record, dig, first_of, latencies
from data.readers.document import Document
from data.readers.reading import Reading

ID = "k6"
KIND = "benchmark"
_STATISTICS = {"mean": "avg", "p50": "med", "p90": "p(90)", "p95": "p(95)", "p99": "p(99)"}
_SUCCEEDED, _ALL = "http_req_duration{expected_response:true}", "http_req_duration"
_PLACES = ("", "values/")  # flat from --summary-export, nested from handleSummary


def _places(path: str) -> tuple[Source, ...]:
    return tuple((f"metrics/{path.format(place)}", 1.0) for place in _PLACES)


_FIELDS: Fields = {
    "failed": _places("http_req_failed/{}passes"),
    "completed": _places("http_req_failed/{}fails"),
    "error_rate": (*_places("http_req_failed/{}value"), *_places("http_req_failed/{}rate")),
    "duration_s": ("state/testRunDurationMs", 1e-3),
    **first_of(
        *(
            latencies(f"metrics/{{metric}}/{place}{{statistic}}", {"e2e": metric}, _STATISTICS)
            for metric in (_SUCCEEDED, _ALL)
            for place in _PLACES
        )
    ),
}


def recognise(document: Document) -> bool:
    """Tell whether there is a group of checks and metrics of HTTP requests."""
    return any_record(
        document,
        lambda summary: (
            isinstance(summary.get("metrics"), dict)
            and ("root_group" in summary or "state" in summary)
            and any(key.startswith("http_req") for key in _metrics(summary))
        ),
    )


def _metrics(summary: object) -> list[str]:
    metrics = dig(summary, "metrics")
    return [str(key) for key in metrics] if isinstance(metrics, dict) else []


def read(document: Document) -> Reading:
    """Return one run a summary; failed requests are no throughput, and the time of an iteration is no latency."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    rate = runs.number("metrics/http_reqs/rate").fillna(runs.number("metrics/http_reqs/values/rate"))
    count = runs.number("metrics/http_reqs/count").fillna(runs.number("metrics/http_reqs/values/count"))
    runs.follow("duration_s", (count / rate).where(rate > 0).round(3))
    runs.follow("req_per_s", rate * (1 - runs.get("error_rate")))
    _remark(runs)
    return runs.reading()


def _remark(runs: Runs) -> None:
    failed, succeeded = runs.get("failed"), runs.raw(f"metrics/{_SUCCEEDED}")
    mixed = (failed > 0) & succeeded.isna() & (runs.get("e2e_ms_mean") > 0)
    runs.remark(mixed, "failures_in_latency", "The latencies hold those of failed requests")
    runs.remark(runs.get("completed") == 0, "nothing_completed", "Every request failed: this is no measurement")
    unknown = runs.get("error_rate").isna()
    message = "The summary does not say how many requests failed, so how many were served is not known"
    runs.remark(unknown, "failures_unknown", message, column="http_req_failed")
    checks = runs.number("metrics/checks/fails").fillna(runs.number("metrics/checks/values/fails"))
    passes = runs.number("metrics/checks/passes").fillna(runs.number("metrics/checks/values/passes"))
    runs.remark(checks > 0, "checks_failed", "Checks of the answers failed", "The requests may not have done the work.")
    runs.follow("run_valid", pd.Series("no", index=checks.index).where((checks > 0) & (passes.fillna(0) == 0)))
    runs.warn("no_tokens", "k6 times whole HTTP requests: tokens and the first token are not known.")
