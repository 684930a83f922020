"""The CSV of NeuronPerf: a row a number of model copies and workers; units stand in the names, throughput is per s."""

from __future__ import annotations

import pandas as pd

from data.readers.cells import Refusal, numbers, show
from data.readers.columns import TEXT, Columns, fixed, labels, read_columns
from data.readers.document import Document
from data.readers.reading import Reading

ID = "neuronperf"
KIND = "benchmark"
_FIELDS = (
    ("batch size", "batch_size", fixed()),
    ("throughput avg", "samples_per_s", fixed()),
    *((f"latency ms p{level}", f"e2e_ms_p{level}", fixed()) for level in (50, 90, 95, 99)),
    ("e2e avg ms", "e2e_ms_mean", fixed()),
    ("total s", "duration_s", fixed()),
    ("instance type", "instance_type", TEXT),
)
# NeuronPerf runs compiled models of the legacy libraries, which is not native PyTorch on Neuron.
_PLATFORMS = {"neuron": "neuron-xla", "cpu": "cpu"}
_NEAR = 1.5


def recognise(document: Document) -> bool:
    """Tell whether model copies, workers and an average throughput are there."""
    return labels(document) >= {"n models", "workers per model", "throughput avg", "latency ms p50"}


def read(document: Document) -> Reading:
    """Return the runs that finished; platform and concurrency are derived."""
    columns = read_columns(document, ID, _FIELDS)
    columns.derive("concurrency", _concurrency(columns))
    devices = columns.other("device type")
    if devices is not None:
        columns.derive("platform", [_PLATFORMS.get(str(cell).lower()) for cell in devices])
    files = columns.other("model filename")
    if files is not None:
        message = f"The file names its model by a file only ({show(files.iloc[0])})."
        columns.warn("stands_in_file_name", message, "State model and precision.", "model_filename")
    status = columns.other("status")
    for row, cell in enumerate(status if status is not None else ()):
        if cell not in ("", None, "finished"):
            columns.refusals.append(Refusal(row, "", "not_finished", f"The run did not finish: status {show(cell)}."))
    return columns.reading()


def _concurrency(columns: Columns) -> list[float | None]:
    """Return the number of workers of each row, every one of which waits for one inference at a time.

    Some versions write the workers of all copies under «workers_per_model»; throughput × latency tells which is meant.
    """
    frame = columns.frame
    models, workers = (_number(columns, name) for name in ("n_models", "workers_per_model"))
    latency = frame["e2e_ms_mean"] if "e2e_ms_mean" in frame else frame["e2e_ms_p50"]
    batch = frame["batch_size"] if "batch_size" in frame else pd.Series(1.0, index=frame.index)
    in_flight = frame["samples_per_s"] / batch.where(batch > 0) * latency / 1e3
    found: list[float | None] = []
    for total, one, copies in zip(in_flight, workers, models, strict=True):
        near = [count for count in (one, one * copies) if total > 0 and 1 / _NEAR < count / total < _NEAR]
        found.append(near[0] if near else None)
    return found


def _number(columns: Columns, header: str) -> pd.Series:
    cells = columns.other(" ".join(header.split("_")))
    assert cells is not None  # recognise() has seen the column
    return numbers(cells, header, columns.cells.decimal_comma)[0]
