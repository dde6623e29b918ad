"""The site's pages behind Panel's server: the same list that build/site.py writes, rendered when asked for.

`install()` runs while `panel serve app/` loads app_hooks.py, before Bokeh reads its URL tables. It may run many times.
Bokeh keeps /static/, Panel keeps /app; every other path is ours.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import sys
from functools import cache
from urllib.parse import unquote, urlsplit

import bokeh.server.server
from bokeh.server import urls
from panel.io.server import AutoloadJsHandler, DocHandler, WSHandler
from tornado.web import RequestHandler
from tornado.websocket import WebSocketClosedError

from cutaway.app.serve import compare_handler, hosts
from cutaway.app.site import Site
from cutaway.app.site.pages import STRICT, Page, all_pages

# What the workbench may load: Bokeh compiles templates and imports widgets from blobs, but from this host only.
BENCH_CSP = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self' ws: wss: blob: data:; base-uri 'none'"
)
COMPRESSIBLE = ("text/", "application/json", "application/xml", "image/svg", "application/atom")


@cache
def site() -> Site:
    return Site(live=True)


@cache
def table() -> dict[str, Page]:
    """Every page by its path; listing them renders none."""
    return {page.path: page for page in all_pages(site())}


@cache
def rendered(path: str) -> tuple[bytes, bytes | None, str]:
    """(body, gzipped body, ETag) of a page."""
    page = table()[path]
    body = page.content()
    packed = gzip.compress(body, 6, mtime=0) if page.type.startswith(COMPRESSIBLE) else None
    return body, packed, f'"{hashlib.sha256(body).hexdigest()[:20]}"'


class SiteHandler(RequestHandler):
    """GET and HEAD of the site's pages and files."""

    def get(self, path: str = "") -> None:
        path = "/" + unquote(path).lstrip("/")
        if path not in table():
            if path + "/" in table():
                query = f"?{self.request.query}" if self.request.query else ""
                return self.redirect(f"{path.rsplit('/', 1)[1]}/{query}")
            return self.missing(path)
        if "--dev" in sys.argv or "--autoreload" in sys.argv:
            rendered.cache_clear()
        self.send(table()[path], *rendered(path))

    head = get

    def send(self, page: Page, body: bytes, packed: bytes | None, etag: str) -> None:
        self.set_header("Content-Type", f"{page.type}; charset=utf-8" if packed else page.type)
        self.set_header("Etag", etag)
        fixed = page.path.startswith("/assets/") and self.get_query_argument("v", "")
        self.set_header("Cache-Control", "max-age=31536000, immutable" if fixed else "no-cache")
        framed = "; frame-ancestors *" if page.path.startswith("/embed/") else ""
        if (page.type == "text/html" or page.csp is not STRICT) and (policy := page.policy + framed):
            self.set_header("Content-Security-Policy", policy)
        if self.check_etag_header():
            return self.set_status(304)
        if packed:
            self.set_header("Vary", "Accept-Encoding")
            if "gzip" in self.request.headers.get("Accept-Encoding", ""):
                self.set_header("Content-Encoding", "gzip")
                body = packed
        self.write(body)

    def missing(self, path: str) -> None:
        """The 404 page, with links that are right from wherever the reader is."""
        self.set_status(404)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", table()["/404.html"].policy)
        self.write(site().render("home/404.html", path))


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
    """Panel's socket; a page opened as 127.0.0.1 is as local as one opened as localhost."""

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
    vars(bokeh.server.server)["BokehTornado"] = hosts.Guarded
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
        rendered(path)
