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
    expect.set_options(timeout=20_000)
    yield opened(page, server)
    expect.set_options(timeout=5_000)


def opened(page, server, query: str = ""):
    page.goto(f"{server.url}/app{query}")
    page.wait_for_selector("html[data-ready]", timeout=20_000)
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


# ---------------------------------------------------------------- the line to the server


def test_a_killed_server_comes_back_and_so_does_the_workbench(bench, server):
    """kill -9, a visible bar, what is asked and typed meanwhile is kept, and all of it is there after the restart."""
    bench.goto(f"{server.url}/app?vs=google/gemma-3-27b-it&context=32768")
    bench.wait_for_selector("html[data-ready]")
    bench.click(".paste summary")
    bench.fill("#pasted", '{"half": ')
    server.kill()
    expect(bench.locator("#connection")).to_contain_text("Connection lost: reconnecting")
    draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#status")).to_have_text("Opening Qwen/Qwen3-32B: waits for the connection.")
    server.start()
    expect(bench.locator("#result h2")).to_have_text("Qwen3 32B")
    expect(bench.locator("#connection")).to_have_text("Reconnected.")
    expect(bench.locator("#connection")).to_be_empty()
    expect(bench.locator("#pasted")).to_have_value('{"half": ')
    expect(bench.locator("#pasted")).to_be_visible()
    expect(bench.locator("#context")).to_have_value("32768")
    expect(bench.locator("#figures tbody tr")).to_have_count(2)
    draw(bench, "openai/gpt-oss-20b")
    expect(bench.locator("#result h2")).to_have_text("GPT-OSS 20B")


def test_a_drawn_paste_outlives_its_server(bench, server):
    """A config that no address holds is drawn again by the next server, beside a text that was typed since."""
    paste(bench, json.dumps({**CONFIG, "strange_key": 1}))
    expect(bench.locator("#result h2")).to_have_text("Your config")
    bench.fill("#pasted", "something else")
    bench.fill("#model", "half/typed")
    server.kill()
    expect(bench.locator("#connection")).to_contain_text("Connection lost")
    server.start()
    expect(bench.locator("#result h2")).to_have_text("Your config")
    expect(bench.locator(".unread")).to_contain_text("strange_key")
    expect(bench.locator("#pasted")).to_have_value("something else")
    expect(bench.locator("#model")).to_have_value("half/typed")


def test_an_explainer_comes_back_too(bench, server):
    """The bar and the way back belong to every page at /app."""
    bench.goto(f"{server.url}/app?learn=masks")
    bench.wait_for_selector("html[data-connection=open]")
    server.kill()
    expect(bench.locator("#connection")).to_contain_text("Connection lost")
    server.start()
    expect(bench.locator("#connection")).to_have_text("Reconnected.")


@pytest.mark.parametrize("way", ["closed", "deaf"])
def test_a_socket_that_fails_alone_is_replaced(bench, server, way):
    """The server lives, its socket does not: closed, or open but dead; the next Draw draws."""
    sockets, deaf = [], []

    def through(socket):
        sockets.append(socket)
        beyond = socket.connect_to_server()
        socket.on_message(lambda text: None if socket in deaf else beyond.send(text))

    bench.route_web_socket("**/ws*", through)
    opened(bench, server)
    if way == "closed":
        sockets[0].close(code=1011)
    else:
        deaf.append(sockets[0])
        draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#connection")).to_have_text("Reconnected.")
    draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#result h2")).to_have_text("Qwen3 32B")


def draw(page, wanted: str) -> None:
    page.fill("#model", wanted)
    page.click("#open button")


# ---------------------------------------------------------------- what is too large, or nothing


DROP = """([name, size, fill]) => {
    const data = new DataTransfer();
    if (name) data.items.add(new File([fill.repeat(size)], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        (["model.safetensors", 25_000_000, "x"], "model.safetensors has 25 MB, but the workbench reads up to 5 MB"),
        (["zeros.bin", 4_000_000, "\0"], "zeros.bin has 4 MB, but the workbench reads up to 5 MB of JSON"),
        (["", 0, ""], "There was no file in what was dropped"),
    ],
)
def test_a_file_that_is_too_large_is_never_sent(bench, dropped, words):
    """Weights, zeros or nothing dropped: a sentence with the limit, the drawing stays and the next Draw draws."""
    bench.evaluate(DROP, dropped)
    expect(bench.locator("#error")).to_contain_text(words)
    expect(bench.locator("#status")).to_have_text("Nothing was sent.")
    draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#result h2")).to_have_text("Qwen3 32B")
    expect(bench.locator("#error")).to_be_hidden()
    expect(bench.locator("#connection")).to_be_empty()


def test_every_action_changes_the_status(bench):
    """Draw on what is drawn, a companion, a context, back: each says something new in a live region."""
    told = "window.told = []; new MutationObserver(() => told.push(at.textContent)).observe(at, { childList: true });"
    bench.evaluate("{ const at = document.getElementById('status'); " + told + " }")
    acts = {
        "is drawn.": lambda: draw(bench, "deepseek-ai/DeepSeek-V3"),
        "beside Gemma 3 27B": lambda: bench.select_option("#vs1", "google/gemma-3-27b-it"),
        "at 32,768 tokens.": lambda: bench.select_option("#context", "32768"),
        "at 131,072 tokens.": lambda: bench.go_back(),
    }
    for words, act in acts.items():
        before = bench.evaluate("told.length")
        act()
        expect(bench.locator("#status")).to_contain_text(words)
        bench.wait_for_function("before => told.length > before + 1", arg=before)
