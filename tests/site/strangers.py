"""A page on another origin that frames embeds, under a policy of its own, and what a reader finds cut off there."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

WIDTHS = (320, 360, 390, 480, 640, 800, 1000, 1200)
GUTTER = 8  # on both sides of a post
INSIDE = """() => { const root = document.documentElement;
  return { ready: !document.querySelector("[data-widget]:not([data-ready])"),
           height: root.clientHeight, wants: root.scrollHeight, width: root.clientWidth, wide: root.scrollWidth,
           content: Math.ceil(root.getBoundingClientRect().height) }; }"""


@contextmanager
def blog(files: dict[str, str], policy: str) -> Iterator[str]:
    """The address of a server that knows these files alone, each under the policy."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header(
                "Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html; charset=utf-8"
            )
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()


def post(body: str) -> str:
    """A plain page of a blog."""
    head = '<head><meta charset="utf-8"><title>A post</title></head>'
    return f'<!doctype html><html lang="en">{head}<body>{body}</body></html>'


def small(page: Page) -> None:
    """The whole post on one screen, for a browser draws no frame that is far below it; frames keep their widths."""
    page.evaluate("Object.assign(document.body.style, { transform: 'scale(0.006)', transformOrigin: '0 0' }) && null")


def frames(page: Page) -> dict[str, dict]:
    """Path of each embed -> what it has and what it wants; {} while one is not there yet."""
    found = {}
    for frame in page.frames[1:]:
        try:
            found[frame.url.split("/embed/")[1]] = frame.evaluate(INSIDE)
        except Exception:  # it is loading another page
            return {}
    return found


def wrong(found: dict[str, dict], count: int) -> dict[str, str]:
    """What is cut off or scrolls."""
    if len(found) != count:
        return {"": f"{len(found)} of {count} frames"}
    return {
        name: f"{one['wants']} x {one['wide']} in {one['height']} x {one['width']}"
        for name, one in found.items()
        if not one["ready"] or one["wants"] > one["height"] or one["wide"] > one["width"]
    }


def fits(page: Page, width: int, count: int, seconds: float = 120.0) -> dict[str, str]:
    """What is still wrong with the embeds of a page at this width once they have had time; {} when all is well.

    Nothing that stays as it is for ten seconds while every embed is ready will come right.
    """
    small(page)
    page.set_viewport_size({"width": width + 2 * GUTTER, "height": 900})
    since = start = time.monotonic()
    before: dict[str, dict] = {}
    while True:
        page.wait_for_timeout(100)
        now = frames(page)
        problems = wrong(now, count)
        if not problems and now == before:
            return {}
        since = since if now == before else time.monotonic()
        ready = len(now) == count and all(one["ready"] for one in now.values())
        if time.monotonic() > (since + 10 if ready else start + seconds):
            return problems
        before = now
