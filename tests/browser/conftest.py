"""A fresh server and a watched browser for every browser test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import harness


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[Callable[..., harness.Server]]:
    """Start servers: `new_server(app, store=..., environment=...)`; all of them end with the test."""
    started: list[harness.Server] = []

    def start(
        app: Path = harness.ROOT / "app.py", *, store: Path | None = None, environment: dict[str, str] | None = None
    ) -> harness.Server:
        store = store or tmp_path / f"store-{len(started)}.duckdb"
        server = harness.Server(
            app, tmp_path / f"server-{len(started)}.log", {"CROSSOVER_DB": str(store), **(environment or {})}
        )
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def server(new_server: Callable[..., harness.Server], store_path: Path) -> harness.Server:
    """Start the app on an empty store. No page of it has been opened yet."""
    return new_server(store=store_path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = harness.launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def watches() -> Iterator[list[harness.Watch]]:
    """Hold what the test's browsers did; anything that they must not do fails the test."""
    collected: list[harness.Watch] = []
    yield collected
    problems = [problem for watch in collected for problem in watch.problems]
    if problems:
        pytest.fail("The browser did what it must not:\n" + "\n".join(problems))


@pytest.fixture
def new_context(browser: Browser, watches: list[harness.Watch]) -> Iterator[Callable[..., BrowserContext]]:
    """Open clean browsers: `new_context()`, `new_context(viewport=PHONE)`, `new_context(color_scheme="dark")`."""
    opened: list[BrowserContext] = []

    def open_context(**options: Any) -> BrowserContext:
        context = harness.new_context(browser, **options)
        watches.append(harness.Watch(context))
        opened.append(context)
        return context

    yield open_context
    for context in opened:
        context.close()


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context().new_page()
