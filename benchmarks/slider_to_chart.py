"""From a changed input to redrawn charts: the Decision page against a hello-world page, in one Chromium.

Both pages have the same kind of widget, a number input, raised by one with the arrow key. The clock starts with
the key press in the page and stops with the last change inside any plotly chart, once the script has ended and
every chart has been still for half a second. The two pages take turns, so that a busy moment of the machine
falls on both. Every value is new to the page: nothing can come from a cache of results.
"""

import json
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, sync_playwright

from tests.browser import harness

GOAL = 2.0
WARM_UP = 3
CHANGES = 20
KEY = "team_engineers"

HELLO = f"""
import plotly.graph_objects as go
import streamlit as st

count = st.sidebar.number_input("Count", min_value=1, max_value=200, value=6, key="{KEY}")
st.title("Hello")
st.plotly_chart(go.Figure(go.Scatter(x=list(range(50)), y=[count * x for x in range(50)])))
"""

STOPWATCH = """(key) => {
  const watch = window.stopwatch = {pressed: 0, changed: 0, charts: new Set()};
  document.querySelector(`.st-key-${key} input`).addEventListener("keydown", () => {
    Object.assign(watch, {pressed: performance.now(), changed: 0, charts: new Set()});
  }, true);
  new MutationObserver((mutations) => {
    for (const {target} of mutations) {
      const chart = (target.nodeType === 1 ? target : target.parentElement)?.closest(".js-plotly-plot");
      if (!chart) continue;
      watch.changed = performance.now();
      watch.charts.add(chart);
    }
  }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
STILL = "() => window.stopwatch.changed > 0 && performance.now() - window.stopwatch.changed > 500"
READ = "() => [window.stopwatch.changed - window.stopwatch.pressed, window.stopwatch.charts.size]"


def prepare(page: Page, server: harness.Server) -> None:
    harness.open_page(page, server.url("/"))
    page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=harness.PATIENCE_MS)
    page.wait_for_timeout(1000)
    page.evaluate(STOPWATCH, KEY)


def measure(page: Page) -> tuple[float, int]:
    """Raise the input by one; return the milliseconds until the last chart was redrawn, and how many were."""
    page.bring_to_front()
    before = harness.number(page, KEY)
    with harness.changing(page):
        harness.keyed(page, KEY).locator("input").press("ArrowUp")
    page.wait_for_function(STILL, timeout=harness.PATIENCE_MS)
    if harness.number(page, KEY) != before + 1:
        raise RuntimeError(f"{KEY} did not go from {before:g} to {before + 1:g}")
    milliseconds, charts = page.evaluate(READ)
    return milliseconds, charts


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        hello = folder / "hello.py"
        hello.write_text(HELLO)
        store = {"CROSSOVER_DB": str(folder / "store.duckdb")}
        servers = (
            harness.Server(harness.ROOT / "app.py", folder / "ours.log", store),
            harness.Server(hello, folder / "hello.log", folder=folder),
        )
        for server in servers:
            stack.enter_context(harness.running(server))
        browser = harness.launch(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        pages = [harness.new_context(browser).new_page() for _ in servers]
        for page, server in zip(pages, servers, strict=True):
            prepare(page, server)
        rounds = [[measure(page) for page in pages] for _ in range(WARM_UP + CHANGES)][WARM_UP:]
    ours, other = (statistics.median(times[side][0] for times in rounds) for side in (0, 1))
    result = {
        "name": "slider_to_chart",
        "ours": round(ours, 1),
        "other": round(other, 1),
        "ratio": round(ours / other, 2),
        "unit": "ms p50",
        "n": CHANGES,
        "charts": min(times[0][1] for times in rounds),
        "goal": GOAL,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
