"""Pages of the live server: rendered off the event loop, and kept gzipped in a cache of bounded size.

A page takes milliseconds or seconds to render. Two threads do it, so that a request for a kept page never waits, and
clients take turns, so that a crawler does not hold up anybody else.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import NamedTuple

from cutaway.app.render.turns import Turns
from cutaway.app.site.pages import Page

MOST_BYTES = 48_000_000  # kept in all; the whole site has 29 MB
THREADS = 2  # one of them for whoever comes beside a crawler
LINE, PER_CLIENT_LINE = 2048, 256
COMPRESSIBLE = ("text/", "application/json", "application/xml", "image/svg", "application/atom")


class Full(Exception):
    """Too many pages are being requested at once."""


class Sent(NamedTuple):
    """A page as it is kept: gzipped where that helps."""

    body: bytes
    packed: bool
    etag: str

    @property
    def plain(self) -> bytes:
        return gzip.decompress(self.body) if self.packed else self.body


def made(page: Page) -> Sent:
    """A page, rendered now."""
    body = page.content()
    packed = page.type.startswith(COMPRESSIBLE)
    etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return Sent(gzip.compress(body, 6, mtime=0) if packed else body, packed, etag)


class PageCache:
    """Pages by their path; what was asked for longest ago goes first when they have more than `most` bytes."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most, self.bytes = most, 0
        self.pages: OrderedDict[str, Sent] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, path: str) -> Sent | None:
        with self.lock:
            if path in self.pages:
                self.pages.move_to_end(path)
            return self.pages.get(path)

    def put(self, path: str, sent: Sent) -> None:
        with self.lock:
            self._drop(path)
            if len(sent.body) > self.most:
                return
            self.pages[path] = sent
            self.bytes += len(sent.body)
            while self.bytes > self.most:
                self._drop(next(iter(self.pages)))

    def clear(self) -> None:
        with self.lock:
            self.pages.clear()
            self.bytes = 0

    def _drop(self, path: str) -> None:
        if sent := self.pages.pop(path, None):
            self.bytes -= len(sent.body)


class Asked(Future):
    """A page to come."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class PageMaker:
    """Threads that make pages by `make`, each client's in its turn, and keep them."""

    def __init__(self, make: Callable[[str], Sent], kept: PageCache | None = None, threads: int = THREADS) -> None:
        self.make, self.kept = make, kept or PageCache()
        self.turns: Turns[Asked] = Turns(LINE, PER_CLIENT_LINE)
        self.changed, self.left = threading.Condition(), threads

    def ask(self, path: str, client: Hashable) -> Future:
        """The page to come, or Full."""
        asked = Asked(path)
        with self.changed:
            if self.turns.add(client, asked):
                self._start()
                self.changed.notify_all()
                return asked
        asked.set_exception(Full())
        return asked

    def cancel(self, asked: Future) -> None:
        """Nobody waits for it; one that is being made is made and kept."""
        asked.cancel()
        with self.changed:
            self.turns.drop(asked)  # type: ignore[arg-type] # ask() gave it

    def _start(self) -> None:
        while self.left:
            self.left -= 1
            threading.Thread(target=self._work, name="pages", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self.changed:
                while (turn := self.turns.take(1)) is None:
                    self.changed.wait()
            client, asked = turn
            if asked.set_running_or_notify_cancel():
                self._settle(asked)
            with self.changed:
                self.turns.done(client)
                self.changed.notify_all()

    def _settle(self, asked: Asked) -> None:
        """The page, which another may have asked for and got meanwhile."""
        try:
            sent = self.kept.get(asked.path)
            if sent is None:
                sent = self.make(asked.path)
                self.kept.put(asked.path, sent)
        except Exception as fault:  # the handler's, to answer 500 and to log
            asked.set_exception(fault)
        else:
            asked.set_result(sent)
