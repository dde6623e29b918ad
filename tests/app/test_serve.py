"""`panel serve app/` as typed: the site at /, the workbench at /app, under every way to start it."""

from __future__ import annotations

import asyncio
import gzip
from types import SimpleNamespace

import pytest
from bokeh.util.token import generate_jwt_token
from tornado.websocket import WebSocketClosedError

from cutaway.app.serve import server
from tests.app.conftest import get, served

MORE = {
    (): "whole",  # the tests below ask a server that was started so
    ("--dev",): "patient",
    ("--autoreload", "--warm"): "patient",
    ("--num-procs", "2"): "patient",
    ("--prefix", "under/here"): "whole",
}
WAYS = [pytest.param(way, marks=getattr(pytest.mark, mark)) for way, mark in MORE.items()]


@pytest.mark.parametrize("options", WAYS, ids=lambda options: " ".join(options) or "plain")
def test_site_and_workbench_answer_however_it_is_started(tmp_path, options, request):
    """The pages, the files, the 404 and the workbench answer under each way to start the server."""
    if not options:
        return answers(request.getfixturevalue("live_url"))  # started so; that its log has no traceback is seen there
    with served(*options, log=tmp_path / "log") as (url, _):
        answers(url)
    log = (tmp_path / "log").read_text()
    assert "Traceback" not in log, log


def answers(url: str) -> None:
    """The pages, the files and the 404 of a server."""
    for path in ("/", "/models/", "/models/deepseek-ai/DeepSeek-V3/", "/assets/css/tokens.css", "/app"):
        assert get(url + path)[0] == 200, path
    assert get(url + "/static/js/bokeh.min.js")[0] == 200
    status, _, body = get(url + "/nobody/nothing/")
    assert (status, b"Page not found" in body) == (404, True)


@pytest.fixture(scope="module")
def url(live_url):
    return live_url


def test_pages_come_with_a_strict_policy(url):
    """Live pages carry the policy as a header, and no type is guessed."""
    _, headers, _ = get(url + "/models/")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_workbench_may_load_from_its_own_host_alone(url):
    """Panel needs inline code, but no other host."""
    policy = get(url + "/app")[1]["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "http:" not in policy and "https:" not in policy and "*" not in policy


def test_pages_are_packed_and_not_sent_twice(url):
    """gzip where the reader takes it; an unchanged page is a 304; an asset with its digest is kept for good."""
    _, headers, body = get(url + "/models/", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body).startswith(b"<!doctype html>")
    assert get(url + "/models/", **{"If-None-Match": headers["Etag"]})[0] == 304
    assert "immutable" in get(url + "/assets/css/tokens.css?v=1")[1]["Cache-Control"]


def test_a_forgotten_slash_is_a_redirect(url):
    """/models and /models/<org>/<name> lead to the page, query included."""
    status, headers, _ = get(url + "/models/openai/gpt-oss-20b?a=1")
    assert (status, headers["Location"]) == (302, "gpt-oss-20b/?a=1")


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/assets/../../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "//etc"]
)
def test_nothing_but_pages_is_served(url, path):
    """Paths that climb find nothing."""
    assert get(url + path)[0] == 404


def test_a_missing_page_has_links_that_work_from_where_it_is(url):
    """The live 404 knows how deep it stands."""
    assert b'href="../../../models/"' in get(url + "/a/b/c/")[2]


@pytest.mark.whole
def test_the_first_answer_comes_soon(tmp_path):
    """From the start of the process to the first page: imports and all; 2 s on an idle machine."""
    with served(log=tmp_path / "log", CUTAWAY_COLD="0") as (_, seconds):
        print(f"first answer after {seconds:.2f} s")
        assert seconds < 60  # others share the two cores while the tests run; make bench measures it alone


@pytest.mark.parametrize("fault, complaints", [(WebSocketClosedError(), 0), (ValueError("ours"), 1)], ids=str)
def test_a_reader_who_leaves_is_no_fault(caplog, fault, complaints):
    """What was being written to somebody who left is dropped without a word; every other lost exception is logged."""
    server.install()
    loop = asyncio.new_event_loop()  # what it says of a task that nobody asked about, without the task
    loop.call_exception_handler({"message": "Task exception was never retrieved", "exception": fault})
    loop.close()
    assert [record.exc_info[1] for record in caplog.records] == [fault] * complaints


UPGRADE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}  # fmt: skip


@pytest.mark.parametrize("offered", ["", "bokeh", "bokeh, nonsense", "other, e30", "bokeh, e30", "bokeh, a, b"])
def test_a_socket_is_for_who_has_a_token(url, offered):
    """An upgrade without one is a 403 and a sentence; the log, which the session's end looks at, has no traceback."""
    protocols = {"Sec-WebSocket-Protocol": offered} if offered else {}
    status, _, body = get(url + "/app/ws", Origin=url, **UPGRADE, **protocols)
    assert (status, body) == (403, b"This address is the workbench's: open /app.\n")


def test_a_token_that_has_expired_opens_no_socket():
    """One of a page that was just sent does."""
    made = object.__new__(server.LocalSocket)
    made.application = SimpleNamespace(sign_sessions=False, secret_key=None)
    for seconds, known in ((60, True), (-1, False)):
        token = generate_jwt_token("a session", expiration=seconds)
        made.request = SimpleNamespace(headers={"Sec-WebSocket-Protocol": f"bokeh, {token}"})
        assert made.has_token() is known
