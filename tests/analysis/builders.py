"""Small made-up inputs that several tests need."""

from typing import Any

import pandas as pd

from analysis.model.reading import read_scenario
from analysis.model.scenario import Scenario

# Both platforms measured, the candidate about a fifth cheaper; enough spend for every act to be in reach.
MEASURED: dict[str, Any] = {
    "baseline": [{"name": "gpu", "price_per_hour": 50.0, "throughput_runs": [200.0, 204.0, 196.0]}],
    "candidate": [{"name": "trn", "price_per_hour": 36.0, "throughput_runs": [180.0, 183.0, 176.0]}],
}


def scenario(**sections: Any) -> Scenario:
    return read_scenario(sections)


def run(**values: Any) -> dict[str, Any]:
    """One benchmark run in canonical columns; what is not given is as in every other run."""
    return {
        "model": "toy-7b",
        "platform": "cuda",
        "software_path": None,
        "instance_type": "gpu.big",
        "precision": "bf16",
        "engine": "toy-engine",
        "concurrency": 8.0,
        "request_rate": None,
        "batch_size": None,
        "input_tokens": 512.0,
        "output_tokens": 128.0,
        "price_usd_per_hour": None,
        "output_tok_per_s": None,
        "total_tok_per_s": None,
        "req_per_s": None,
        "samples_per_s": None,
        "train_seq_per_s": None,
        "time_to_train_s": None,
        "e2e_ms_p99": None,
        "ttft_ms_p99": None,
        "error_rate": None,
        "quality_metric": None,
        "quality_value": None,
        "file": "runs.csv",
        "demo": False,
        "uploaded_at": pd.Timestamp("2026-03-01"),
    } | values


def runs(*rows: dict[str, Any]) -> pd.DataFrame:
    """Runs as the store gives them: text or None, numbers as floats."""
    frame = pd.DataFrame(list(rows))
    text = (
        "model",
        "platform",
        "software_path",
        "instance_type",
        "precision",
        "engine",
        "quality_metric",
        "run_valid",
        "file",
    )
    for name in frame.columns:
        if name in text:
            frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
        elif name not in ("demo", "uploaded_at"):
            frame[name] = frame[name].astype("float64")
    return frame


def cuda(**values: Any) -> dict[str, Any]:
    return run(**{"price_usd_per_hour": 40.0, "output_tok_per_s": 2000.0} | values)


def neuron(**values: Any) -> dict[str, Any]:
    usual = {"platform": "neuron", "instance_type": "trn.big", "price_usd_per_hour": 30.0, "output_tok_per_s": 1800.0}
    return run(**usual | values)


def operators(*rows: tuple[str, str, float | None, float | None], **values: Any) -> pd.DataFrame:
    """Operator rows as (operator, status, calls, time in µs)."""
    names = ("operator", "status", "calls", "time_us")
    usual = {"role": "used", "reason": None, "demo": False}
    frame = pd.DataFrame([usual | dict(zip(names, row, strict=True)) | values for row in rows])
    return frame.astype({"calls": "float64", "time_us": "float64"})
