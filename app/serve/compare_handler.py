"""POST /compare/ask on the live server: the page's question goes to a worker process, its answer comes back as JSON.

Only the server's own pages may ask. What cannot be answered is one sentence with a status that is no success.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from urllib.parse import urlsplit

from tornado.httputil import HTTPServerRequest
from tornado.web import RequestHandler, stream_request_body

from cutaway.app.compare import request as compare_request
from cutaway.app.render import job as render_job
from cutaway.app.render import workers
from cutaway.gallery.spec import ConfigError

PATH = r"/compare/ask"
STRANGE = "This address answers the compare page of this very server alone."
TOO_LONG = f"A request of more than {compare_request.BODY_BYTES:,} bytes is not read."


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

    def prepare(self) -> None:
        self.body = bytearray()
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        if self.request.method != "POST":
            return
        length = self.request.headers.get("Content-Length", "0")
        if not from_here(self.request):
            self.refuse(403, STRANGE)
        elif not length.isdecimal() or int(length) > compare_request.BODY_BYTES:
            self.refuse(413, TOO_LONG)

    def data_received(self, chunk: bytes) -> None:
        if len(self.body) + len(chunk) > compare_request.BODY_BYTES:
            self.refuse(413, TOO_LONG)
        elif not self._finished:
            self.body += chunk

    async def post(self) -> None:
        """The answer of a worker, or why there is none."""
        try:
            self.waiting = workers.pool().submit(compare_request.asked(bytes(self.body)))
            found = await asyncio.wrap_future(self.waiting)
        except (ConfigError, workers.Stopped) as why:
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

    def on_connection_close(self) -> None:
        """Nobody waits any more: whoever works on it may stop."""
        if self.waiting and not self.waiting.done():
            workers.pool().cancel(self.waiting)
