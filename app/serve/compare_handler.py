"""POST /compare/ask on the live server: the page's question goes to a worker process, its answer comes back as JSON.

Only the server's own pages may ask. The worker also parses the question; the event loop only collects its bytes, up to
a limit per client and in all. What cannot be answered is one sentence with an error status.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import Future
from urllib.parse import urlsplit

from tornado.http1connection import HTTP1Connection
from tornado.httputil import HTTPServerRequest
from tornado.web import RequestHandler, stream_request_body

from cutaway.app.compare import request as compare_request
from cutaway.app.render import job as render_job
from cutaway.app.render import workers
from cutaway.app.serve import hosts
from cutaway.app.serve.connections import Stall

PATH = r"/compare/ask"
STRANGE = "This address answers the compare page of this very server alone."
TOO_LONG = (
    f"This request is larger than {compare_request.BODY_BYTES:,} bytes, so it was not read. A config.json usually "
    f"has a few KB; up to {compare_request.MOST_PASTED:,} characters are accepted."
)
BUSY = "The server is busy with other large requests. Try again in a minute."
SMALL_BYTES = 100_000  # of a question that there is always room for
HELD_BYTES = 3 * compare_request.BODY_BYTES  # of larger ones, until they are answered
BODY_SECONDS = 120.0  # for all of a question's bytes


class Room:
    """Bytes of questions that are held at once: half for one client, `most` in all."""

    def __init__(self, most: int = HELD_BYTES) -> None:
        self.most, self.held = most, Counter[str]()

    def take(self, client: str, size: int) -> bool:
        """Whether there was room for so many more bytes."""
        if self.held.total() + size > self.most or self.held[client] + size > self.most // 2:
            return False
        self.held[client] += size
        return True

    def free(self, client: str, size: int) -> None:
        self.held[client] -= size
        if self.held[client] <= 0:
            del self.held[client]


ROOM = Room()


def from_here(request: HTTPServerRequest) -> bool:
    """Whether a page of this server asks, by what a browser says of itself; JSON alone, which no form can send."""
    origin = request.headers.get("Origin", "")
    same = not origin or urlsplit(origin).netloc.lower() == request.host.lower()
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return same and site in ("same-origin", "none") and kind == "application/json"


@stream_request_body
class AskHandler(RequestHandler):
    """One question."""

    waiting: Future | None = None
    stall: Stall | None = None
    client = ""
    taken = 0  # bytes of ROOM

    def prepare(self) -> None:
        self.body, self.client = bytearray(), hosts.client(self.request)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        if self.request.method != "POST":
            return
        length = self.request.headers.get("Content-Length", "0")
        if not from_here(self.request):
            self.refuse(403, STRANGE)
        elif not length.isdecimal() or int(length) > compare_request.BODY_BYTES:
            self.refuse(413, TOO_LONG)
        else:
            self.expect_more()

    def expect_more(self) -> None:
        """A longer body than any other page takes, and a slow one, as long as it does not stall."""
        connection = self.request.connection
        assert isinstance(connection, HTTP1Connection)
        connection.set_max_body_size(compare_request.BODY_BYTES)
        connection.set_body_timeout(BODY_SECONDS)
        self.stall = Stall(connection)

    def data_received(self, chunk: bytes) -> None:
        size = len(self.body) + len(chunk)
        if self._finished:
            return
        if size > compare_request.BODY_BYTES:
            return self.refuse(413, TOO_LONG)
        if size > SMALL_BYTES and not ROOM.take(self.client, size - self.taken):
            return self.refuse(503, BUSY)
        self.taken = size if size > SMALL_BYTES else 0
        self.body += chunk
        if self.stall:
            self.stall.again()

    async def post(self) -> None:
        """The answer of a worker, or why there is none."""
        if self.stall:
            self.stall.over()
        body, self.body = bytes(self.body), bytearray()
        try:
            self.waiting = workers.pool().submit(compare_request.Question(body), self.client)
            found = await asyncio.wrap_future(self.waiting)
        except workers.Stopped as why:
            return self.refuse(422, str(why))
        except asyncio.CancelledError:
            return None
        if isinstance(found, render_job.Refusal):
            return self.refuse(422, found.sentence)
        self.write(found)

    def refuse(self, status: int, sentence: str) -> None:
        if not self._finished:
            self.set_status(status)
            self.finish({"sentence": sentence})

    def on_finish(self) -> None:
        """Whatever came of it, its bytes are nobody's any more."""
        self.body = bytearray()
        if self.stall:
            self.stall.over()
        ROOM.free(self.client, self.taken)
        self.taken = 0

    def on_connection_close(self) -> None:
        """Nobody waits any more: whoever works on it may stop."""
        self.on_finish()
        if self.waiting and not self.waiting.done():
            workers.pool().cancel(self.waiting)
