"""What a user changes stands in the address, and from there it comes back."""

import json
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser import harness


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def wait_for_query(page: Page, wanted: dict[str, list[str]]) -> None:
    """The page writes its address a moment after it is drawn."""
    page.wait_for_function(
        """(wanted) => {
          const found = {};
          for (const [key, value] of new URLSearchParams(location.search)) (found[key] ??= []).push(value);
          const sorted = (o) => JSON.stringify(Object.entries(o).sort());
          return sorted(found) === sorted(JSON.parse(wanted));
        }""",
        arg=json.dumps(wanted),
    )


def go_to(page: Page, title: str) -> None:
    with harness.changing(page):
        page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()


def test_changed_inputs_stand_in_the_address_on_every_page_and_after_a_reload(
    server: harness.Server, page: Page
) -> None:
    harness.open_page(page, server.url())
    assert query(page) == {}
    harness.set_number(page, "team_engineers", 9)
    harness.set_number(page, "spend_monthly_gpu_usd", 75_000)
    with harness.changing(page):
        harness.keyed(page, "benchmarks_slo_ms").locator("input").fill("4000")
        page.keyboard.press("Enter")
    wanted = {"team_engineers": ["9"], "spend_monthly_gpu_usd": ["75000"], "benchmarks_slo_ms": ["4000"]}
    wait_for_query(page, wanted)
    verdict = harness.keyed(page, "verdict").inner_text()
    for title in ("Benchmarks", "Assumptions", "Coverage"):
        go_to(page, title)
        wait_for_query(page, wanted)
        expect(harness.keyed(page, "team_engineers").locator("input")).to_have_value("9")
    harness.open_page(page, page.url)
    expect(harness.keyed(page, "spend_monthly_gpu_usd").locator("input")).to_have_value("75000")
    go_to(page, "Decision")
    wait_for_query(page, wanted)
    assert harness.keyed(page, "verdict").inner_text() == verdict
    harness.set_number(page, "team_engineers", 6)
    harness.set_number(page, "spend_monthly_gpu_usd", 50_000)
    wait_for_query(page, {"benchmarks_slo_ms": ["4000"]})


def test_another_platform_comes_back_from_the_address_without_a_complaint(server: harness.Server, page: Page) -> None:
    harness.open_page(page, server.url())
    with harness.changing(page):
        harness.keyed(page, "baseline").locator("input").click()
        page.keyboard.type("rocm")
        page.get_by_role("option").filter(has_text="rocm").click()
    page.wait_for_function("location.search.includes('baseline=')")
    harness.open_page(page, page.url)
    expect(harness.keyed(page, "baseline").locator("input")).to_have_value("rocm")
    expect(page.get_by_text("which is not a value here")).to_have_count(0)


def test_an_edit_of_the_table_stands_in_the_address_moves_the_verdict_and_comes_back(
    server: harness.Server, page: Page
) -> None:
    harness.open_page(page, server.url())
    before = harness.keyed(page, "verdict").inner_text()
    go_to(page, "Assumptions")
    edit_first_row(page, "0", "0.2")
    page.wait_for_function("new URLSearchParams(location.search).get('a') === 'spend.growth_monthly:0.2'")
    go_to(page, "Decision")
    after = harness.keyed(page, "verdict").inner_text()
    assert after.split("\n")[0] != before.split("\n")[0], "growth of 20 % a month changes the act"
    harness.open_page(page, page.url)
    assert harness.keyed(page, "verdict").inner_text() == after
    go_to(page, "Assumptions")
    with harness.changing(page):
        harness.keyed(page, "reset_assumptions").get_by_role("button").click()
    page.wait_for_function("location.search === ''")


def edit_first_row(page: Page, before: str, after: str) -> None:
    """Go to the first value of the table, open it, type, press Enter: by keys, for a canvas has no cells to aim at."""
    table = page.get_by_test_id("stDataFrame").first
    box = table.locator("canvas").first.bounding_box()
    page.mouse.click(box["x"] + 40, box["y"] + 55)
    value_cell = table.locator("[id^=glide-cell][id$='-0'][aria-readonly=false]")
    column = int(value_cell.get_attribute("id").split("-")[2])
    for i in range(column + 1):
        expect(table.locator(f"#glide-cell-{i}-0")).to_have_attribute("aria-selected", "true")
        page.keyboard.press("ArrowRight" if i < column else "Enter")
    editor = page.locator("#portal textarea").first
    expect(editor).to_have_value(before)
    with harness.changing(page):
        editor.fill(after)
        editor.press("Enter")
