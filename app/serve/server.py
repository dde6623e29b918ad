"""The site's pages behind Panel's server: the same list that build/site.py writes, rendered when asked for.

`install()` runs while `panel serve app/` loads app_hooks.py, before Bokeh reads its URL tables. It may run many times.
Bokeh keeps /static/, Panel keeps /app; every other path is ours.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import time
from concurrent.futures import Future
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import bokeh.server.server
from bokeh.server import urls
from bokeh.util.token import check_token_signature, get_session_id, get_token_payload
from panel.io.server import AutoloadJsHandler, DocHandler, WSHandler
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError

from cutaway.app.home.page import missing_page
from cutaway.app.packed import page as packed
from cutaway.app.serve import compare_handler, hosts, page_cache
from cutaway.app.serve.connections import PatientServer
from cutaway.app.serve.page_cache import Full, PageMaker, Sent
from cutaway.app.site import Site
from cutaway.app.site.pages import STRICT, Page, all_pages

# What the workbench may load: Bokeh compiles templates and imports widgets from blobs, but from this host only.
BENCH_CSP = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' ws: wss: blob: data:; base-uri 'none'"
)
STRANGE = "This address is the workbench's: open /app.\n"
FULL = "Too many pages are being requested at once. Try again in a few seconds.\n"


@cache
def site() -> Site:
    return Site(live=True)


@cache
def table() -> dict[str, Page]:
    """Every page by its path; listing them renders none."""
    return {page.path: page for page in all_pages(site())}


def make(path: str) -> Sent:
    """A page, rendered now."""
    return page_cache.made(table()[path])


@cache
def pages() -> PageMaker:
    """What makes this server's pages, and keeps them."""
    return PageMaker(make)


class SiteHandler(RequestHandler):
    """GET and HEAD of the site's pages and files."""

    waiting: Future | None = None

    async def get(self, path: str = "") -> None:
        path = "/" + unquote(path).lstrip("/")
        if path not in table():
            if path + "/" in table():
                query = f"?{self.request.query}" if self.request.query else ""
                return self.redirect(f"{path.rsplit('/', 1)[1]}/{query}")
            return self.missing(path)
        if "--dev" in sys.argv or "--autoreload" in sys.argv:
            pages().kept.clear()
        if sent := pages().kept.get(path) or await self.made(path):
            self.send(table()[path], sent)

    head = get

    async def made(self, path: str) -> Sent | None:
        """The page when its turn has come; None where there is no room in the line, or nobody waits any more."""
        self.waiting = pages().ask(path, hosts.client(self.request))
        try:
            return await asyncio.wrap_future(self.waiting)
        except asyncio.CancelledError:
            return None
        except Full:
            self.set_status(503)
            self.set_header("Retry-After", "5")
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.write(FULL)
            return None

    def on_connection_close(self) -> None:
        """Nobody waits any more."""
        if self.waiting:
            pages().cancel(self.waiting)

    def send(self, page: Page, sent: Sent) -> None:
        self.set_header("Content-Type", f"{page.type}; charset=utf-8" if sent.packed else page.type)
        self.set_header("Etag", sent.etag)
        fixed = page.path.startswith("/assets/") and self.get_query_argument("v", "")
        self.set_header("Cache-Control", "max-age=31536000, immutable" if fixed else "no-cache")
        framed = "; frame-ancestors *" if page.path.startswith("/embed/") else ""
        if (page.type == "text/html" or page.csp is not STRICT) and (policy := page.policy + framed):
            self.set_header("Content-Security-Policy", policy)
        if self.check_etag_header():
            return self.set_status(304)
        body = sent.body
        if sent.packed:
            self.set_header("Vary", "Accept-Encoding")
            if "gzip" in self.request.headers.get("Accept-Encoding", ""):
                self.set_header("Content-Encoding", "gzip")
            else:
                body = sent.plain
        self.write(body)

    def missing(self, path: str) -> None:
        """The 404 page, with links that are right from wherever the reader is; a packed model's address is none."""
        self.set_status(200 if packed.slug_at(path) else 404)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", table()["/404.html"].policy)
        self.write(missing_page(site(), path))


class BenchHandler(DocHandler):
    """Panel's page for /app, held to this host."""

    def set_default_headers(self) -> None:
        super().set_default_headers()
        self.set_header("Content-Security-Policy", BENCH_CSP)

    async def head(self, *args, **kwargs) -> None:
        """What the page would say of itself; nobody who only asks for that gets a session."""
        self.set_header("Content-Type", "text/html")
        self.set_header("Cache-Control", "no-store")
        await self.flush()  # before finish() would claim a length of 0


class LocalSocket(WSHandler):
    """Panel's socket, for clients with a page's token; 127.0.0.1 is as local as localhost."""

    async def get(self, *args, **kwargs) -> None:
        if not self.has_token():
            self.set_status(403)
            self.finish(STRANGE)
        else:
            await super().get(*args, **kwargs)

    def has_token(self) -> bool:
        """Whether the request has an unexpired token of one of our pages; Bokeh checks only once the socket is open."""
        offered = [part.strip() for part in self.request.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        if len(offered) != 2 or offered[0] != "bokeh":
            return False
        app: Any = self.application
        try:
            if not get_session_id(offered[1]) or time.time() >= get_token_payload(offered[1])["session_expiry"]:
                return False
            return check_token_signature(offered[1], signed=app.sign_sessions, secret_key=app.secret_key)
        except Exception:  # any forged token
            return False

    def check_origin(self, origin: str) -> bool:
        try:
            netloc = urlsplit(origin).netloc
        except ValueError:
            return False
        local = hosts.name(netloc) in hosts.LOOPBACK and netloc == self.request.host
        return local or super().check_origin(origin)


def is_fault(record: logging.LogRecord) -> bool:
    """Whether asyncio complains of more than a reader who left while something was being written to them.

    Panel forgets what it was writing when a session ends (holoviz/panel#3341), and asyncio then logs a traceback.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], WebSocketClosedError))


def install() -> None:
    """Put our handlers into Bokeh's tables and our application in its server, once."""
    logging.getLogger("asyncio").addFilter(is_fault)
    vars(bokeh.server.server).update(BokehTornado=hosts.Guarded, HTTPServer=PatientServer)
    ours = (SiteHandler, BenchHandler, LocalSocket, compare_handler.AskHandler)
    swap: dict[type[RequestHandler], type[RequestHandler]] = {DocHandler: BenchHandler, WSHandler: LocalSocket}
    # Without autoload.js: it gives any page of any site a session of its own, and we have embeds for that.
    kept = [(route, handler) for route, handler, *_ in urls.per_app_patterns if handler is not AutoloadJsHandler]
    urls.per_app_patterns[:] = [(route, swap.get(handler, handler)) for route, handler in kept]
    rest = [entry for entry in urls.toplevel_patterns[1:] if entry[1] not in ours]
    urls.toplevel_patterns[:] = [
        (r"/?", SiteHandler),
        *rest,
        (compare_handler.PATH, compare_handler.AskHandler),
        (r"/(.*)", SiteHandler),
    ]


def warm() -> None:
    """Render what takes longest, before somebody waits for it: the gallery reads every model, explainers compute."""
    for path in ("/models/", *(path for path in table() if path.startswith("/learn/") and path.endswith("/"))):
        pages().ask(path, "this server").result()
    gc.freeze()  # a look through all of this takes a third of a second, and none of it ever goes
