"""The Benchmarks page over a million runs against a thousand: one rerun of its script, charts and tables included.

Both stores hold the same configurations. Every rerun states another latency objective, so that no answer comes from a
cache of results; the clock is that of the script alone, in one process, the two stores in turns.
"""

import logging
import os
import statistics
import tempfile
from pathlib import Path

from _measure import report, seconds
from _stores import make_store

logging.disable(logging.ERROR)

import streamlit as st  # noqa: E402
from streamlit.testing.v1 import AppTest, app_test  # noqa: E402

from tests.pages.visit import BASE_URL, ROOT, SettledPages  # noqa: E402

SMALL, LARGE, ROUNDS, GOAL = 1_000, 1_000_000, 9, 1.2
CHARTS = 5


def open_over(path: Path) -> AppTest:
    os.environ["CROSSOVER_DB"] = str(path)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.context = {"url": f"{BASE_URL}/benchmarks"}
    app.query_params["benchmarks_model"] = "model-1"
    return app.switch_page("pages/benchmarks.py").run()


def redraw(app: AppTest, key: str, value: float) -> None:
    app.number_input(key=key).set_value(value).run()
    charts = len(app.get("plotly_chart"))
    if app.exception or charts < CHARTS:
        raise RuntimeError(f"the page drew {charts} charts: {[error.value for error in app.exception]}")


def measure(path: Path, key: str, start: float) -> float:
    """Return the median seconds of a rerun; the app finds its store once a process, so each store is opened anew."""
    st.cache_resource.clear()
    app = open_over(path)
    redraw(app, key, start)
    return statistics.median(seconds(lambda i=i: redraw(app, key, start + 1 + i)) for i in range(ROUNDS))


def main() -> None:
    app_test.PagesManager = SettledPages
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{runs}.duckdb" for runs in (LARGE, SMALL)]
        for path, runs in zip(paths, (LARGE, SMALL), strict=True):
            make_store(path, runs).close()
        for name, key, start in (("team_size", "team_engineers", 7), ("objective", "benchmarks_slo_ms", 700.0)):
            turns = [[measure(path, key, start) for path in paths] for _ in range(3)]
            ours, other = (statistics.median(turn[side] for turn in turns) for side in (0, 1))
            more = {"changed": name, "runs": LARGE, "other_runs": SMALL, "n": 3 * ROUNDS}
            report(f"page_with_a_million_runs_{name}", ours * 1e3, other * 1e3, ours / other, "ms", GOAL, **more)


if __name__ == "__main__":
    main()
