"""Find a Chromium for the browser tests, or install one: `python -m tests.browser.chromium`."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_on_path() -> str | None:
    """Return the first Chromium on the PATH that starts."""
    return next((path for path in map(shutil.which, NAMES) if path and _starts(path)), None)


def find() -> str | None:
    """Return a Chromium that starts: one on the PATH, else Playwright's own."""
    return find_on_path() or _playwrights_own()


def install() -> None:
    """Install one: by apt as root on Debian and Ubuntu, else Playwright's own."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if as_root and shutil.which("apt-get"):
        print("Installing Chromium by apt ...", flush=True)
        _apt("update")
        if _apt("install", "--no-install-recommends", "chromium") and find():
            return
    print("Installing Playwright's Chromium ...", flush=True)
    with_libraries = ["--with-deps"] if as_root and sys.platform == "linux" else []
    subprocess.run([sys.executable, "-m", "playwright", "install", *with_libraries, "chromium"], check=False)


def _starts(path: str) -> bool:
    # Ubuntu's chromium-browser can be a stub that only points to a snap.
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if _starts(path) else None


def _apt(*arguments: str) -> bool:
    command = ["apt-get", "-y", "-qq", *arguments]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 0


def main() -> int:
    """Make sure that there is one, and say what to do where there is none."""
    if find():
        return 0
    install()
    if find():
        return 0
    print("No Chromium could be installed: put Chromium or Google Chrome on the PATH, then try again.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
