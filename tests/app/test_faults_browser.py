"""The workbench when something fails: a drawing that never ends, a server that is killed, a socket that is lost."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from playwright.sync_api import expect

from tests.app.conftest import free_port, serve, wait
from tests.gallery.fake_hub import CONFIG

pytestmark = pytest.mark.whole
LIMIT = 6  # seconds; a reader who draws beside a slow one must be served well before
SLOW = json.dumps({**CONFIG, "test": ["sleep", 600]})


class Server:
    """The live app on one port, with slow workers behind it, to be killed and started again."""

    def __init__(self, folder):
        self.port, self.log, self.process = free_port(), folder / "serve.log", None
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        slow = ("tests.app.slow_server", str(LIMIT))
        self.process = serve(self.port, log=self.log, program=slow)
        wait(self.url, self.process, self.log, time.perf_counter())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("faults"))
    server.start()
    yield server
    os.killpg(server.process.pid, signal.SIGTERM)
    server.process.wait(10)
    assert "Traceback" not in server.log.read_text(), server.log.read_text()[-4000:]


@pytest.fixture
def bench(page, server):
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield opened(page, server)
    expect.set_options(timeout=5_000)


def opened(page, server, query: str = ""):
    page.goto(f"{server.url}/app{query}")
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    return page


def paste(page, text: str) -> None:
    if not page.locator("#pasted").is_visible():
        page.click(".paste summary")
    page.fill("#pasted", text)
    page.click("#read")


def test_a_slow_drawing_ends_at_its_limit_and_holds_up_nobody(bench, server):
    """While one reader's config is drawn for ever, another's is drawn; then the first reads why it was stopped."""
    other = opened(bench.context.new_page(), server)
    paste(bench, SLOW)
    expect(bench.locator("#status")).to_have_text("Drawing your config …")
    paste(other, json.dumps(CONFIG))
    start = time.perf_counter()
    expect(other.locator("#result h2")).to_have_text("Your config")
    assert bench.locator("#busy").is_visible(), "the slow drawing ended first"
    print(f"drawn beside a slow one in {time.perf_counter() - start:.2f} s")
    expect(bench.locator("#error")).to_contain_text(f"takes more than {LIMIT} seconds to read and draw")
    expect(bench.locator("#busy")).to_be_hidden()
    paste(bench, json.dumps(CONFIG))
    expect(bench.locator("#result h2")).to_have_text("Your config")


def test_another_wish_stops_a_slow_drawing(bench):
    """A reader who picks a model meanwhile gets it at once, and nothing of the slow one comes after it."""
    paste(bench, SLOW)
    expect(bench.locator("#status")).to_have_text("Drawing your config …")
    bench.fill("#model", "Qwen/Qwen3-32B")
    bench.click("#open button")
    expect(bench.locator("#status")).to_have_text("Qwen3 32B is drawn.")
    bench.wait_for_timeout(500)
    expect(bench.locator("#error")).to_be_hidden()
    expect(bench.locator("#status")).to_have_text("Qwen3 32B is drawn.")
