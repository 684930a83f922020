"""GuideLLM: its report of benchmarks, and the flat summaries that are made of it, as JSON or CSV.

In the report the latency of a whole request is in seconds, everything that ends in `_ms` in milliseconds; only the
branch of successful requests is read. Its time per output token may hold the first token.
"""

from __future__ import annotations

import pandas as pd

from data.readers.benchmarks._runs import (
    MEAN_AND_PERCENTILES,
    PERCENTILES,
    SECONDS,
    Runs,
    Texts,
    any_record,
    element_records,
    first_of,
    latencies,
)
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "guidellm"
KIND = "benchmark"

# The report: benchmarks[].metrics.<metric>.successful.
_STATISTICS = {"mean": "mean"} | {name: f"percentiles/{name}" for name in PERCENTILES} | {"p50": "median"}
_IN_MS = {"ttft": "time_to_first_token_ms", "tpot": "time_per_output_token_ms", "itl": "inter_token_latency_ms"}
_REPORT = (
    {
        "output_tok_per_s": ("metrics/output_tokens_per_second/successful/mean", 1.0),
        "total_tok_per_s": ("metrics/tokens_per_second/successful/mean", 1.0),
        "req_per_s": ("metrics/requests_per_second/successful/mean", 1.0),
        "input_tokens": ("metrics/prompt_token_count/successful/mean", 1.0),
        "output_tokens": ("metrics/output_token_count/successful/mean", 1.0),
        "total_input_tokens": ("metrics/prompt_token_count/successful/total_sum", 1.0),
        "total_output_tokens": ("metrics/output_token_count/successful/total_sum", 1.0),
        "duration_s": ("duration", 1.0),
    }
    | latencies("metrics/{metric}/successful/{statistic}", _IN_MS, _STATISTICS)
    | latencies("metrics/{metric}/successful/{statistic}", {"e2e": "request_latency"}, _STATISTICS, SECONDS)
)
_TOTALS = ("metrics/request_totals", "request_totals", "scheduler_metrics/requests_made", "run_stats/requests_made")
_STRATEGIES = ("config/strategy", "args/strategy", "scheduler/strategy", "strategy")
_REPORT_TEXTS: Texts = {
    "model": ("config/backend/model", "worker/backend_model", "benchmarker/backend/model", "report/args/model"),
    "measured_at": "start_time",
    "tool_version": "report/metadata/guidellm_version",
}

# The summaries: <metric>_<statistic>_<unit>.
_FLAT_STATISTICS = MEAN_AND_PERCENTILES | {"p50": "median"}
_FLAT_METRICS = {"ttft": "ttft", "itl": "itl", "tpot": "time_per_output_token"}
_WHOLE = ("req_latency", "request_latency")
_FLAT = (
    {
        "output_tok_per_s": (("output_tokens_per_second_mean", 1.0),),
        "total_tok_per_s": (("tokens_per_second_mean", 1.0),),
        "req_per_s": (("throughput_mean_rps", 1.0), ("rps_mean", 1.0), ("requests_per_second_mean", 1.0)),
        "input_tokens": (("prompt_tokens_mean", 1.0), ("prompt_tokens", 1.0)),
        "output_tokens": (("output_tokens_mean", 1.0), ("output_tokens", 1.0)),
        "duration_s": (("duration_s", 1.0), ("duration", 1.0)),
        "completed": (("successful_requests", 1.0),),
        "failed": (("errored_requests", 1.0), ("error_requests", 1.0)),
    }
    | first_of(
        latencies("{metric}_{statistic}_ms", _FLAT_METRICS, _FLAT_STATISTICS),
        latencies("{metric}_{statistic}_ms", {"tpot": "tpot"}, _FLAT_STATISTICS),
    )
    | first_of(
        *(
            latencies(f"{{metric}}_{{statistic}}_{unit}", {"e2e": word}, _FLAT_STATISTICS, factor)
            for word in _WHOLE
            for unit, factor in (("s", SECONDS), ("ms", 1.0))
        )
    )
)
_FLAT_TEXTS: Texts = {
    "model": ("backend_model", "model"),
    "measured_at": "start_time",
    "scenario": ("strategy", "profile"),
}
_FIXED_RATE = ("constant", "poisson", "async", "asynchronous")
_MANY = 0.01


def recognise(document: Document) -> bool:
    """Tell whether this is a report, or a summary with GuideLLM's strategy and metric names."""
    if any_record(document, _is_report):
        return True
    keys = headers(document)
    latency = "ttft_mean_ms" in keys and any(f"{word}_mean_{unit}" in keys for word in _WHOLE for unit in ("s", "ms"))
    return latency and bool(keys & {"strategy", "profile"})


def _is_report(record: object) -> bool:
    runs = record.get("benchmarks") if isinstance(record, dict) else None
    return isinstance(runs, list) and any(
        isinstance(run, dict) and isinstance(run.get("metrics"), dict) for run in runs
    )


def read(document: Document) -> Reading:
    """Return a run a benchmark."""
    if any_record(document, _is_report):
        return _read_report(document)
    runs = Runs(document, ID)
    runs.take(_FLAT)
    runs.take_texts(_FLAT_TEXTS)
    total = runs.number("total_requests")
    runs.follow("completed", total - runs.get("failed").fillna(0) - runs.number("incomplete_requests").fillna(0))
    rate = runs.number("rate")
    in_flight = runs.number("concurrency_mean").round()
    _take_load(runs, runs.raw("strategy").fillna(runs.raw("profile")), rate, rate.fillna(in_flight))
    runs.follow("output_tok_per_s", runs.get("req_per_s") * runs.get("output_tokens"))
    _remark_requests(runs, runs.number("incomplete_requests"))
    started = runs.number("ttft_min_ms") == 0
    runs.remark(started, "no_first_token", "The fastest first token took 0 ms: some requests had none")
    _remark_unlike(runs)
    return runs.reading()


def _read_report(document: Document) -> Reading:
    runs = Runs(document, ID, *element_records(document, "benchmarks"))
    runs.take(_REPORT)
    for name, status in (("completed", "successful"), ("failed", "errored")):
        runs.take({name: tuple((f"{path}/{status}", 1.0) for path in _TOTALS)})
    runs.take_texts(_REPORT_TEXTS)
    strategy = _first(runs, [f"{path}/type_" for path in _STRATEGIES])
    runs.put("scenario", strategy)
    streams = [f"{path}/{key}" for path in _STRATEGIES for key in ("max_concurrency", "streams")]
    _take_load(runs, strategy, _number(runs, [f"{path}/rate" for path in _STRATEGIES]), _number(runs, streams))
    _remark_requests(runs, _number(runs, [f"{path}/incomplete" for path in _TOTALS]))
    runs.remark_few(runs.get("completed"), "requests")
    served = runs.get("completed") / runs.get("duration_s").where(runs.get("duration_s") > 0)
    differ = (runs.get("req_per_s") / served - 1).abs() > 0.1
    message = "requests_per_second is not the number of requests ÷ the duration of the run"
    runs.remark(differ, "contradiction", message, "It is a mean over rates; the run may be too short for it.")
    return runs.reading()


def _first(runs: Runs, paths: list[str]) -> pd.Series:
    found = pd.Series(None, index=runs.frame.index, dtype=object)
    for path in paths:
        values = runs.raw(path)
        found = found.where(found.notna(), values.where(values.map(lambda value: isinstance(value, str)), None))
    return found


def _number(runs: Runs, paths: list[str]) -> pd.Series:
    found = pd.Series(float("nan"), index=runs.frame.index)
    for path in paths:
        found = found.fillna(runs.number(path))
    return found


def _take_load(runs: Runs, strategy: pd.Series, rate: pd.Series, streams: pd.Series) -> None:
    """Take the load that was set: a rate, or streams; how many requests were in flight at a rate is a result."""
    kind = strategy.map(lambda value: value.strip().lower() if isinstance(value, str) else "")
    runs.put("request_rate", rate.where(kind.isin(_FIXED_RATE)))
    concurrency = streams.where(kind == "concurrent").mask(kind == "synchronous", 1.0)
    runs.put("concurrency", concurrency.where(concurrency > 0))


def _remark_requests(runs: Runs, incomplete: pd.Series) -> None:
    some = (incomplete > _MANY * runs.get("completed")) & (incomplete > 0)
    message = "Requests were cut off at the end of the run; they count neither as completed nor as failed"
    runs.remark(some, "incomplete_requests", message)
    runs.remark(runs.get("failed") > 0, "some_failed", "Some requests failed")


def _remark_unlike(runs: Runs) -> None:
    """Remark runs under the same load whose first tokens differ tenfold: they did not measure the same thing."""
    loads = ["scenario", "request_rate", "concurrency"]
    if "ttft_ms_mean" not in runs.frame or "scenario" not in runs.frame:
        return
    load = runs.frame[[name for name in loads if name in runs.frame]].map(str)  # whatever a file puts there
    groups = runs.frame["ttft_ms_mean"].groupby([load[name] for name in load])
    unlike = groups.transform("max") > 10 * groups.transform("min")
    message = "Runs under the same load differ more than tenfold in their first token"
    runs.remark(unlike, "unlike_repeats", message, "They are no repeats of each other; find out what differs.")
