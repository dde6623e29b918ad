"""Drives WebKit, as GTK packs it, over classic WebDriver on a screen nobody sees; asked for with `pytest --webkit`.

Needs Debian's webkit2gtk-driver (with its MiniBrowser) and xvfb. What its console says comes out on standard output.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.firefox import START_SECONDS, Tab, keys, pointer

HELP = "No WebKit here; sudo apt-get install -y webkit2gtk-driver xvfb brings one."
PLACES = ("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser")
CLICKED = "element-6066-11e4-a52e-4f735466cecf"  # what WebDriver calls an element in JSON
SAID = re.compile(r"CONSOLE \S+ (?:ERROR|EXCEPTION)")
MISSING = "performance.getEntriesByType('resource').filter(one => one.responseStatus >= 400).map(one => one.name)"
ASKED = "performance.getEntriesByType('resource').map(one => one.name)"


def executable() -> str:
    """The small browser that the driver drives, or ""."""
    found = [path for place in PLACES for path in sorted(Path("/").glob(place[1:]))]
    return str(found[-1]) if found and shutil.which("WebKitWebDriver") and shutil.which("Xvfb") else ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class WebKit(Tab):
    """One WebKit window on a screen of its own."""

    def __init__(self, path: str):
        self.console = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed in `close`)
        self.heard = 0
        # Xvfb takes a free screen by itself and writes its number where -displayfd says.
        reading, writing = os.pipe()
        screen = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self.processes = [subprocess.Popen(screen, pass_fds=[writing], stderr=subprocess.DEVNULL)]
        os.close(writing)
        display = os.read(reading, 16).decode().strip()
        environment = {**os.environ, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"}
        self.port = free_port()
        self.processes.append(
            subprocess.Popen(
                ["WebKitWebDriver", f"--port={self.port}"],
                env=environment,
                stdout=self.console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        )
        options = {"binary": path, "args": ["--automation", "--enable-write-console-messages-to-stdout=true"]}
        try:
            session = self._started({"webkitgtk:browserOptions": options})
        except BaseException:
            self.close()
            raise
        self.version, self.session = session["capabilities"]["browserVersion"], session["sessionId"]

    def _started(self, capabilities: dict) -> dict:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
            except (ConnectionError, urllib.error.URLError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _ask(self, method: str, path: str, body: dict | None = None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def _do(self, path: str, body: dict):
        return self._ask("POST", f"/session/{self.session}{path}", body)

    # ------------------------------------------------------------ what a test does

    def goto(self, url: str) -> None:
        self._said()
        self._do("/url", {"url": url})

    def _said(self) -> list[str]:
        """What the console said since it was last asked."""
        self.console.seek(self.heard)
        lines = self.console.read().splitlines()
        self.heard = self.console.tell()
        return [line for line in lines if SAID.search(line)]

    def troubles(self) -> list[str]:
        return self._said() + self.evaluate(MISSING)

    @property
    def requests(self) -> list[str]:
        return self.evaluate(ASKED)

    def resize(self, width: int, height: int = 900) -> None:
        """The page's own size: the window's less what it has around the page."""
        for _ in range(2):
            now = self._ask("GET", f"/session/{self.session}/window/rect")
            inner = self.evaluate("[innerWidth, innerHeight]")
            wanted = {"width": now["width"] + width - inner[0], "height": now["height"] + height - inner[1]}
            self._do("/window/rect", wanted)
            self.until(f"innerWidth === {width}", 3)

    def evaluate(self, expression: str):
        text = f"(async () => JSON.stringify(await ({expression})) ?? 'null')()"
        text = f"const done = arguments[0]; {text}.then(done, one => done('!' + one));"
        value = self._do("/execute/async", {"script": text, "args": []})
        if value.startswith("!"):
            raise RuntimeError(value)
        return json.loads(value)

    def click(self, selector: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        found = self._do("/element", {"using": "css selector", "value": selector})
        self._do("/actions", {"actions": [pointer({CLICKED: found[CLICKED]})]})

    def type(self, text: str) -> None:
        self._do("/actions", {"actions": [keys(text)]})

    def close(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None and process is not self.processes[0]:
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait(10)
        self.console.close()
