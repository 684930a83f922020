"""The main job in a real browser: files in, a verdict that moves with the inputs, a link that outlives the server."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import harness

FIXTURES = harness.ROOT / "tests" / "fixtures"
MODEL = "made-up-8b"
# What a load sweep does not say itself, as a user picks it from the lists.
SIDES = {
    "cuda": {"platform": "NVIDIA CUDA", "instance_type": "p5.48xlarge"},
    "neuron": {"platform": "Trainium, TorchNeuron", "instance_type": "trn2.48xlarge"},
}
COST_CUDA, COST_NEURON = "$2.31", "$1.77"  # 41.528 USD/h at 5,000 tokens/s, 35.7608 USD/h at 5,600 tokens/s
DRAWN = """(key) => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  return plot && plot.data.map(trace => ({name: trace.name, x: Array.from(trace.x), y: Array.from(trace.y)}));
}"""
MOVES = {
    "team_engineers": (60, "validation_cost_chart"),
    "jobs_jobs_per_week": (1, "jobs_chart"),
    "spend_monthly_gpu_usd": (90_000, "break_even_chart"),
}


def sweep(platform: str) -> Path:
    return FIXTURES / f"sweep_{platform}.csv"


def pick(page: Page, key: str, text: str) -> None:
    """Type into a list, and take what it then offers."""
    with harness.changing(page):
        harness.keyed(page, key).locator("input").click()
        page.keyboard.type(text)
        page.get_by_role("option").filter(has_text=text).first.click()


def answer_form(page: Page, platform: str) -> None:
    """Say what a sweep does not say, and load it."""
    prefix = f"ask_{hashlib.sha256(sweep(platform).read_bytes()).hexdigest()[:12]}"
    answers = {"model": MODEL, **SIDES[platform], "precision": "bf16"}
    for need, text in answers.items():
        pick(page, f"{prefix}_{need}", text)
    with harness.changing(page):
        harness.keyed(page, f"{prefix}_load").get_by_role("button").click()


def drawn(page: Page, key: str) -> list[dict[str, object]]:
    """Return what Plotly has drawn, by its own data."""
    page.wait_for_function(DRAWN, arg=key)
    return page.evaluate(DRAWN, key)


def verdict(page: Page) -> str:
    return harness.keyed(page, "verdict").inner_text()


def go_to(page: Page, title: str) -> None:
    with harness.changing(page):
        page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()


def test_from_two_files_to_a_link_that_outlives_the_server(
    server: harness.Server, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    harness.open_page(page, server.url("/benchmarks"))
    with harness.changing(page):
        page.locator("input[type=file]").set_input_files([sweep("cuda"), sweep("neuron")])
    expect(harness.keyed(page, "upload_report")).to_contain_text("waiting")
    for platform in SIDES:
        answer_form(page, platform)
    report = harness.keyed(page, "upload_report")
    for platform in SIDES:
        digest = hashlib.sha256(sweep(platform).read_bytes()).hexdigest()[:16]
        expect(report).to_contain_text(f"rows read 3, loaded 3, refused 0 · SHA-256 {digest}")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text(f"per million output tokens ({COST_NEURON} against {COST_CUDA})")
    bars = {bar["name"]: min(bar["y"]) for bar in drawn(page, "unit_cost_chart")}
    assert bars == pytest.approx({"NVIDIA CUDA": 2.3071, "Trainium, TorchNeuron": 1.7738}, abs=1e-3)
    harness.screenshot(page, "main_job_benchmarks")

    go_to(page, "Decision")
    expect(main).to_contain_text(f"Benchmarks of {MODEL}: NVIDIA CUDA: 3 runs, Trainium, TorchNeuron: 3 runs")
    start = verdict(page)
    assert "Migrate" in start
    acts = set()
    for key, (value, chart) in MOVES.items():
        before, curve, was = verdict(page), drawn(page, chart), harness.number(page, key)
        harness.set_number(page, key, value)
        assert verdict(page) != before, key
        assert drawn(page, chart) != curve, key
        acts.add(re.match(r"[\w ]+", verdict(page))[0])
        harness.set_number(page, key, int(was))
        assert verdict(page) == start, key
    assert acts > {"Do nothing for now"}, "some input moved the act itself, some the figures alone"

    harness.set_number(page, "team_engineers", 12)
    with harness.changing(page):
        harness.keyed(page, "share").get_by_role("button").click()
    link = harness.keyed(page, "share_link").locator("code").inner_text()
    shared, curves = verdict(page), drawn(page, "break_even_chart")
    assert shared != start
    assert link.startswith(server.url("/brief?share="))
    page.close()

    server.restart()
    reader = new_context().new_page()
    harness.open_page(reader, link)
    assert verdict(reader) == shared
    frozen = drawn(reader, "break_even_chart")
    # The lines of the live chart travel packed and read as empty here; names and the own spot say it is the same.
    assert [trace["name"] for trace in frozen] == [trace["name"] for trace in curves]
    assert frozen[-1] == curves[-1]
    assert all(trace["x"] and trace["y"] for trace in frozen)
    expect(reader.get_by_test_id("stSidebar")).not_to_be_visible()
    harness.screenshot(reader, "main_job_brief")
