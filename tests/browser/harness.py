"""A real server, a watched browser, and the few gestures that the browser tests are made of."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Playwright
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
LOCAL_HOSTS = {"127.0.0.1", "localhost"}
# The last five keep Chromium itself from calling home.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]
IDLE = """(settled_ms) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const idle = app && app.dataset.testConnectionState === "CONNECTED" && app.dataset.testScriptState === "notRunning";
  window.idleSince = idle ? window.idleSince ?? performance.now() : undefined;
  return idle && performance.now() - window.idleSince >= settled_ms;
}"""
SETTLED_MS = 250
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 60_000
TALLEST_PICTURE = 4000
# Charts, tables and fields come in files of their own, each with a grey bar in its place until it is there.
DRAWN = """() => !document.querySelector('[data-testid="stSkeleton"]')"""
# The page scrolls inside stMain, not as a document: this is how much of it lies outside the window.
HIDDEN_BELOW = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  return main ? main.scrollHeight - main.clientHeight : 0;
}"""


def free_port() -> int:
    """Ask the system for a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One `streamlit run` in a process of its own. Nothing opens a page of it before the test does."""

    def __init__(
        self, app: Path, log_path: Path, environment: Mapping[str, str] | None = None, folder: Path = ROOT
    ) -> None:
        self.app = app
        self.log_path = log_path
        self.folder = folder
        self.port = free_port()
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("STREAMLIT_", "CROSSOVER_"))}
        self.environment = {**inherited, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers its health check, which runs no script."""
        command = [sys.executable, "-m", "streamlit", "run", str(self.app), "--server.headless", "true"]
        command += ["--server.address", "127.0.0.1", "--server.port", str(self.port)]
        command += ["--browser.gatherUsageStats", "false"]
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not self._healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"The server did not start:\n{self.log}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End this process, and only this one."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def restart(self) -> None:
        """Start again on the same port and the same store."""
        self.stop()
        self.start()

    def url(self, path: str = "/") -> str:
        """Return the address of a path on this server."""
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def log(self) -> str:
        """Return what the server has written so far."""
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(self.url("/_stcore/health"), timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    """Start a server and stop it whatever happens."""
    try:
        server.start()
        yield server
    finally:
        server.stop()


class Watch:
    """Collects what a browser must never do: log an error, throw, or ask another host for anything."""

    def __init__(self, context: BrowserContext) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        context.on("request", lambda request: self._asked(request.url))
        context.on("console", self._logged)
        context.on("weberror", lambda error: self.problems.append(f"uncaught exception: {error.error}"))
        context.on("page", lambda page: page.on("websocket", lambda socket: self._asked(socket.url)))

    def _asked(self, url: str) -> None:
        self.requests.append(url)
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in LOCAL_HOSTS:
            self.problems.append(f"request to an outside host: {url}")

    def _logged(self, message: ConsoleMessage) -> None:
        address = message.location["url"]
        if message.type == "error" and not _is_base_path_probe(address, message.text):
            self.problems.append(f"console error: {message.text} ({address})")


def _is_base_path_probe(address: str, text: str) -> bool:
    # On a deep link Streamlit tries /page/_stcore/… before /_stcore/…, and Chromium logs the 404 of the first.
    probe = re.fullmatch(r"/.+/_stcore/(health|host-config)", urlsplit(address).path)
    return probe is not None and "404" in text


def launch(playwright: Playwright) -> Browser:
    """Start the Chromium that `make test` found or installed."""
    return playwright.chromium.launch(executable_path=chromium.find_on_path(), args=CHROMIUM_FLAGS)


# A page shows «running» only some time after a gesture, and a short run not at all: what is certain is the message
# with which the server ends a run.
_finished_runs: WeakKeyDictionary[Page, int] = WeakKeyDictionary()


def _count_runs(page: Page) -> None:
    _finished_runs[page] = 0

    def received(frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            message = ForwardMsg.FromString(frame)
            again = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
            if message.WhichOneof("type") == "script_finished" and message.script_finished != again:
                _finished_runs[page] += 1

    page.on("websocket", lambda socket: socket.on("framereceived", received))


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Open a clean browser profile whose pages count their script runs."""
    context = browser.new_context(**{"viewport": DESKTOP, "locale": "en-US", **options})
    context.on("page", _count_runs)
    return context


def wait_until_idle(page: Page, *, after_run: int = 0) -> None:
    """Wait until a later run than this one has ended and the page has been still for a moment."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while _finished_runs[page] <= after_run:
        if time.monotonic() > deadline:
            raise TimeoutError(f"The script of {page.url} did not run to its end within {PATIENCE_MS / 1000:.0f} s")
        page.wait_for_timeout(20)
    page.evaluate("window.idleSince = undefined")
    page.wait_for_function(IDLE, arg=SETTLED_MS, timeout=PATIENCE_MS)


@contextlib.contextmanager
def changing(page: Page) -> Iterator[None]:
    """Do something that makes the script run, then wait for that run to end."""
    wait_until_idle(page)
    runs = _finished_runs[page]
    yield
    wait_until_idle(page, after_run=runs)


def open_page(page: Page, url: str) -> None:
    """Go to an address and wait until it is drawn."""
    runs = _finished_runs[page]
    page.goto(url)
    wait_until_idle(page, after_run=runs)


def keyed(page: Page, key: str) -> Locator:
    """Find a widget or a container by the key that the app gave it."""
    return page.locator(f".st-key-{re.sub('[^a-zA-Z0-9_-]', '-', key)}")


def set_number(page: Page, key: str, value: float | int | None) -> None:
    """Type a number into a number input, or clear it with None, and wait for what follows."""
    if number(page, key) == value:
        return
    field = keyed(page, key).locator("input")
    with changing(page):
        field.fill("" if value is None else str(value))
        field.press("Enter")


def number(page: Page, key: str) -> float | None:
    """Read a number input; None where it is empty."""
    text = keyed(page, key).locator("input").input_value().replace(",", "")
    return float(text) if text else None


def screenshot(page: Page, name: str) -> Path:
    """Keep a picture of the whole page under test-artifacts/."""
    ARTIFACTS.mkdir(exist_ok=True)
    path = ARTIFACTS / f"{name}.png"
    window = page.viewport_size
    page.wait_for_function(DRAWN, timeout=PATIENCE_MS)
    try:
        height = window["height"] + page.evaluate(HIDDEN_BELOW)
        if height > window["height"]:
            page.set_viewport_size({**window, "height": min(height, TALLEST_PICTURE)})
            page.wait_for_timeout(SETTLED_MS)  # charts are drawn anew at another size
            page.wait_for_function(DRAWN, timeout=PATIENCE_MS)
        page.screenshot(path=path, full_page=True)
    finally:
        page.set_viewport_size(window)
    return path
