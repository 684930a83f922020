"""The canonical columns: one table for benchmark runs, one for operators.

Readers, store, command line, export, templates and `docs/file-formats.md` all stand on these two tables.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["dimension", "metric"]
Dtype = Literal["text", "float", "int", "date"]
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Column:
    """Describe one canonical column.

    `low` and `high` bound a number; `above` is True where `low` itself is refused. `choices` closes a text column.
    """

    name: str
    kind: Kind
    dtype: Dtype
    unit: str
    description: str
    low: float | None = None
    high: float | None = None
    above: bool = False
    choices: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        """Tell whether the column holds numbers."""
        return self.dtype in ("float", "int")

    @property
    def range_text(self) -> str:
        """Return the allowed range in words, empty where there is none."""
        if self.choices:
            return ", ".join(self.choices)
        low = "" if self.low is None else f"{'>' if self.above else '≥'} {self.low:g}"
        high = "" if self.high is None else f"≤ {self.high:g}"
        return ", ".join(part for part in (low, high) if part)


PLATFORMS = ("cuda", "neuron", "neuron-xla", "rocm", "mps", "xpu", "tpu", "cpu")
# Only spellings that leave no doubt: «trainium» does not say which software path, «gpu» not whose.
PLATFORM_SPELLINGS = {
    "nvidia": "cuda",
    "nvidia-cuda": "cuda",
    "torchneuron": "neuron",
    "neuron-native": "neuron",
    "neuron-torch-xla": "neuron-xla",
    "neuronx-xla": "neuron-xla",
    "amd": "rocm",
    "amd-rocm": "rocm",
    "hip": "rocm",
    "apple": "mps",
    "apple-mps": "mps",
    "metal": "mps",
    "intel-xpu": "xpu",
    "google-tpu": "tpu",
}
SOFTWARE_PATHS = {name: name for name in PLATFORMS} | {"neuron": "native", "neuron-xla": "xla"}
PRECISION_SPELLINGS = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float8": "fp8",
}
# Whose operator lists are read beside those of the platforms; none of them says anything about another.
BACKENDS = (
    *PLATFORMS,
    *("neuron-inf1", "xla", "tensorrt", "executorch-vulkan", "executorch-xnnpack", "tt-nn", "onnx-mlir", "neuronx-cc"),
)
STATUSES = ("native", "fallback", "unsupported", "unknown")
ROLES = ("used", "status", "blocker")


def _text(name: str, description: str, choices: tuple[str, ...] = (), kind: Kind = "dimension") -> Column:
    return Column(name, kind, "text", "", description, choices=choices)


def _number(
    name: str,
    unit: str,
    description: str,
    *,
    kind: Kind = "metric",
    dtype: Dtype = "float",
    low: float | None = 0.0,
    high: float | None = None,
    above: bool = False,
) -> Column:
    return Column(name, kind, dtype, unit, description, low, high, above)


_LATENCIES = {
    "ttft": "time to first token",
    "tpot": "time per output token after the first",
    "itl": "time between two tokens",
    "e2e": "whole request, from sending it to the last token",
}
_STATISTICS = {
    "mean": "mean",
    "p50": "median",
    "p90": "90th percentile",
    "p95": "95th percentile",
    "p99": "99th percentile",
}
LATENCY_COLUMNS = tuple(
    # A time between tokens may be 0 where several arrive in one chunk; a first token or a request takes time.
    _number(f"{key}_ms_{stat}", "ms", f"{meaning}, {words}", above=key in ("ttft", "e2e"))
    for key, meaning in _LATENCIES.items()
    for stat, words in _STATISTICS.items()
)
THROUGHPUT_COLUMNS = (
    _number("output_tok_per_s", "tokens/s", "output tokens per second, of all requests together"),
    _number("total_tok_per_s", "tokens/s", "input and output tokens per second"),
    _number("req_per_s", "requests/s", "completed requests per second"),
    _number("samples_per_s", "samples/s", "samples, images or inferences per second"),
    _number("train_seq_per_s", "sequences/s", "training sequences per second"),
    _number("time_to_train_s", "s", "time until the training target was reached", above=True),
)

BENCHMARK_COLUMNS: tuple[Column, ...] = (
    _text("model", "model that was run"),
    _text("platform", "hardware and software platform", PLATFORMS),
    _text("software_path", "native, xla, cuda …: follows from the platform where it is not given"),
    _text("instance_type", "cloud instance type, e.g. trn2.48xlarge"),
    _text("accelerator", "name of the chip: follows from a known instance type"),
    _number("accelerator_count", "chips", "chips in the instance", kind="dimension", dtype="int", low=1),
    _text("precision", "number format of the weights, e.g. bf16, fp8"),
    _text("engine", "serving or training engine, with whatever sets one configuration apart from another"),
    _text("engine_version", "version of the engine"),
    _text("sdk_version", "version of CUDA, Neuron SDK, ROCm …"),
    _text("tool", "tool that measured"),
    _text("tool_version", "version of that tool"),
    _number("concurrency", "requests", "requests in flight at once", kind="dimension", dtype="int", low=1),
    _number(
        "request_rate", "requests/s", "offered load; empty where all were sent at once", kind="dimension", above=True
    ),
    _number("batch_size", "samples", "batch size", kind="dimension", dtype="int", low=1),
    _number("input_tokens", "tokens/request", "mean input length", kind="dimension"),
    _number("output_tokens", "tokens/request", "mean output length", kind="dimension"),
    _number("price_usd_per_hour", "USD/h", "price of the whole instance as billed", kind="dimension", above=True),
    Column("measured_at", "dimension", "date", "ISO 8601", "when it was measured"),
    _text("scenario", "workload scenario"),
    _text("dataset", "data set of the requests"),
    _text("prefix_caching", "whether prefix caching was on"),
    _text(
        "run_valid", "whether the tool itself calls the run valid; one that it does not does not count", ("yes", "no")
    ),
    _text("quality_metric", "what quality_value measures; more is better"),
    _number("quality_value", "", "quality of the outputs", kind="dimension", low=None),
    *LATENCY_COLUMNS,
    *THROUGHPUT_COLUMNS,
    _number("duration_s", "s", "length of the run", above=True),
    _number("completed", "requests", "requests that succeeded", dtype="int"),
    _number("failed", "requests", "requests that failed", dtype="int"),
    _number("error_rate", "share", "failed ÷ all requests", high=1.0),
    _number("total_input_tokens", "tokens", "input tokens of the run", dtype="int"),
    _number("total_output_tokens", "tokens", "output tokens of the run", dtype="int"),
    _number("compile_s", "s", "compile time before the run"),
)

OPERATOR_COLUMNS: tuple[Column, ...] = (
    _text("operator", "namespace.name.overload, e.g. aten.add.Tensor; `.default` is dropped"),
    _text("role", "used by a model, a status in a support list, or a blocker that is no operator", ROLES),
    _text("status", "how the backend runs it; empty where the file says nothing", STATUSES),
    _number("calls", "calls", "times it was called", kind="metric", dtype="int"),
    _number("time_us", "µs", "self time, nested operators subtracted"),
    _number("flops", "FLOP", "floating-point operations"),
    _number("output_bytes", "bytes", "bytes it wrote"),
    _text("backend", "platform or compiler the status holds for", BACKENDS),
    _text("version", "version of the backend's software"),
    _text("mode", "eager or compile; train or infer"),
    _text("dtype", "number format of its inputs"),
    _text("user_code", "file:line of the model that calls it"),
    _text("model", "model that uses it"),
    _text("reason", "why it does not run natively"),
    _text("blocker", "what blocks, where it is no operator"),
    _number("graph_breaks", "breaks", "graph breaks of the model", dtype="int"),
    _text("accuracy", "the tool's own accuracy verdict", kind="metric"),
    _number("converted_refs", "references", "CUDA references that were converted", dtype="int"),
    _number("unconverted_refs", "references", "CUDA references that were not converted", dtype="int"),
    _number("source_line", "line", "line of the file", dtype="int", low=1),
    _number("source_column", "column", "column of the file", dtype="int", low=1),
)

COLUMNS = {"benchmark": BENCHMARK_COLUMNS, "operators": OPERATOR_COLUMNS}
BY_NAME = {kind: {column.name: column for column in columns} for kind, columns in COLUMNS.items()}
METRICS = tuple(column.name for column in BENCHMARK_COLUMNS if column.kind == "metric")

REQUIRED = ("model", "platform", "instance_type", "precision")
"""Dimensions of a benchmark run that must be known, or said to be unknown, before it is loaded."""

FOLLOWS_FROM_INSTANCE = ("accelerator", "accelerator_count")
"""Dimensions that the shipped instance table fills."""

SETTABLE = {
    "benchmark": tuple(column.name for column in BENCHMARK_COLUMNS if column.kind == "dimension"),
    "operators": ("backend", "version", "mode", "dtype", "model"),
}
"""What a user may state for a whole file."""


def columns(kind: str) -> tuple[Column, ...]:
    """Return the canonical columns of `benchmark` or `operators`."""
    return COLUMNS[kind]


def names(kind: str) -> tuple[str, ...]:
    """Return the names of the canonical columns of `benchmark` or `operators`."""
    return tuple(BY_NAME[kind])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return «Did you mean …?» for the nearest known word, or an empty string."""
    near = difflib.get_close_matches(word.strip().lower(), list(known), n=1, cutoff=0.6)
    return f"Did you mean «{near[0]}»?" if near else ""


def markdown(kind: str) -> str:
    """Return the columns of `benchmark` or `operators` as a markdown table."""
    rows = [("column", "unit", "allowed", "meaning"), ("---", "---", "---", "---")]
    rows += [(f"`{column.name}`", column.unit, column.range_text, column.description) for column in columns(kind)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
