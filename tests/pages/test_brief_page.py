"""Brief: a shared decision stays what it was, whatever happens to the data; an unknown one says so."""

import json
import re

import pytest

from analysis.words.evidence import WARNINGS
from data.ingest import remove_demo, withdraw
from data.queries import uploads
from data.store import Store
from tests.pages.visit import (
    BASE_URL,
    LEADS,
    MODEL,
    edit,
    go_to,
    has_key,
    load_sweeps,
    open_page,
    press,
    set_number,
    text_of,
    traces,
    widgets,
)


def share(app) -> str:
    """Press Share and return the link."""
    app = press(app, "share")
    return app.get_by_key("share_link").code[0].value


def open_link(link: str):
    base, _, share_id = link.partition("/brief?share=")
    assert base == BASE_URL
    return open_page("brief", share=share_id)


def figures(app) -> list[str]:
    """Return the four figures with their notes, in order."""
    start = next(i for i, caption in enumerate(app.caption) if caption.value == "Pays from")
    values = [text.value for text in app.markdown if text.value.startswith("#### ")]
    return values + [caption.value for caption in app.caption[start : start + 8]]


def test_the_brief_shows_the_same_verdict_figures_and_charts(store: Store) -> None:
    load_sweeps(store)
    app = set_number(open_page(a="effort.setup:60"), "spend_monthly_gpu_usd", 80_000.0)
    brief = open_link(share(app))
    assert text_of(brief, "verdict") == text_of(app, "verdict")
    assert any(words in text_of(brief, "verdict") for words in LEADS.values())
    assert figures(brief) == figures(app)
    for chart in ("break_even_chart", "validation_cost_chart"):
        assert traces(brief, chart) == traces(app, chart)
    assert list(widgets(brief)) == []
    assert list(brief.button) == []


def test_the_brief_stays_as_it_was_when_the_data_is_withdrawn_and_the_scenario_moves_on(store: Store) -> None:
    load_sweeps(store)
    app = open_page()
    link = share(app)
    verdict, shown, text = text_of(app, "verdict"), figures(app), text_of(open_link(link))
    for upload_id in uploads(store)["upload_id"]:
        withdraw(store, upload_id)
    remove_demo(store)
    moved = set_number(open_page(), "spend_monthly_gpu_usd", 9_000.0)
    assert text_of(moved, "verdict") != verdict
    brief = open_link(link)
    assert text_of(brief, "verdict") == verdict
    assert figures(brief) == shown
    assert text_of(brief) == text


def test_the_brief_says_what_it_stands_on(store: Store) -> None:
    text = text_of(open_link(share(open_page())))
    assert WARNINGS["demo_data"] in text
    assert "Benchmarks of demo-llm-8b: NVIDIA CUDA: 9 runs, Trainium, TorchNeuron: 9 runs" in text
    assert "By hourly price alone" in text
    assert "1. Isolate 1 of 2 services, production untouched." in text
    for entry in uploads(store).to_dict("records"):
        assert f"{entry['file']} {entry['sha256'][:12]}" in text
    assert re.search(r"Data [0-9a-f]{12} \(.*\) · app \d+\.\d+\.\d+ · model \d+", text)


def test_open_it_live_leads_back_to_the_scenario() -> None:
    app = open_page(team_engineers="9", a="effort.setup:60,test.runs:9")
    brief = open_link(share(app))
    (link,) = [link.proto.url for link in brief.get("link_button")]
    base, _, query = link.partition("/?")
    assert base == BASE_URL
    assert query == "team_engineers=9&a=effort.setup%3A60%2Ctest.runs%3A9"


def test_a_stated_base_url_counts_in_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSOVER_BASE_URL", "https://crossover.example.com/app/")
    link = share(open_page())
    assert re.fullmatch(r"https://crossover\.example\.com/app/brief\?share=[\w-]{32}", link)


def test_each_share_is_one_of_its_own() -> None:
    app = open_page()
    first, second = share(app), share(app)
    assert first != second
    assert not has_key(set_number(app, "team_engineers", 7), "share_link"), "the link is that of the former scenario"


@pytest.mark.parametrize("share_id", ["<script>alert(1)</script>", "![x](http://e.example/x.png)", "0" * 32, "%00"])
def test_an_unknown_share_says_so_and_offers_the_start_page(share_id: str) -> None:
    app = open_page("brief", share=share_id)
    assert [error.value for error in app.error] == [
        "No shared page has this address. It may have been cut off when it was copied."
    ]
    assert share_id not in text_of(app)
    assert not has_key(app, "verdict")
    assert [link.label for link in app.get("page_link")] == ["Go to the start page"]


def test_a_brief_without_an_id_says_what_it_is_for() -> None:
    app = open_page("brief")
    assert "This page shows a decision that somebody shared" in text_of(app)
    assert [link.label for link in app.get("page_link")] == ["Go to the start page"]


def test_what_is_stored_is_plain_json_with_hashes_and_versions(store: Store) -> None:
    app = edit(open_page("assumptions"), test__runs="9")
    share(go_to(app, ""))
    with store.cursor() as cursor:
        (text,) = cursor.execute("SELECT payload FROM shares").fetchone()
    payload = json.loads(text)
    assert payload["scenario"]["test"]["runs"] == 9
    assert payload["decision"]["recommendation"] in LEADS
    assert {item["sha256"] for item in payload["files"]} == set(uploads(store)["sha256"])
    assert {"break_even_chart", "validation_cost_chart"} <= set(payload["charts"])
    for chart in payload["charts"].values():
        assert set(chart) == {"spec", "title", "alt"}
        assert chart["spec"]["data"]
    assert set(payload["versions"]) == {"app", "model", "data"}


def test_a_share_names_only_the_files_that_the_answer_stands_on(store: Store) -> None:
    load_sweeps(store)
    listed = uploads(store).set_index("file")["sha256"]
    text = text_of(open_link(share(open_page(benchmarks_model=MODEL))))
    for file, sha256 in listed.items():
        assert (f"{file} {sha256[:12]}" in text) == file.startswith("sweep"), file
