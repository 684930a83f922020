"""The `agg_*.json` of InferenceX: seconds, and throughputs divided by the number of GPUs."""

from __future__ import annotations

import pandas as pd

from data.readers import chips
from data.readers.benchmarks._runs import Fields, Runs, Texts
from data.readers.benchmarks.inferencex import LATENCIES
from data.readers.document import Document
from data.readers.reading import Reading, headers

ID = "inferencex-agg"
KIND = "benchmark"
_FIELDS: Fields = {
    "concurrency": ("conc", 1.0),
    "input_tokens": ("isl", 1.0),
    "output_tokens": ("osl", 1.0),
    **LATENCIES,
}
_TEXTS: Texts = {"model": "model", "precision": "precision"}
_SETTINGS = ("spec_decoding", "mtp", "disagg", "tp", "pp", "ep", "dp_attention", "prefill_tp", "prefill_num_workers",
             "decode_tp", "decode_num_workers")  # fmt: skip


def recognise(document: Document) -> bool:
    """Tell whether there is hardware and a throughput per GPU."""
    return {"hw", "tput_per_gpu"} <= headers(document)


def read(document: Document) -> Reading:
    """Return the runs with the throughput of all GPUs together."""
    runs = Runs(document, ID)
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    _take_hardware(runs)
    gpus, decoding = _gpus(runs)
    runs.follow("accelerator_count", gpus)
    runs.follow("total_tok_per_s", runs.number("tput_per_gpu") * gpus)
    runs.follow("output_tok_per_s", runs.number("output_tput_per_gpu") * decoding)
    runs.derive("engine", [_engine(record) for record in runs.records])
    message = "The number of GPUs is not in the file, so the throughput of all of them is not known"
    runs.remark(gpus.isna(), "gpus_unknown", message, column="tp")
    message = "tput_per_gpu counts input and output tokens; both throughputs are multiplied by the GPUs that served."
    runs.warn("per_gpu", message, "The price must be that of all of them.")
    if {"input_tokens", "output_tokens"} & set(runs.frame):
        runs.warn("nominal_length", "isl and osl are the lengths that were asked for.")
    return runs.reading()


def _take_hardware(runs: Runs) -> None:
    """Read chip and platform out of the name of a runner, such as «h200-cw»."""
    found = [chips.chip_in(name) if isinstance(name, str) else None for name in runs.raw("hw")]
    runs.derive("accelerator", [chip or name for chip, name in zip(found, runs.raw("hw"), strict=True)])
    runs.derive("platform", [chips.platform(chip) if chip else None for chip in found])


def _gpus(runs: Runs) -> tuple[pd.Series, pd.Series]:
    """Return by how many GPUs the total throughput was divided, and by how many the output throughput."""
    one = [runs.number(name).fillna(1) for name in ("pp", "pcp_size")]
    single = runs.number("tp") * one[0] * one[1]
    prefill, decode = runs.number("num_prefill_gpu"), runs.number("num_decode_gpu")
    everything = (prefill.fillna(0) + decode.fillna(0)).where(prefill.notna() | decode.notna())
    apart = everything.notna() & (everything > 0)
    return everything.where(apart, single), decode.where(apart & (decode > 0), everything.where(apart, single))


def _engine(record: object) -> str | None:
    if not isinstance(record, dict):
        return None
    told = [f"{name}={record[name]}" for name in _SETTINGS if name in record and not _is_off(record[name])]
    parts = [str(record["framework"])] if record.get("framework") else []
    return ", ".join(parts + told)[:300] or None


def _is_off(value: object) -> bool:
    return value is None or isinstance(value, (list, dict)) or str(value).lower() in ("", "none", "off", "false")
