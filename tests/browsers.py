"""Finds a Chromium that Playwright can drive; run as a script it prints where, or how to get one.

The search order is DESIGN.md's: $CHROMIUM_PATH, Playwright's own, the PATH, then Chrome where Playwright knows to look.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
# Quiet and alone: no sandbox inside containers, no background traffic that a request log would have to forgive.
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
]
HELP = """No browser found for the tests. One of these two commands fixes it:
  .venv/bin/python -m playwright install --with-deps chromium
  sudo apt-get install -y chromium"""


def executable(own: str = "") -> str | None:
    """The path of a Chromium; `own` is where Playwright would have put its download."""
    chosen = os.environ.get("CHROMIUM_PATH", "")
    if chosen:
        return chosen
    if own and Path(own).exists():
        return own
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def launch(playwright):
    """A running browser, or SystemExit with the two commands that get one."""
    path = executable(playwright.chromium.executable_path)
    try:
        if path:
            return playwright.chromium.launch(executable_path=path, args=ARGS)
        return playwright.chromium.launch(channel="chrome", args=ARGS)
    except Exception as error:
        raise SystemExit(f"{HELP}\n({path or 'channel chrome'}: {str(error).splitlines()[0]})") from error


def main() -> int:
    """Print the browser's version and path, exit 1 when there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        print(f"browser {browser.version}: {executable(playwright.chromium.executable_path) or 'chrome'}")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
