"""The result table of optimum-neuron, which sums up GuideLLM runs: seconds and milliseconds side by side."""

from __future__ import annotations

import re

import pandas as pd

from data.readers.columns import MS, TEXT, TOKENS, Columns, fixed, labels, read_columns
from data.readers.document import Document
from data.readers.reading import Reading

ID = "optimum-neuron"
KIND = "benchmark"
_FIELDS = (
    ("model id", "model", TEXT),
    ("date", "measured_at", TEXT),
    ("input type", "scenario", TEXT),
    ("requests per second", "req_per_s", fixed()),
    ("request latency", "e2e_ms_mean", MS),
    ("time to first token", "ttft_ms_mean", MS),
    ("inter token latency", "itl_ms_mean", MS),
    ("output token throughput", "output_tok_per_s", TOKENS),
)
_OFFERED = re.compile(r".*@\s*([\d.]+)\s*req(?:uests)?/s(?:ec)?", re.IGNORECASE)
_NEAR = 0.02


def recognise(document: Document) -> bool:
    """Tell whether load points in words stand beside a request latency and a time to first token."""
    return labels(document) >= {"input type", "request latency", "time to first token", "output token throughput"}


def read(document: Document) -> Reading:
    """Return the runs; the offered rate and a concurrency of one are read off the load point's words."""
    columns = read_columns(document, ID, _FIELDS)
    load = columns.frame["scenario"].fillna("").astype(str)
    columns.derive("request_rate", [float(found[1]) if (found := _rate(text)) else None for text in load])
    columns.derive("concurrency", [1 if text.strip().lower() == "synchronous" else None for text in load])
    _warn_of_means(columns, load)
    models = columns.frame["model"].nunique() if "model" in columns.frame else 1
    if models > 1:
        message = f"The file holds {models} models: each row keeps its own."
        columns.warn("several_models", message, "Names are as the tool wrote them; «/» has become «_».")
    return columns.reading()


def _rate(text: str) -> re.Match[str] | None:
    match = _OFFERED.fullmatch(text)
    return match if match and re.fullmatch(r"\d+(\.\d*)?", match[1]) else None


def _warn_of_means(columns: Columns, load: pd.Series) -> None:
    """Say that the file does not name a statistic, and what the rows with one request at a time show."""
    message = "The file does not say whether latencies are means: they are taken as such."
    frame = columns.frame
    if {"req_per_s", "e2e_ms_mean"} <= set(frame):
        shares = (frame["req_per_s"] * frame["e2e_ms_mean"] / 1e3)[load.str.lower() == "synchronous"].dropna()
        if len(shares) and ((shares - 1).abs() < _NEAR).all():
            message += " Where one request runs at a time, rate × latency is 1, which means fulfil."
        elif len(shares):
            message += f" Yet where one request runs at a time, rate × latency is {shares.iloc[0]:.2f}, not 1."
    columns.warn("statistic_not_stated", message, "", "Request Latency")
