"""What the pages look like on a desk, on a phone, and in the dark; pictures of all stay under test-artifacts/."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser import harness

PAGES = {
    "decision": "/",
    "benchmarks": "/benchmarks",
    "coverage": "/coverage",
    "assumptions": "/assumptions",
    "sensitivity": "/sensitivity",
}
SIZES = {"desk": harness.DESKTOP, "phone": harness.PHONE}
OVERFLOW = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .map(element => element.scrollWidth - element.clientWidth)"""
# The ground is that of the nearest ancestor that has one.
CONTRAST = """(selector) => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map(c => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isClear = (element) => channels(getComputedStyle(element).backgroundColor)[3] === 0;
  const text = document.querySelector(selector);
  let ground = text;
  while (isClear(ground)) ground = ground.parentElement;
  const [a, b] = [getComputedStyle(text).color, getComputedStyle(ground).backgroundColor].map(luminance);
  return {ground: b, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)};
}"""


def share(page: Page) -> str:
    """Press Share and return the link."""
    with harness.changing(page):
        harness.keyed(page, "share").get_by_role("button").click()
    return harness.keyed(page, "share_link").locator("code").inner_text()


def check(page: Page, name: str, look: str) -> None:
    """Keep a picture; nothing hangs out at the side, and the verdict is there to read at first sight."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    harness.screenshot(page, f"{name}_{look}")
    assert max(page.evaluate(OVERFLOW)) <= 1, f"{name} scrolls sideways ({look})"
    if name not in ("decision", "brief"):
        return
    for selector in (".st-key-verdict h2", ".st-key-verdict p"):
        seen = page.evaluate(CONTRAST, selector)
        assert seen["ratio"] >= 4.5, (name, look, selector)
        assert (seen["ground"] < 0.1) == look.endswith("dark"), (name, look)
    expect(harness.keyed(page, "verdict").locator("h2")).to_be_in_viewport(ratio=1)


def test_every_page_on_a_desk_and_on_a_phone_in_the_light_and_in_the_dark(
    server: harness.Server, new_context: Callable[..., BrowserContext]
) -> None:
    addresses = {name: server.url(path) for name, path in PAGES.items()}
    for size, viewport in SIZES.items():
        for scheme in ("light", "dark"):
            context = new_context(viewport=viewport, color_scheme=scheme)
            page = context.new_page()
            for name in (*PAGES, "brief"):
                harness.open_page(page, addresses[name])
                check(page, name, f"{size}_{scheme}")
                if "brief" not in addresses:
                    addresses["brief"] = share(page)
            context.close()


def test_on_a_phone_the_inputs_are_one_tap_away(
    server: harness.Server, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport=harness.PHONE, has_touch=True).new_page()
    harness.open_page(page, server.url())
    before = harness.keyed(page, "verdict").inner_text()
    expect(harness.keyed(page, "team_engineers")).not_to_be_in_viewport()
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(harness.keyed(page, "team_engineers")).to_be_in_viewport()
    harness.set_number(page, "team_engineers", 2)
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(harness.keyed(page, "team_engineers")).not_to_be_in_viewport()
    assert harness.keyed(page, "verdict").inner_text() != before
