"""The summary of all runs by model and platform at ten million rows: DuckDB's, as the page asks for it, and pandas'.

Both give runs, first and last date and the best throughputs of each model and platform, of the runs that count. The
frame of pandas holds only the columns it needs, and is read before the clock starts.
"""

import sys
import tempfile
from pathlib import Path

from _measure import in_turns, report
from _stores import make_store

from data import runs

ROWS, ROUNDS, GOAL = 10_000_000, 5, 6.0


def main(rows: int = ROWS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(Path(folder) / "store.duckdb", rows)
        with store.cursor() as cursor:
            frame = cursor.execute(
                """SELECT model, platform, counted, measured_at, output_tok_per_s, train_seq_per_s, time_to_train_s
                   FROM benchmark_runs"""
            ).df()

        def other():
            groups = frame[frame["counted"]].groupby(["model", "platform"])
            return groups.agg(
                runs=("model", "size"),
                first_measured=("measured_at", "min"),
                last_measured=("measured_at", "max"),
                output_tok_per_s=("output_tok_per_s", "max"),
                train_seq_per_s=("train_seq_per_s", "max"),
                time_to_train_s=("time_to_train_s", "min"),
            ).reset_index()

        found, expected = runs.summary(store), other()
        for name in ("model", "platform", "runs", "output_tok_per_s"):
            if found[name].tolist() != expected[name].tolist():
                raise RuntimeError(f"the two disagree on {name}")
        ours, pandas = in_turns(lambda: runs.summary(store), other, ROUNDS)
        store.close()
    report("summary", ours * 1e3, pandas * 1e3, pandas / ours, "ms", GOAL, rows=rows, n=ROUNDS)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
