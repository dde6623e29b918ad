"""What the server answers, asked inside this process: pages, files, redirects, and questions of /compare/."""

from __future__ import annotations

import gzip
import json
import sys
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application

from cutaway.app.compare import request as compare_request
from cutaway.app.render import workers
from cutaway.app.render.job import Refusal
from cutaway.app.serve import compare_handler, hosts, page_cache, server
from cutaway.app.site.pages import Page
from tests.app.reader import finished

JSON = {"Content-Type": "application/json"}
LONG = "a long page " * 200
PAGES = [
    Page("/models/", LONG, csp="default-src 'none'"),
    Page("/embed/x/", LONG, csp=lambda: "script-src 'self'"),
    Page("/data/x.json", '{"a": 1}', "application/json"),
    Page("/assets/x.png", b"\x89PNG", "image/png"),
    Page("/404.html", "", csp="default-src 'self'"),
]


@pytest.fixture
def few(monkeypatch):
    """A site of five pages."""
    monkeypatch.setattr(server, "table", lambda: {page.path: page for page in PAGES})
    server.pages.cache_clear()
    yield
    server.pages.cache_clear()


def asked(path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> HTTPResponse:
    """One answer, as it comes: not followed, not unpacked."""
    routes = [(compare_handler.PATH, compare_handler.AskHandler), (r"/(.*)", server.SiteHandler)]

    async def ask() -> HTTPResponse:
        sockets, port = bind_unused_port()
        served = HTTPServer(Application(routes), max_body_size=10 * compare_request.BODY_BYTES)
        served.add_socket(sockets)
        named = {name.replace("_", "-"): text.format(port=port) for name, text in headers.items()}
        made = HTTPRequest(f"http://127.0.0.1:{port}{path}", method, named, body, follow_redirects=False,
                           decompress_response=False, request_timeout=60)  # fmt: skip
        found = await AsyncHTTPClient(force_instance=True).fetch(made, raise_error=False)
        served.stop()
        return found

    return finished(ask())


def test_a_page_comes_with_its_policy_and_a_file_without(few):
    """Only a page has scripts to forbid; an embed may stand in anybody's frame."""
    assert asked("/models/").headers["Content-Security-Policy"] == "default-src 'none'"
    assert asked("/embed/x/").headers["Content-Security-Policy"] == "script-src 'self'; frame-ancestors *"
    assert "Content-Security-Policy" not in asked("/data/x.json").headers


@pytest.mark.parametrize("word", ["--dev", "--autoreload"])
def test_whoever_writes_a_page_sees_it_made_anew(word, few, monkeypatch):
    """With either of the words that reload the server's code, no page is kept."""
    made = []
    monkeypatch.setattr(server, "make", lambda path: made.append(path) or page_cache.made(server.table()[path]))
    asked("/models/"), asked("/models/")
    assert made == ["/models/"]
    monkeypatch.setattr(sys, "argv", ["panel", word])
    asked("/models/")
    assert made == ["/models/"] * 2


def test_text_is_packed_for_who_can_unpack_it(few):
    """gzip where it is accepted, plain else, and caches are told that it varies; a picture is packed already."""
    packed, plain = asked("/models/", Accept_Encoding="gzip"), asked("/models/")
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.body).decode() == LONG
    assert "Content-Encoding" not in plain.headers and plain.body.decode() == LONG
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert packed.headers["Content-Type"] == "text/html; charset=utf-8"
    picture = asked("/assets/x.png", Accept_Encoding="gzip")
    assert (picture.body, picture.headers["Content-Type"]) == (b"\x89PNG", "image/png")
    assert not {"Vary", "Content-Encoding"} & set(picture.headers)


def test_what_has_not_changed_is_not_sent_again(few):
    """The tag of a page answers 304, another one 200; a file whose address names its content is kept for a year."""
    first = asked("/models/")
    same, other = asked("/models/", If_None_Match=first.headers["Etag"]), asked("/models/", If_None_Match='"x"')
    assert (same.code, same.body, other.code) == (304, b"", 200)
    assert first.headers["Cache-Control"] == "no-cache" == asked("/assets/x.png").headers["Cache-Control"]
    assert asked("/assets/x.png?v=1").headers["Cache-Control"] == "max-age=31536000, immutable"
    assert asked("/models/?v=1").headers["Cache-Control"] == "no-cache"


def test_a_forgotten_slash_leads_to_the_page(few):
    """With its query; nothing else is guessed, and a missing page says so."""
    found = asked("/embed/x?tp=4")
    assert (found.code, found.headers["Location"]) == (302, "x/?tp=4")
    assert asked("/models").headers["Location"] == "models/"
    missing = asked("/nothing/here")
    assert missing.code == 404 and missing.headers["Content-Security-Policy"] == "default-src 'self'"
    head = asked("/models/", "HEAD")
    assert (head.code, head.body) == (200, b"")


# ---------------------------------------------------------------- questions of /compare/


@pytest.fixture
def pool(monkeypatch):
    """A worker that answers with what a test says; `asked` is what it was asked."""
    made = SimpleNamespace(answer='{"files": []}', asked=[], clients=[], cancelled=[])

    def submit(request, client):
        made.asked.append(request)
        made.clients.append(client)
        future: Future = Future()
        future.set_exception(made.answer) if isinstance(made.answer, Exception) else future.set_result(made.answer)
        return future

    made.submit, made.cancel = submit, made.cancelled.append
    monkeypatch.setattr(workers, "pool", lambda: made)
    return made


ONE = json.dumps({"models": [{"config": "{}"}]}).encode()


def question(body: bytes = ONE, **headers: str) -> tuple[int, dict]:
    found = asked("/compare/ask", "POST", body, **{"Content_Type": "application/json", **headers})
    return found.code, json.loads(found.body)


def test_a_page_of_this_server_is_answered(pool):
    """By what the browser says of it, or where it says nothing; the answer is the worker's own text."""
    for headers in ({}, {"Origin": "http://127.0.0.1:{port}"}, {"Sec_Fetch_Site": "same-origin"},
                    {"Sec_Fetch_Site": "none"}, {"Content_Type": "application/json; charset=utf-8"}):  # fmt: skip
        assert question(**headers) == (200, {"files": []}), headers
    assert pool.asked[0] == compare_request.Question(ONE)


def test_a_question_takes_its_clients_turn(pool):
    """The address that a proxy on this machine or its network names last, which no visitor can choose."""
    assert question()[0] == question(X_Forwarded_For="192.0.2.1, 198.51.100.7")[0] == 200
    assert pool.clients == ["127.0.0.1", "198.51.100.7"]


def test_a_question_is_not_read_on_the_event_loop(pool):
    """Its bytes go to the worker as they came, sense or not: reading ten megabytes would keep everybody waiting."""
    assert question(b"{nonsense")[0] == 200
    assert pool.asked == [compare_request.Question(b"{nonsense")]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Content_Type": "text/plain"},
        {"Origin": "http://127.0.0.1:{port}", "Content_Type": "text/plain"},
        {"Origin": "http://evil.example", "Sec_Fetch_Site": "same-origin"},
    ],
)
def test_nobody_else_may_ask(pool, headers):
    """403 and a sentence; no worker is troubled."""
    assert question(**headers) == (403, {"sentence": compare_handler.STRANGE}) and pool.asked == []


def test_a_question_has_an_end(pool, monkeypatch):
    """So many bytes are read and not one more, whether or not their number is said beforehand."""
    monkeypatch.setattr(compare_request, "BODY_BYTES", len(ONE))
    assert question()[0] == 200
    assert question(ONE + b" ") == (413, {"sentence": compare_handler.TOO_LONG})
    made = object.__new__(compare_handler.AskHandler)
    refused: list[int] = []
    made.body, made._finished, made.client = bytearray(), False, "somebody"
    made.refuse = lambda status, sentence: refused.append(status)
    made.data_received(ONE)
    assert (bytes(made.body), refused) == (ONE, [])
    made.data_received(b" ")
    assert (bytes(made.body), refused) == (ONE, [413])


def test_long_questions_are_held_so_many_at_a_time(pool, monkeypatch):
    """Half of the room is one client's; more is refused at once, a small question never, and an answer makes room."""
    room = compare_handler.Room(most=400_000)
    monkeypatch.setattr(compare_handler, "ROOM", room)
    long = ONE + b" " * 150_000
    assert room.take("127.0.0.1", 100_000)
    assert question(long) == (503, {"sentence": compare_handler.BUSY})
    assert question()[0] == question(long, X_Forwarded_For="198.51.100.7")[0] == 200
    assert dict(room.held) == {"127.0.0.1": 100_000}
    room.free("127.0.0.1", 100_000)
    assert (question(long)[0], dict(room.held)) == (200, {})
    assert (room.take("a", 200_000), room.take("b", 200_000), room.take("c", 1)) == (True, True, False)


def test_what_cannot_be_answered_is_a_sentence(pool):
    """A config at fault, a worker that was stopped: 422 each."""
    pool.answer = Refusal("No layers.")
    assert question() == (422, {"sentence": "No layers."})
    pool.answer = workers.Stopped("It took too long.")
    assert question() == (422, {"sentence": "It took too long."})
    assert asked("/compare/ask").code == 405


def test_a_reader_who_leaves_stops_the_worker(pool):
    """One that is at work; not one that is done, and none where nothing was asked."""
    made = object.__new__(compare_handler.AskHandler)
    made.body = bytearray(b"{")
    made.on_connection_close()
    made.waiting = Future()
    made.on_connection_close()
    assert pool.cancelled == [made.waiting]
    made.waiting.set_result("")
    made.on_connection_close()
    assert pool.cancelled == [made.waiting]


# ---------------------------------------------------------------- who may open a socket


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [("http://127.0.0.1:5006", True), ("http://localhost:5006", False), ("http://127.0.0.1:1", False),
     ("http://evil.example:5006", False), ("http://[", False)],
)  # fmt: skip
def test_a_socket_is_for_the_page_of_the_same_host(monkeypatch, origin, allowed):
    """Loopback by the very name and port that was asked; all else is Bokeh's own list, which is empty here."""
    monkeypatch.setattr(server.WSHandler, "check_origin", lambda self, origin: False)
    made = object.__new__(server.LocalSocket)
    made.request = SimpleNamespace(host="127.0.0.1:5006")
    assert made.check_origin(origin) is allowed


def test_a_socket_of_a_foreign_host_is_bokehs_to_judge(monkeypatch):
    """A name that is allowed there is allowed, though it is no loopback."""
    monkeypatch.setattr(server.WSHandler, "check_origin", lambda self, origin: True)
    made = object.__new__(server.LocalSocket)
    made.request = SimpleNamespace(host="cutaway.example")
    assert made.check_origin("https://cutaway.example")
    assert hosts.name("cutaway.example:80") == "cutaway.example"


def test_one_client_holds_half_of_the_room_and_all_of_them_no_more_than_all():
    """Of 100 bytes 50 and no more for one, to the byte; what is let go is free again."""
    room = compare_handler.Room(most=100)
    assert [room.take("a", size) for size in (30, 21, 20, 1)] == [True, False, True, False]
    assert [room.take("b", 40), room.take("c", 11), room.take("c", 10)] == [True, False, True]
    room.free("a", 20), room.free("b", 40)
    assert dict(room.held) == {"a": 30, "c": 10} and room.take("b", 50)
