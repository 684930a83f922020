"""A link into the app must work as the very first request to a freshly started server.

Until a session has run `st.navigation`, Streamlit takes the folder pages/ for its older kind of multipage app
and would run the page's script alone: no sidebar, or «Page not found».
"""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import harness

MARKS = {
    "/": ".st-key-verdict",
    "/benchmarks": "[data-testid=stFileUploader]",
    "/coverage": "[data-testid=stFileUploader]",
    "/assumptions": "[data-testid=stDataFrame]",
    "/sensitivity": ".st-key-fan_chart",
}


@pytest.mark.parametrize("path", MARKS)
def test_a_page_opened_first_has_its_content_and_the_sidebar(server: harness.Server, page: Page, path: str) -> None:
    harness.open_page(page, server.url(path))
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.locator(".st-key-team_engineers input")).to_be_visible()
    expect(page.get_by_test_id("stMain").locator(MARKS[path]).first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("Page not found")).to_have_count(0)
    assert urlsplit(page.url).path == path


def test_a_brief_opened_first_with_an_unknown_share_says_so_and_offers_the_start_page(
    server: harness.Server, page: Page
) -> None:
    harness.open_page(page, server.url("/brief?share=0000unknown0000"))
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    expect(page.locator(".st-key-verdict")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_contain_text("No shared page has this address")
    with harness.changing(page):
        page.get_by_test_id("stMain").locator("a").first.click()
    expect(page.locator(".st-key-verdict")).to_be_visible()
    assert urlsplit(page.url).path == "/"
