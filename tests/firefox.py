"""Drives Firefox over WebDriver BiDi: a process and a socket, no driver between; as a script it says which, or why not.

Playwright's own Firefox is a patched build from its makers' servers; Debian's firefox-esr speaks BiDi as it is. The
search order: $FIREFOX_PATH, the PATH. The protocol: https://www.w3.org/TR/webdriver-bidi/
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

NAMES = ("firefox-esr", "firefox")
HELP = "No Firefox here, so its smoke test is left out; sudo apt-get install -y firefox-esr brings one."
START_SECONDS, ANSWER_SECONDS = 60, 60
# No start page, no updates, no telemetry: what a request log would have to forgive.
PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.prefs.recommended": True,
    "toolkit.telemetry.enabled": False,
}
WATCHED = ["log.entryAdded", "network.responseCompleted", "network.fetchError", "network.beforeRequestSent"]
# A refused style or script is no console message in Firefox: the page itself keeps it.
KEEP_REFUSALS = """() => { window.refused = []; addEventListener("securitypolicyviolation",
  ({ violatedDirective, blockedURI }) => refused.push(`${violatedDirective}: ${blockedURI}`)); }"""


def executable() -> str:
    """The Firefox of this machine, or ""."""
    return os.environ.get("FIREFOX_PATH", "") or next((path for name in NAMES if (path := shutil.which(name))), "")


def pointer(origin: dict) -> dict:
    """Press and release in the middle of an element, in the words that both protocols share."""
    move = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
    steps = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
    return {"type": "pointer", "id": "mouse", "actions": steps}


def keys(text: str) -> dict:
    """Press and release the key of each character."""
    steps = [{"type": kind, "value": one} for one in text for kind in ("keyDown", "keyUp")]
    return {"type": "key", "id": "keys", "actions": steps}


class Tab:
    """What a test does with a page, whatever the browser; `troubles` and `requests` are those since the last `goto`."""

    def until(self, expression: str, seconds: float = 20):
        """The expression's first true value; its last one when the time is over."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(expression)) and time.monotonic() < end:
            time.sleep(0.05)
        return value


class Firefox(Tab):
    """One headless Firefox with one tab."""

    def __init__(self, path: str):
        self.profile = tempfile.mkdtemp(prefix="cutaway-firefox-")
        prefs = "".join(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items())
        (Path(self.profile) / "user.js").write_text(prefs)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.waiting: dict[int, asyncio.Future] = {}
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.number = 0
        command = [path, "--headless", "--profile", self.profile, "--remote-debugging-port", "0", "about:blank"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            self._open(self._address())
        except BaseException:
            self.close()
            raise

    def _address(self) -> str:
        """Where it listens: it says so on stderr."""
        late = threading.Timer(START_SECONDS, self.process.kill)
        late.start()
        seen = []
        for line in self.process.stderr:
            seen.append(line)
            if found := re.search(r"listening on (ws://\S+)", line):
                late.cancel()
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return found[1] + "/session"
        raise RuntimeError("Firefox did not start:\n" + "".join(seen))

    def _open(self, address: str) -> None:
        from tornado.websocket import websocket_connect

        async def connect():
            self.socket = await websocket_connect(address, max_message_size=1 << 27)
            self.reading = asyncio.ensure_future(self._read())

        asyncio.run_coroutine_threadsafe(connect(), self.loop).result(START_SECONDS)
        self.version = self.send("session.new", capabilities={})["capabilities"]["browserVersion"]
        self.send("session.subscribe", events=WATCHED)
        self.send("script.addPreloadScript", functionDeclaration=KEEP_REFUSALS)
        self.tab = self.send("browsingContext.getTree")["contexts"][0]["context"]

    async def _read(self) -> None:
        while (text := await self.socket.read_message()) is not None:
            message = json.loads(text)
            if "id" in message:
                self.waiting.pop(message["id"]).set_result(message)
            else:
                self._noted(message["method"], message["params"])

    def _noted(self, method: str, event: dict) -> None:
        """Keep what a page should not do: errors, failed requests; and every address it asks for."""
        if method == "log.entryAdded" and event["level"] == "error":
            self.errors.append(event["text"])
        elif method == "network.beforeRequestSent":
            self.requests.append(event["request"]["url"])
        elif method == "network.responseCompleted" and event["response"]["status"] >= 400:
            self.errors.append(f"{event['response']['status']} {event['request']['url']}")
        elif method == "network.fetchError" and "ABORT" not in event["errorText"]:
            self.errors.append(f"{event['errorText']} {event['request']['url']}")

    # ------------------------------------------------------------ what a test does

    def send(self, method: str, **params):
        """One command and its answer."""

        async def ask():
            self.number += 1
            self.waiting[self.number] = answer = self.loop.create_future()
            await self.socket.write_message(json.dumps({"id": self.number, "method": method, "params": params}))
            return await answer

        message = asyncio.run_coroutine_threadsafe(ask(), self.loop).result(ANSWER_SECONDS)
        if message["type"] == "error":
            raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
        return message["result"]

    def goto(self, url: str) -> None:
        """Open an address and wait until it is loaded; the lists start anew."""
        self.errors, self.requests = [], []
        self.send("browsingContext.navigate", context=self.tab, url=url, wait="complete")
        path = json.dumps(urlsplit(url).path)
        self.until(f"document.readyState === 'complete' && decodeURI(location.pathname) === decodeURI({path})")

    def resize(self, width: int, height: int = 900) -> None:
        self.send("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height})

    def evaluate(self, expression: str, context: str = ""):
        """The value of an expression in the page; a promise is waited for."""
        text = f"(async () => JSON.stringify(await ({expression})) ?? 'null')()"
        target = {"context": context or self.tab}
        answer = self.send("script.evaluate", expression=text, target=target, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def troubles(self) -> list[str]:
        """Errors on the console, requests that failed, and what the page's policy refused."""
        return self.errors + self.evaluate("refused")

    def frames(self) -> dict[str, str]:
        """The address of each frame of the page, and the name that `evaluate` knows it by."""
        tree = self.send("browsingContext.getTree", root=self.tab)["contexts"][0]
        return {one["url"]: one["context"] for one in tree["children"]}

    def click(self, selector: str) -> None:
        """Press and release the pointer on the first element of a selector, as a reader does."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        found = self.send("browsingContext.locateNodes", context=self.tab, locator={"type": "css", "value": selector})
        steps = [pointer({"type": "element", "element": {"sharedId": found["nodes"][0]["sharedId"]}})]
        self.send("input.performActions", context=self.tab, actions=steps)

    def type(self, text: str) -> None:
        """Press and release the key of each character."""
        self.send("input.performActions", context=self.tab, actions=[keys(text)])

    def close(self) -> None:
        """End the process with all it started, and forget the profile."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        shutil.rmtree(self.profile, ignore_errors=True)


def install() -> None:
    """Debian's Firefox, where apt is there and we are root; otherwise the sentence stands."""
    if executable() or not shutil.which("apt-get") or os.geteuid():
        return
    for command in (
        ["apt-get", "update", "-q"],
        ["apt-get", "install", "-y", "-q", "--no-install-recommends", "firefox-esr"],
    ):
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"  {' '.join(command)} did not work: {error}", flush=True)
            return


def main() -> int:
    """Print which Firefox the tests use; with --install, get one where that is easy."""
    if "--install" in sys.argv:
        install()
    path = executable()
    print(f"and {subprocess.run([path, '--version'], capture_output=True, text=True).stdout.strip()}" if path else HELP)
    return 0


if __name__ == "__main__":
    sys.exit(main())
