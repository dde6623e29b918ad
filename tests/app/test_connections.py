"""Connections that do not get on are closed, and slow ones that do are not: on loopback, with limits of a blink."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future
from types import SimpleNamespace

import bokeh.server.server
import pytest
from tornado.testing import bind_unused_port
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler, websocket_connect

from cutaway.app.render import workers
from cutaway.app.serve import compare_handler, connections, server
from cutaway.app.serve.connections import PatientServer
from tests.app.reader import finished

BLINK = 0.4
BODY = json.dumps({"models": [{"config": "{}"}]}).encode()
POST = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
ASK = POST % (b"/compare/ask", len(BODY))


class Plain(RequestHandler):
    """A page."""

    def get(self) -> None:
        self.write("a page")

    def post(self) -> None:
        self.write("nothing to post here")


class Echo(WebSocketHandler):
    """A socket that answers."""

    def on_message(self, message: str | bytes) -> None:
        self.write_message(message)


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Limits of a blink, and workers that answer at once."""
    for name in ("IDLE_SECONDS", "BODY_SECONDS", "STALL_SECONDS"):
        monkeypatch.setattr(connections, name, BLINK)
    done: Future = Future()
    done.set_result('{"files": []}')
    monkeypatch.setattr(workers, "pool", lambda: SimpleNamespace(submit=lambda *_: done))


def started() -> tuple[PatientServer, int]:
    sockets, port = bind_unused_port()
    made = PatientServer(Application([(compare_handler.PATH, compare_handler.AskHandler), ("/ws", Echo), ("/", Plain)]))
    made.add_sockets([sockets])
    return made, port


def heard(*parts: bytes, pause: float = 0.0) -> bytes:
    """What comes back until the server closes, when these parts are sent with a pause after each."""

    async def talk() -> bytes:
        served, port = started()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for part in parts:
            writer.write(part)
            await asyncio.sleep(pause)
        found = await asyncio.wait_for(reader.read(), 10 * BLINK)
        writer.close()
        served.stop()
        return found

    return finished(talk())


@pytest.mark.parametrize(
    "said",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", ASK, ASK + BODY[:5], POST % (b"/", 9)],
    ids=["nothing", "half a head", "no body", "half a question", "no body of a page"],
)  # fmt: skip
def test_half_a_request_is_closed(said):
    """Whatever is missing, without an answer."""
    assert heard(said) == b""


def test_a_connection_that_was_answered_is_kept_for_a_while():
    """The next request finds it open; it is closed when none comes."""
    get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert heard(get, get, pause=BLINK / 4).count(b"a page") == 2


@pytest.mark.whole
def test_a_slow_question_is_answered():
    """One whose body takes longer than any other may, as long as some of it comes."""
    pieces = [BODY[start : start + 2] for start in range(0, len(BODY), 2)]
    found = heard(ASK.replace(b"Host", b"Connection: close\r\nHost"), *pieces, pause=BLINK / 4)
    assert len(pieces) / 4 > 2
    assert found.startswith(b"HTTP/1.1 200 OK") and found.endswith(b'{"files": []}')


def test_a_body_that_nobody_asked_for_is_not_read():
    """A page that takes none holds none: a hundred kilobytes are refused by what the head says."""
    assert heard(POST % (b"/", 100_000)).startswith(b"HTTP/1.1 400")
    assert heard(POST % (b"/", 9) + b"123456789").endswith(b"nothing to post here")


@pytest.mark.whole
def test_a_silent_socket_stays_open():
    """A reader who thinks for longer than any request may take is not cut off."""

    async def think() -> str | bytes | None:
        served, port = started()
        line = await websocket_connect(f"ws://127.0.0.1:{port}/ws")
        await asyncio.sleep(3 * BLINK)
        await line.write_message("still here")
        found = await line.read_message()
        line.close()
        served.stop()
        return found

    assert finished(think()) == "still here"


def test_the_live_server_is_patient_so_long_and_no_longer():
    """Bokeh makes our server; whoever makes one with other limits gets those."""
    server.install()
    assert vars(bokeh.server.server)["HTTPServer"] is PatientServer
    assert PatientServer(Application()).conn_params.header_timeout == BLINK
    assert PatientServer(Application(), idle_connection_timeout=7.0).conn_params.header_timeout == 7.0
