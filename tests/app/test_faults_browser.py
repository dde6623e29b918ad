"""The workbench when something fails: a drawing that never ends, a server that is killed, a socket that is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import pytest
from playwright.sync_api import expect

from tests.app.conftest import free_port, serve, wait
from tests.app.test_workers import gone
from tests.gallery.fake_hub import CONFIG
from tests.guarded import until

pytestmark = pytest.mark.whole
SLOW = json.dumps({**CONFIG, "test": ["sleep", 600]})


class Server:
    """The live app on one port, with slow workers behind it, to be killed and started again."""

    def __init__(self, folder):
        self.port, self.log, self.process = free_port(), folder / "serve.log", None
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = serve(self.port, log=self.log, program=("tests.app.slow_server",))
        wait(self.url, self.process, self.log, time.perf_counter())

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End the server alone; its workers have to notice."""
        workers = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        self.process.send_signal(how)
        self.process.wait(60)
        assert all(gone(int(pid)) for pid in workers.stdout.split())


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("faults"))
    server.start()
    yield server
    server.end(signal.SIGTERM)
    assert "Traceback" not in server.log.read_text(), server.log.read_text()[-4000:]


@pytest.fixture
def bench(page, server):
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    page.spent = True  # clocks, lost sockets
    yield opened(page, server)
    expect.set_options(timeout=5_000)


def opened(page, server, query: str = ""):
    """The workbench, connected and listening: what is dropped or pasted before is heard by nobody."""
    page.goto(f"{server.url}/app{query}")
    listening = "" if "learn=" in query else "[data-ready]"
    page.wait_for_selector(f"html[data-connection=open]{listening}", timeout=60_000)
    return page


def paste(page, text: str) -> None:
    if not page.locator("#pasted").is_visible():
        page.click(".paste summary")
    page.fill("#pasted", text)
    page.click("#read")


@pytest.mark.patient
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
    expect(bench.locator("#error")).to_contain_text("takes more than 10 seconds to read and draw")
    expect(bench.locator("#busy")).to_be_hidden()
    paste(bench, json.dumps(CONFIG))
    expect(bench.locator("#result h2")).to_have_text("Your config")


@pytest.mark.patient
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


def test_a_killed_server_comes_back_and_so_does_every_workbench(bench, server):
    """kill -9, a visible bar, a restart on the same port: four pages come back by themselves and Draw draws."""
    pages = [bench, *(opened(bench.context.new_page(), server, query) for query in ("", "", "?learn=masks"))]
    comes_back = [typed(pages[0], server), pasted(pages[1]), too_long(pages[2])]
    server.end()
    for page in pages:
        expect(page.locator("#connection")).to_contain_text("Connection lost: reconnecting")
    draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#status")).to_have_text("Opening Qwen/Qwen3-32B: waits for the connection.")
    server.start()
    expect(pages[3].locator("#connection")).to_have_text("Reconnected.")
    for check in comes_back:
        check()
    draw(bench, "openai/gpt-oss-20b")
    expect(bench.locator("#result h2")).to_have_text("GPT-OSS 20B")


def typed(page, server):
    """Choices in the address, half a text typed; what is asked for while the server is away is drawn afterwards."""
    opened(page, server, "?vs=google/gemma-3-27b-it&context=32768")
    page.click(".paste summary")
    page.fill("#pasted", '{"half": ')

    def check():
        expect(page.locator("#result h2")).to_have_text("Qwen3 32B")
        expect(page.locator("#connection")).to_be_empty()
        expect(page.locator("#pasted")).to_have_value('{"half": ')
        expect(page.locator("#pasted")).to_be_visible()
        expect(page.locator("#context")).to_have_value("32768")
        expect(page.locator("#figures tbody tr")).to_have_count(2)

    return check


def pasted(page):
    """A config that no address holds is drawn again, beside other text that was typed since."""
    paste(page, json.dumps({**CONFIG, "strange_key": 1}))
    expect(page.locator("#result h2")).to_have_text("Your config")
    page.fill("#pasted", "something else")
    page.fill("#model", "half/typed")

    def check():
        expect(page.locator("#result h2")).to_have_text("Your config")
        expect(page.locator(".unread")).to_contain_text("strange_key")
        expect(page.locator("#pasted")).to_have_value("something else")
        expect(page.locator("#model")).to_have_value("half/typed")

    return check


def too_long(page):
    """A text that the browser has no room to keep stays where it is until the reader lets it go."""
    page.evaluate("document.getElementById('pasted').value = 'é'.repeat(8e6)")

    def check():
        expect(page.locator("#connection")).to_contain_text("cannot keep so long a text: copy it, then")
        assert page.evaluate("document.getElementById('pasted').value.length") == 8_000_000
        page.click("#connection button")
        expect(page.locator("#result h2")).to_have_text("DeepSeek V3")
        expect(page.locator("#pasted")).to_have_value("")

    return check


@pytest.mark.patient
@pytest.mark.parametrize("way", ["closed", "closed again", "deaf"])
def test_a_socket_that_fails_alone_is_replaced(bench, server, way):
    """The server lives, its socket does not: closed, or open but dead; often closed, the page takes its time."""
    sockets, deaf = [], []

    def through(socket):
        sockets.append(socket)
        beyond = socket.connect_to_server()
        socket.on_message(lambda text: None if socket in deaf else beyond.send(text))

    bench.route_web_socket("**/ws*", through)
    bench.clock.install()
    opened(bench, server)
    if way == "closed again":
        before = "sessionStorage.setItem('cutaway-reopened', JSON.stringify({ at: Date.now(), times: 4, told: true }))"
        bench.evaluate(before)
    if way.startswith("closed"):
        sockets[0].close(code=1011)
    if way == "closed again":
        bench.wait_for_timeout(1500)
        expect(bench.locator("#connection")).to_contain_text("Connection lost")
        bench.clock.run_for(16_000)
    if way == "deaf":
        deaf.append(sockets[0])
        draw(bench, "Qwen/Qwen3-32B")
        bench.clock.run_for(10_000)  # as long as a session may leave an action unheard
    expect(bench.locator("#connection")).to_have_text("Reconnected.")
    draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#result h2")).to_have_text("Qwen3 32B")


def test_a_reload_keeps_what_was_pasted_and_a_fresh_visit_begins_empty(bench, server):
    """The reader's own reload draws the pasted config again, and so does coming back to it; a link starts anew."""
    paste(bench, json.dumps(CONFIG))
    expect(bench.locator("#result h2")).to_have_text("Your config")
    draw(bench, "Qwen/Qwen3-32B")
    expect(bench.locator("#result h2")).to_have_text("Qwen3 32B")
    bench.go_back()
    expect(bench.locator("#result h2")).to_have_text("Your config")
    bench.reload()
    expect(bench.locator("#result h2")).to_have_text("Your config")
    expect(bench.locator("#pasted")).to_have_value(json.dumps(CONFIG))
    opened(bench, server)
    expect(bench.locator("#result h2")).to_have_text("DeepSeek V3")
    expect(bench.locator("#pasted")).to_have_value("")


def draw(page, wanted: str) -> None:
    page.fill("#model", wanted)
    page.click("#open button")


# ---------------------------------------------------------------- what is too large, or nothing


DROP = """([name, size, fill]) => {
    const data = new DataTransfer();
    if (name) data.items.add(new File([fill.repeat(size)], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_a_file_that_is_too_large_is_never_sent(bench):
    """Weights, zeros or nothing dropped: a sentence with the limit, the drawing stays and the next Draw draws."""
    says = {
        "model.safetensors has 25 MB, but the workbench reads up to 5 MB": ["model.safetensors", 25_000_000, "x"],
        "zeros.bin has 4 MB, but the workbench reads up to 5 MB of JSON": ["zeros.bin", 4_000_000, "\0"],
        "There was no file in what was dropped": ["", 0, ""],
    }
    for words, dropped in says.items():
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
        until(bench, lambda b=before: bench.evaluate("told.length") > b + 1)
