"""covex-neuron: `metrics.json` and `job.json` of a run, or of a pair of runs on GPU and Trainium, in one JSON object.

No specification of these files is public, so nothing is guessed: a metric is read where its name states statistic and
unit, a setting where its name leaves no doubt. All other names are listed as left out, and a file of which no metric
can be read is refused.
"""

from __future__ import annotations

from data import schema
from data.errors import IngestError, Problem
from data.readers import chips
from data.readers.benchmarks._runs import (
    MEAN_AND_PERCENTILES,
    SECONDS,
    Record,
    Runs,
    Source,
    Texts,
    any_record,
    first_of,
    latencies,
)
from data.readers.document import Document
from data.readers.reading import Reading

ID = "covex-neuron"
KIND = "benchmark"
_METRICS = ({"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2e": "e2e"}, {"e2e": "latency"}, {"e2e": "e2e_latency"})
_STATISTICS = (MEAN_AND_PERCENTILES, {"mean": "avg", "p50": "median"})
_ORDERS = ("{metric}_{statistic}", "{statistic}_{metric}")
_UNITS = {"ms": 1.0, "s": SECONDS, "seconds": SECONDS, "us": 1e-3}
_NAMES = {  # canonical name → names that can mean nothing else
    "output_tok_per_s": ("output_tok_per_s", "output_tokens_per_s", "output_tokens_per_second"),
    "total_tok_per_s": ("total_tok_per_s", "total_tokens_per_s", "total_tokens_per_second"),
    "req_per_s": ("req_per_s", "requests_per_s", "requests_per_second"),
    "samples_per_s": ("samples_per_s", "samples_per_second"),
    "train_seq_per_s": ("train_seq_per_s", "train_sequences_per_second"),
    "time_to_train_s": ("time_to_train_s", "time_to_train_seconds"),
    "compile_s": ("compile_s", "compile_time_s", "compile_seconds"),
    "duration_s": ("duration_s", "duration_seconds"),
    "completed": ("completed", "completed_requests"),
    "failed": ("failed", "failed_requests"),
}
_SETTINGS = {
    "price_usd_per_hour": ("price_usd_per_hour", "usd_per_hour", "cost_usd_per_hour", "hourly_cost_usd"),
    "accelerator_count": ("accelerator_count", "num_accelerators"),
    "batch_size": ("batch_size",),
    "concurrency": ("concurrency", "max_concurrency"),
    "input_tokens": ("input_tokens",),
    "output_tokens": ("output_tokens",),
}
_FIELDS: dict[str, tuple[Source, ...]] = {
    **first_of(
        *(
            latencies(f"metrics/{order}_{unit}", metrics, statistics, factor)
            for metrics in _METRICS
            for statistics in _STATISTICS
            for order in _ORDERS
            for unit, factor in _UNITS.items()
        )
    ),
    **{
        name: tuple((f"{at}/{word}", 1.0) for word in words)
        for at, table in (("metrics", _NAMES), ("job", _SETTINGS))
        for name, words in table.items()
    },
}
_TEXTS: Texts = {
    "model": ("job/model", "job/model_id", "job/model_name"),
    "instance_type": "job/instance_type",
    "accelerator": "job/accelerator",
    "precision": ("job/precision", "job/dtype"),
    "engine": ("job/engine", "job/framework", "label"),
    "sdk_version": ("job/sdk_version", "job/neuron_sdk_version"),
    "measured_at": ("job/measured_at", "job/started_at"),
}
_KNOWN = {path for sources in _FIELDS.values() for path, _ in sources}


def recognise(document: Document) -> bool:
    """Tell whether there are both halves, `metrics` and `job`, or the tool's name."""
    return any_record(document, lambda record: _has_halves(record) or _is_signed(record))


def _has_halves(record: Record) -> bool:
    return isinstance(record.get("metrics"), dict) and isinstance(record.get("job"), dict)


def _is_signed(record: Record) -> bool:
    signature = record.get("tool")
    return isinstance(signature, str) and signature.strip().lower().startswith("covex")


def read(document: Document) -> Reading:
    """Return a run, or one for each half of a pair; refuse a file that does not name its metrics."""
    records: list[Record] = []
    lines: list[int] = []
    for record, line in zip(document.objects, document.record_lines, strict=True):
        found = _split(record)
        records += found
        lines += [line] * len(found)
    runs = Runs(document, ID, records, tuple(lines))
    runs.take(_FIELDS)
    if not any(name in runs.frame for name in schema.METRICS if name not in ("completed", "failed", "duration_s")):
        message = "No metric is named so that statistic and unit are certain, such as «ttft_p50_ms»."
        hint = "Put metrics.json and job.json into one object as «metrics» and «job», or use the canonical CSV."
        raise IngestError([Problem(document.file, document.record_lines[0], "metrics", "unknown_names", message, hint)])
    runs.take_texts(_TEXTS)
    runs.derive("platform", [_platform(record) for record in records])
    _remark(runs)
    return runs.reading()


def _split(record: Record) -> list[Record]:
    """Return the runs of an object: one, or one for each object inside `metrics`."""
    metrics, job = record.get("metrics", record), record.get("job")
    if not isinstance(metrics, dict) or not isinstance(job, (dict, type(None))):
        return [{"metrics": {}, "job": {}}]
    job = job or {}
    halves = {label: half for label, half in metrics.items() if isinstance(half, dict)}
    if not halves:
        return [{"metrics": metrics, "job": job}]
    shared = {name: value for name, value in job.items() if not isinstance(value, dict)}
    own = {label: job[label] for label in halves if isinstance(job.get(label), dict)}
    return [{"label": label, "metrics": half, "job": shared | own.get(label, {})} for label, half in halves.items()]


def _platform(record: Record) -> str | None:
    """Return a platform only where it is named, by itself or by an NVIDIA or AMD chip: Trainium has two."""
    job = record["job"]
    assert isinstance(job, dict)  # _split() makes it one
    for value in (job.get("platform"), record.get("label")):
        word = str(value).strip().lower()
        if (name := schema.PLATFORM_SPELLINGS.get(word, word)) in schema.PLATFORMS:
            return name
    return chips.platform(str(job.get("accelerator", "")))


def _remark(runs: Runs) -> None:
    left_out = [
        str(key)
        for record in runs.records
        if isinstance(metrics := record["metrics"], dict)
        for key, value in metrics.items()
        if f"metrics/{key}" not in _KNOWN and isinstance(value, (int, float))
    ]
    if left_out:
        shown = ", ".join(dict.fromkeys(left_out))
        message = f"Left out, because their names do not state statistic and unit: {shown[:500]}."
        runs.warn("unknown_names", message, "Use canonical names for what should be read.")
    message = "The pair does not say which platform each half ran on, and a statement would hold for both"
    several = len(runs.records) > 1
    unknown = runs.frame["platform"].isna() & several
    runs.remark(unknown, "platform_unknown", message, "Load each half as a file of its own.")
    runs.warn("repeats_unknown", "One run a platform says nothing about the spread.", "Load repeats as well.")
