"""The report of optimum-benchmark: prefill, decode and per token, each with its unit; with or without its config."""

from __future__ import annotations

from data.errors import IngestError, Problem
from data.readers import chips
from data.readers.benchmarks._runs import MEAN_AND_PERCENTILES, SECONDS, Fields, Runs, Texts, any_record, dig, latencies
from data.readers.cells import show
from data.readers.document import Document
from data.readers.reading import Reading

ID = "optimum-benchmark"
KIND = "benchmark"
# The first token ends the prefill; `per_token` is measured between two tokens; `forward` and `call` are whole requests.
_PHASES = {"prefill": "ttft", "per_token": "itl", "forward": "e2e", "call": "e2e", "generate": "e2e"}
_THROUGHPUTS = {
    ("decode", "tokens/s"): "output_tok_per_s",
    ("generate", "tokens/s"): "output_tok_per_s",
    ("forward", "samples/s"): "samples_per_s",
    ("call", "samples/s"): "samples_per_s",
    ("call", "images/s"): "samples_per_s",
    ("train", "samples/s"): "train_seq_per_s",
    ("overall", "samples/s"): "train_seq_per_s",
}
_TO_MS = {"s": SECONDS, "ms": 1.0, "us": 1e-3}
_SCENARIO = ("scenario", "benchmark")  # newer and older versions
_FIELDS: Fields = {
    "batch_size": tuple((f"config/{at}/input_shapes/batch_size", 1.0) for at in _SCENARIO),
    "input_tokens": tuple((f"config/{at}/input_shapes/sequence_length", 1.0) for at in _SCENARIO),
    "output_tokens": tuple((f"config/{at}/generate_kwargs/max_new_tokens", 1.0) for at in _SCENARIO),
}
_TEXTS: Texts = {
    "model": "config/backend/model",
    "engine": "config/backend/name",
    "engine_version": "config/backend/version",
    "precision": "config/backend/torch_dtype",
    "tool_version": "config/environment/optimum_benchmark_version",
}
_DEVICES = {"cpu": "cpu", "mps": "mps", "xpu": "xpu"}


def recognise(document: Document) -> bool:
    """Tell whether a phase has a latency with a unit."""
    return any_record(document, lambda record: any(_is_phase(_report(record), phase) for phase in _PHASES))


def _report(record: object) -> object:
    inner = dig(record, "report")
    return inner if isinstance(inner, dict) else record


def _is_phase(report: object, phase: str) -> bool:
    latency = dig(report, f"{phase}/latency")
    return isinstance(latency, dict) and "unit" in latency and "mean" in latency


def read(document: Document) -> Reading:
    """Return one run a report; the throughput of the prefill is not that of the output."""
    records = [{"config": dig(record, "config"), "report": _report(record)} for record in document.objects]
    runs = Runs(document, ID, records)
    for phase, metric in _PHASES.items():
        factor = _unit(runs, f"report/{phase}/latency/unit", _TO_MS)
        fields = latencies(
            f"report/{phase}/{{metric}}/{{statistic}}", {metric: "latency"}, MEAN_AND_PERCENTILES, factor
        )
        runs.take(fields)
    for (phase, unit), name in _THROUGHPUTS.items():
        stated = runs.raw(f"report/{phase}/throughput/unit") == unit
        if stated.any():
            runs.take({name: (f"report/{phase}/throughput/value", 1.0)})
    runs.take(_FIELDS)
    runs.take_texts(_TEXTS)
    _take_device(runs)
    _remark(runs)
    return runs.reading()


def _unit(runs: Runs, path: str, known: dict[str, float]) -> float:
    """Return the factor of the one unit that stands at a path; raise IngestError where it is not known."""
    units = {str(unit) for unit in runs.raw(path).dropna()}
    if len(units) > 1 or not units <= set(known):
        message = f"The unit {show(', '.join(sorted(units)))} is not known, or not the same throughout."
        hint = f"Known are {', '.join(known)}."
        raise IngestError([Problem(runs.file, runs.cells.lines[0], path, "unknown_unit", message, hint)])
    return known[units.pop()] if units else 1.0


def _take_device(runs: Runs) -> None:
    """Take the platform from the device; «cuda» is said of AMD's chips too, so there the chip's name decides."""
    found = runs.raw("config/environment/gpu").map(
        lambda names: str(names[0]) if isinstance(names, list) and names else ""
    )
    runs.put("accelerator", found.map(chips.chip_in))
    by_name = found.map(chips.platform)
    device = runs.raw("config/backend/device").map(str)
    runs.put("platform", device.map(lambda name: _DEVICES.get(name)).fillna(by_name.where(device == "cuda")))


def _remark(runs: Runs) -> None:
    if "itl_ms_mean" in runs.frame:
        message = "per_token is the time between two tokens (ITL); some take it for the time per output token."
        runs.warn("metric_unclear", message, column="per_token")
    if runs.number("report/decode/throughput/value").notna().any():
        message = "The throughput of «decode» leaves out the prefill."
        runs.warn("decode_only", message, "The output throughput of whole requests is lower.", "decode")
    unknown = runs.raw("config").isna()
    message = "Model, batch size and device stand in a sibling file"
    runs.remark(unknown, "stands_in_sibling_file", message, "Load benchmark.json, which holds both, or state them.")
    runs.remark_few(runs.number("report/prefill/latency/count"), "repetitions")
