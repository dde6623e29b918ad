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

SHELL = "chromium-headless-shell"  # the same engine without a window: a page opens in a quarter of the time
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
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
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # no page of a test calls anybody
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
    wrong = []
    for path in executables(playwright.chromium.executable_path):
        try:
            return playwright.chromium.launch(executable_path=path, args=ARGS)
        except Exception as error:
            wrong.append(f"{path}: {str(error).splitlines()[0]}")
    try:
        return playwright.chromium.launch(channel="chrome", args=ARGS)
    except Exception as error:
        wrong.append(f"chrome: {str(error).splitlines()[0]}")
    raise SystemExit("\n".join([HELP, *(f"  tried {line}" for line in wrong)]))


def version() -> str:
    """The version of the browser that the tests will use."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        text = browser.version
        browser.close()
    return text


def apt(package: str) -> Iterator[list[str]]:
    """Commands that install a package, where we may."""
    if shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        yield [*root, "apt-get", "update", "-q"]
        yield [*root, "apt-get", "install", "-y", "-q", package]


def downloads() -> Iterator[list[str]]:
    """Commands that may bring a browser: Playwright's own download, then apt."""
    yield [sys.executable, "-m", "playwright", "install", "chromium"]
    yield from apt("chromium")


def tried(command: list[str], why: str) -> None:
    """Run a command that may fail; what comes after finds out what it brought."""
    print(f"{why}, trying:", " ".join(command), flush=True)
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=300, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"  that did not work: {error}", flush=True)


def main() -> int:
    """Print which browser the tests use; with --install, get the quick one if apt has it, else any."""
    install, failure = "--install" in sys.argv, ""
    if install and not shutil.which(SHELL) and not os.environ.get("CHROMIUM_PATH"):
        for command in apt(SHELL):
            tried(command, "no quick browser yet")
    for command in [None, *(downloads() if install else ())]:
        if command:
            tried(command, "no browser yet")
        try:
            print(f"browser for the tests: Chromium {version()}")
            return 0
        except SystemExit as missing:
            failure = str(missing)
    print(failure, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
