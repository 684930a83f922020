"""The watch is what makes the other browser tests worth something, so it is tested itself."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import harness

HELLO = """
import streamlit as st
with st.sidebar:
    count = st.number_input("Count", 1, 100, 6, key="count_of")
st.container(key="answer").write(f"counted {count}")
"""


@pytest.fixture
def hello(tmp_path: Path, new_server: Callable[..., harness.Server]) -> harness.Server:
    app = tmp_path / "hello.py"
    app.write_text(HELLO)
    return new_server(app)


def test_a_number_typed_in_reaches_the_script_and_a_restarted_server_knows_nothing_of_it(
    hello: harness.Server, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    harness.open_page(page, hello.url())
    for value in (7, 7, 42):
        harness.set_number(page, "count_of", value)
        assert harness.keyed(page, "answer").inner_text() == f"counted {value}"
    page.close()
    hello.restart()
    page = new_context().new_page()
    harness.open_page(page, hello.url())
    expect(harness.keyed(page, "answer")).to_have_text("counted 6")


def test_the_watch_notices_what_a_page_must_not_do(
    hello: harness.Server, page: Page, watches: list[harness.Watch]
) -> None:
    harness.open_page(page, hello.url())
    watch = watches[0]
    assert watch.problems == []
    assert hello.url("/_stcore/stream").replace("http", "ws") in watch.requests
    misdeeds = {
        "fetch('http://outside.invalid/x').catch(() => {})": "outside host: http://outside.invalid/x",
        "new WebSocket('ws://outside.invalid/y')": "outside host: ws://outside.invalid/y",
        "console.error('it broke')": "console error: it broke",
        "setTimeout(() => { throw new Error('thrown') })": "uncaught exception: thrown",
        "fetch('/media/none.png')": "console error: Failed to load resource",
    }
    for misdeed, said in misdeeds.items():
        page.evaluate(misdeed + "; 0")
        page.wait_for_timeout(300)
        assert any(said in problem for problem in watch.problems), (said, watch.problems)
        watch.problems.clear()
