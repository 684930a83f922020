"""Checked and de-duplicated ingest of 1,000,000 canonical rows, against a raw typed insert of the same file.

The raw side is DuckDB's own reader into a table of the same columns, nothing checked. Both sides run in processes of
their own, in turns, and CPU time counts: the two use different numbers of threads. A row-by-row pydantic validator is
measured on a part and scaled; memory is the highest the process held, against pandas reading the file; the second load
of the same bytes is measured too.
"""

import csv
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _measure import report, short

ROWS, VALIDATED, ROUNDS, GOAL = 1_000_000, 20_000, 5, 1.5
TEXTS = ("model", "platform", "instance_type", "precision", "engine", "engine_version", "sdk_version")
WHOLE = ("concurrency", "completed", "failed")


def make_file(path: Path) -> None:
    """Write made-up runs of two platforms, each row another."""
    import numpy as np
    import pandas as pd

    draw = np.random.default_rng(0)
    neuron = draw.random(ROWS) < 0.5
    concurrency = draw.choice([1, 2, 4, 8, 16, 32, 64], ROWS)
    latency = np.round(np.exp(draw.normal(7, 0.2, ROWS)), 3)
    output = np.round(concurrency * 256_000 / latency, 3)
    completed = draw.integers(400, 500, ROWS)
    pd.DataFrame(
        {
            "model": draw.choice(["model-a", "model-b", "model-c"], ROWS),
            "platform": np.where(neuron, "neuron", "cuda"),
            "instance_type": np.where(neuron, "trn2.48xlarge", "p5.48xlarge"),
            "precision": "bf16",
            "engine": "engine",
            "engine_version": "1.0",
            "sdk_version": np.where(neuron, "2.33", "12.8"),
            "concurrency": concurrency,
            "input_tokens": 1024,
            "output_tokens": 256,
            "measured_at": pd.Timestamp("2026-01-01") + pd.to_timedelta(draw.integers(0, 3 * 10**7, ROWS), unit="s"),
            "ttft_ms_mean": np.round(latency * 0.1, 3),
            "ttft_ms_p99": np.round(latency * 0.18, 3),
            "tpot_ms_mean": np.round(latency * 0.9 / 255, 4),
            "e2e_ms_mean": latency,
            "e2e_ms_p50": np.round(latency * 0.97, 3),
            "e2e_ms_p99": np.round(latency * 1.6, 3),
            "output_tok_per_s": output,
            "req_per_s": np.round(output / 256, 5),
            "completed": completed,
            "failed": draw.integers(0, 4, ROWS),
        }
    ).to_csv(path, index=False)


def spent(do: Callable[[], object]) -> float:
    start = time.process_time()
    do()
    return time.process_time() - start


def ours(path: Path, folder: Path) -> dict[str, float]:
    from data.ingest import load
    from data.store import open_store

    store = open_store(folder / "ours.duckdb")
    reports = []
    first, again = (spent(lambda: reports.append(load(store, path.name, path))) for _ in range(2))
    if reports[0].rows_loaded != ROWS or reports[0].problems or not reports[1].duplicate:
        raise RuntimeError(f"not loaded as expected: {reports}")
    return {"cpu_s": first, "again_s": again}


def raw(path: Path, folder: Path) -> dict[str, float]:
    import duckdb

    with path.open() as file:
        header = next(csv.reader(file))
    types = {name: "VARCHAR" if name in TEXTS else "BIGINT" if name in WHOLE else "DOUBLE" for name in header}
    types["measured_at"] = "TIMESTAMP"
    connection = duckdb.connect(str(folder / "raw.duckdb"))
    connection.execute(f"CREATE TABLE runs ({', '.join(f'{name} {dtype}' for name, dtype in types.items())})")
    read = f"read_csv('{path}', auto_detect=false, header=true, delim=',', quote='\"', columns={types!r})"
    return {"cpu_s": spent(lambda: connection.execute(f"INSERT INTO runs SELECT * FROM {read}"))}


def by_row(path: Path, folder: Path) -> dict[str, float]:
    from datetime import datetime

    from pydantic import create_model

    with path.open() as file:
        rows = csv.DictReader(file)
        part = [row for row, _ in zip(rows, range(VALIDATED), strict=False)]
    kinds = {name: str if name in TEXTS else int if name in WHOLE else float for name in part[0]}
    model = create_model("Run", **{name: (kind, ...) for name, kind in (kinds | {"measured_at": datetime}).items()})
    return {"cpu_s": spent(lambda: [model.model_validate(row) for row in part]) * ROWS / VALIDATED}


def with_pandas(path: Path, folder: Path) -> dict[str, float]:
    import pandas as pd

    frame = pd.read_csv(path, parse_dates=["measured_at"])
    return {"rows": len(frame)}


SIDES = {function.__name__: function for function in (ours, raw, by_row, with_pandas)}


def run(side: str, path: Path) -> dict[str, float]:
    """Run one side in a process of its own."""
    done = subprocess.run([sys.executable, __file__, side, str(path)], check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    if len(sys.argv) == 3:
        with tempfile.TemporaryDirectory() as folder:
            found = SIDES[sys.argv[1]](Path(sys.argv[2]), Path(folder))
        print(json.dumps({**found, "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.csv"
        make_file(path)
        rounds = [(run("ours", path), run("raw", path)) for _ in range(ROUNDS)]
        validator, pandas = run("by_row", path), run("with_pandas", path)
    mine, other = (statistics.median(side[i]["cpu_s"] for side in rounds) for i in (0, 1))
    again, memory = (statistics.median(side[0][name] for side in rounds) for name in ("again_s", "memory_mb"))
    report(
        "ingest",
        mine,
        other,
        mine / other,
        "CPU s",
        GOAL,
        rows=ROWS,
        n=ROUNDS,
        row_by_row_ratio=short(validator["cpu_s"] / mine),
        again_ratio=short(again / mine),
        memory_to_pandas=short(memory / pandas["memory_mb"]),
    )


if __name__ == "__main__":
    main()
