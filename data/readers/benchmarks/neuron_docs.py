"""Tables of the AWS Neuron documentation: inference and training results, a row a model and configuration.

Units stand in the headers. The price lists beside them hold no measurement and are not read.
"""

from __future__ import annotations

import re

import pandas as pd

from data.readers.cells import show
from data.readers.chips import neuron_path
from data.readers.columns import (
    MS,
    SAMPLES,
    SEQUENCES,
    TEXT,
    TOKENS,
    Columns,
    fixed,
    labels,
    read_columns,
    split,
    spread,
)
from data.readers.document import Document
from data.readers.reading import Reading

ID = "neuron-docs"
KIND = "benchmark"
_INSTANCE = ("inst type", "instance type")
_FIELDS = (
    ("model", "model", TEXT),
    ("neuron version", "sdk_version", TEXT),
    ("application type", "scenario", TEXT),
    ("batch size", "batch_size", fixed()),
    ("globalbatch", "batch_size", fixed()),
    ("global batch", "batch_size", fixed()),
    ("input length", "input_tokens", fixed()),
    ("output length", "output_tokens", fixed()),
    ("output token throughput", "output_tok_per_s", TOKENS),
    ("throughput", "samples_per_s", SAMPLES),
    ("throughput", "output_tok_per_s", TOKENS),
    ("avg throughput", "samples_per_s", SAMPLES),
    ("avg throughput", "output_tok_per_s", TOKENS),
    ("performance", "train_seq_per_s", SEQUENCES),
    *spread("ttft latency {}", "ttft_ms", MS),
    *spread("tpot latency {}", "tpot_ms", MS),
    *spread("latency per token {}", "tpot_ms", MS),
    *spread("latency {}", "e2e_ms", MS),
)
_MEASURED = {word for word, name, _ in _FIELDS if name.endswith("_per_s") or "_ms_" in name}
# The type of the weights first: `precision` means theirs.
_PRECISIONS = ("weight storage data type", "model data type", "training data type", "model details", "data type")
_TYPES = re.compile(r"\b(bf16|fp16|fp32|fp8|int8|int4|bfloat16|float16|float32)\b", re.IGNORECASE)
_NAMED_BATCH = re.compile(r"[(,]b(\d{1,6})[,)]")
_AUTOCAST = re.compile(r"autocast:\s*(\w+)", re.IGNORECASE)
# What sets configurations apart and has no canonical column; «Threads» and «Num. Cores» are no concurrency.
_SETTINGS = (
    "framework",
    "run mode",
    "tp degree",
    "dp degree",
    "topology",
    "nodes",
    "num cores",
    "threads",
    "microbatch",
    "optimizer",
    "sequence length",
    "image size",
    "model data type",
    "compilation autocast data type",
    "training data type",
)


def recognise(document: Document) -> bool:
    """Tell whether a Neuron version and an instance type stand beside a throughput or latency."""
    found = labels(document)
    return "neuron version" in found and bool(found.intersection(_INSTANCE)) and bool(found & _MEASURED)


def read(document: Document) -> Reading:
    """Return the rows; instance, precision and platform are read off texts, and said to be."""
    columns = read_columns(document, ID, _FIELDS)
    _name_instances(columns)
    _name_precision(columns)
    found = {header: _setting(columns, header) for header in map(str, columns.cells.frame)}
    settings = {header: values for header, values in found.items() if values is not None}
    if settings:
        rows = zip(*settings.values(), strict=True)
        columns.derive("engine", [_joined(dict(zip(settings, row, strict=True))) for row in rows])
    _warn_of_names(columns)
    return columns.reading()


def _warn_of_names(columns: Columns) -> None:
    """Warn where a configuration's name such as «BERT-PT(fp32,b6,c4)» has another batch than its column."""
    names = columns.other("name")
    if names is None or "batch_size" not in columns.frame:
        return
    for row, (name, batch) in enumerate(zip(names, columns.frame["batch_size"], strict=True)):
        match = _NAMED_BATCH.search(str(name))
        if match is not None and batch == batch and int(match[1]) != batch:
            message = f"The name {show(name)} says batch {match[1]}, its column {batch:g}: the column is taken."
            columns.warn("contradiction", message, "", "Batch Size", row)


def _setting(columns: Columns, header: str) -> pd.Series | None:
    return columns.other(split(header)[0]) if split(header)[0] in _SETTINGS else None


def _joined(settings: dict[str, object]) -> str | None:
    """Return the settings of a row in one text; the framework stands first, without its header."""
    parts = [
        str(cell) if split(header)[0] == "framework" else f"{' '.join(header.split())}={cell}"
        for header, cell in settings.items()
        if cell not in (None, "")
    ]
    return ", ".join(parts)[:900] or None


def _name_instances(columns: Columns) -> None:
    """Set instance type and platform; neither where a cell names several types of which only one ran."""
    cells = columns.other(*_INSTANCE)
    nodes = columns.other("nodes")
    assert cells is not None  # recognise() has seen the column
    types = [[part for part in re.split(r"\s*[/,;]\s*|\s+or\s+", str(cell or "")) if part] for cell in cells]
    counts = [_count(cell) for cell in nodes] if nodes is not None else [1] * len(types)
    names = [
        None if len(found) != 1 else found[0] if count == 1 else f"{count} x {found[0]}"
        for found, count in zip(types, counts, strict=True)
    ]
    columns.derive("instance_type", names)
    paths = [{neuron_path(name) for name in found} for found in types]
    columns.derive("platform", ["neuron-xla" if found == {"neuron-xla"} else None for found in paths])
    header = next(header for header in map(str, columns.cells.frame) if split(header)[0] in _INSTANCE)
    columns.headers["instance_type"] = header
    _warn_of_instances(columns, header, types, counts)


def _count(cell: object) -> int:
    text = str(cell).strip()
    return int(text) if re.fullmatch(r"[1-9]\d{0,5}", text) else 1


def _warn_of_instances(columns: Columns, header: str, types: list[list[str]], counts: list[int]) -> None:
    several = next((row for row, found in enumerate(types) if len(found) > 1), None)
    if several is not None:
        message = f"One cell names several instance types ({' and '.join(types[several])}): it is left open."
        columns.warn("several_instances", message, "State the one that ran.", header, several)
    many = next((row for row, count in enumerate(counts) if count > 1), None)
    if many is not None:
        message = f"The throughput is that of {counts[many]} instances together, not of one."
        hint = f"State an instance type such as «{counts[many]} x trn1.32xlarge» and the price of all of them."
        columns.warn("several_nodes", message, hint, "Nodes", many)


def _name_precision(columns: Columns) -> None:
    """Set the precision from the first column that names one number format, the weights' before others."""
    for word in _PRECISIONS:
        cells = columns.other(word)
        if cells is None:
            continue
        found = [_precision(str(cell or "")) for cell in cells]
        if any(found):
            columns.derive("precision", found)
            message = f"The precision is read off «{word}»: that of the weights, where several types are given."
            columns.warn("read_from_text", message, "All given types are kept in engine.")
            return


def _precision(text: str) -> str | None:
    """Return the number format a text names; None where it names several and not which one computes."""
    autocast = _AUTOCAST.search(text)
    found = {match.lower() for match in _TYPES.findall(autocast[1] if autocast else text)}
    return found.pop() if len(found) == 1 else None
