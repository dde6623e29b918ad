"""Finds a Chromium that Playwright can drive; run as a script it prints where, or how to get one.

The search order is DESIGN.md's: $CHROMIUM_PATH, Playwright's own, the PATH, then Chrome where Playwright knows to look.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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


def executables(own: str = "") -> list[str]:
    """Paths worth trying, best first; `own` is where Playwright would have put its download."""
    if chosen := os.environ.get("CHROMIUM_PATH", ""):
        return [chosen]
    found = [path for name in NAMES if (path := shutil.which(name))]
    return ([own] if own and Path(own).exists() else []) + list(dict.fromkeys(found))


def launch(playwright):
    """A running browser, or SystemExit with the two commands that get one."""
    tried = []
    for path in executables(playwright.chromium.executable_path):
        try:
            return playwright.chromium.launch(executable_path=path, args=ARGS)
        except Exception as error:
            tried.append(f"{path}: {str(error).splitlines()[0]}")
    try:
        return playwright.chromium.launch(channel="chrome", args=ARGS)
    except Exception as error:
        tried.append(f"chrome: {str(error).splitlines()[0]}")
    raise SystemExit("\n".join([HELP, *(f"  tried {line}" for line in tried)]))


def version() -> str:
    """The version of the browser that the tests will use."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        text = browser.version
        browser.close()
    return text


def downloads() -> Iterator[list[str]]:
    """Commands that may bring a browser: Playwright's own download, then apt where we may use it."""
    yield [sys.executable, "-m", "playwright", "install", "chromium"]
    if shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        yield [*root, "apt-get", "update", "-q"]
        yield [*root, "apt-get", "install", "-y", "-q", "chromium"]


def main() -> int:
    """Print which browser the tests use; with --install, get one where there is none."""
    failure = ""
    for command in [None, *(downloads() if "--install" in sys.argv else ())]:
        if command:
            print("no browser yet, trying:", " ".join(command), flush=True)
            try:
                subprocess.run(command, stdin=subprocess.DEVNULL, timeout=300, check=True)
            except (OSError, subprocess.SubprocessError) as error:
                print(f"  that did not work: {error}", flush=True)
                continue
        try:
            print(f"browser for the tests: Chromium {version()}")
            return 0
        except SystemExit as missing:
            failure = str(missing)
    print(failure, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
