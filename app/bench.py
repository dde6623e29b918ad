"""The workbench's session: an address or a pasted config -> a drawing, facts, and a plot beside two other models.

`Bench` is the bridge to the page (static/js/bench.js): `search` and `pasted` come in, everything else goes out.
The last good drawing stays when something cannot be read; the sentence that says why stands above it.
A catalogued model is drawn here; a stranger's config in a worker process, which ends at a limit (workers.py).
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import param
from panel.custom import AnyWidgetComponent

import gallery
from app import drawn, hosts, workers
from app.asked import MOST_PASTED
from app.asking import DESK
from app.drawn import Drawn, Request
from app.plot import CONTEXTS as PLOTTED
from app.plot import CachePlot
from app.view import SpecView
from gallery import catalog
from gallery.hub.repo_address import HubError

START = "deepseek-ai/DeepSeek-V3"
BESIDE = ("meta-llama/Llama-3.1-70B", "Qwen/Qwen3-Next-80B-A3B-Instruct")
CONTEXTS = ((8192, "8k"), (32768, "32k"), (131072, "128k"), (262144, "256k"), (1048576, "1M"))
MOST_CONTEXT = 1 << 30


class Bench(AnyWidgetComponent):
    """What the page and the session tell each other."""

    _esm = (Path(__file__).resolve().parent.parent / "static" / "js" / "bench.js").read_text()

    search = param.String(doc="the query of the page's address")
    pasted = param.Dict(default={}, doc="{text, turn} of a pasted or dropped config.json")
    again = param.Integer(default=0, doc="the reader pressed Draw, maybe on the same address")
    ping = param.Integer(default=0, doc="counts what the reader did")
    pong = param.Integer(default=0, doc="as far as the session has heard it")
    dark = param.Boolean(default=False)
    html = param.Dict(default={}, doc="element id -> markup")
    status = param.String()
    error = param.String()
    busy = param.Boolean(default=False)
    title = param.String()
    beside = param.List(default=["", ""])
    context = param.Integer(default=CONTEXTS[2][0])


class Session:
    """One reader's workbench."""

    def __init__(self, site, search: str, document):
        self.document = document
        self.site, self.plot, self.view = site, CachePlot(), None
        self.asked, self.turn = None, 0
        self.request: Request | None = None  # what `view` was drawn from, where a worker drew it
        self.drawing: Future | None = None  # what a worker is at
        self.bench = Bench(search=search, width=0, height=0, margin=0)
        self.bench.param.watch(self._moved, "search")
        self.bench.param.watch(self._pressed, "again")
        self.bench.param.watch(self._pasted, "pasted")
        self.bench.param.watch(lambda event: self.plot.paint(event.new), "dark")
        self.bench.param.watch(lambda event: self.bench.param.update(pong=event.new), "ping")

    # ------------------------------------------------------------ what the reader does

    def start(self) -> None:
        """Fill the first page: a catalogued model at once, anything else when the page is there."""
        wanted = self._wanted() or START
        if self._known(wanted):
            self.asked = (wanted, "")  # an edited one follows when the page is there
            self._from_catalog(wanted)
        else:
            self._from_catalog(START)
            self.bench.status = f"Asking the Hub for {wanted} …"
            self.bench.busy = True

    def loaded(self) -> None:
        """The page is open: now the network may be asked, and a worker gets ready for what will be pasted."""
        workers.pool().submit(None)
        self.document.on_session_destroyed(self._left)
        if self._wanted() and self._asks() != self.asked:
            self._open(self._wanted())

    def _moved(self, event) -> None:
        wanted = self._wanted()
        if wanted and self._asks() != self.asked:
            self._open(wanted)
        elif not wanted and self.request and self._edits() != self.request.edits:
            self._work(self.request._replace(edits=self._edits()), "your config")
        else:
            self._compare(**({} if self.bench.busy else {"status": self._compared()}))

    def _pressed(self, event) -> None:
        if self._wanted() and self.bench.error:
            self._open(self._wanted())

    def _pasted(self, event) -> None:
        text = event.new.get("text", "")
        self.asked, self.turn = None, self.turn + 1
        self._forget()
        DESK.drop(self)
        if len(text) > MOST_PASTED:
            return self._say(f"That text has {len(text):,} characters; more than {MOST_PASTED:,} are not read.")
        source = "Pasted here; it went no further than this server."
        self._work(Request(text, "Your config", source, edits=self._edits()), "your config")

    def _left(self, context) -> None:
        """The reader is gone: nobody waits for a drawing or the Hub any more."""
        self.turn += 1
        self._forget()
        DESK.drop(self)

    # ------------------------------------------------------------ opening

    def _open(self, wanted: str) -> None:
        """A catalogued model from its snapshot, anything else from the Hub (asking.py), so that nobody waits."""
        self.asked, self.turn = self._asks(), self.turn + 1
        self._forget()
        DESK.drop(self)
        if self._known(wanted):
            return self._edited(wanted, self._edits()) if self._edits() else self._from_catalog(wanted)
        turn = self.turn
        self.bench.param.update(status=f"Asking the Hub for {wanted} …", busy=True, error="")

        def answered(future) -> None:
            if not future.cancelled():
                self.document.add_next_tick_callback(lambda: self._answered(turn, future))

        DESK.ask(self, wanted, token=hosts.may_use_token(self.document)).add_done_callback(answered)

    def _answered(self, turn: int, future) -> None:
        """The Hub's answer, back under the document's lock; one that the reader no longer waits for is dropped."""
        if turn != self.turn:
            return
        try:
            fetched = future.result()
        except (HubError, gallery.ConfigError) as error:
            return self._say(str(error))
        self._work(Request(fetched.config, fetched.repo, fetched.source, edits=self._edits()), fetched.repo)

    def _known(self, wanted: str) -> bool:
        row = catalog.find(wanted)
        return row is not None and row.snapshot is not None

    def _from_catalog(self, wanted: str) -> None:
        row = catalog.find(wanted)
        view = self.site.view(row.slug)
        if view.spec is None:
            return self._say(view.error)
        self._show(view, catalogued(self.site, row.slug))

    def _edited(self, wanted: str, edits: str) -> None:
        """A catalogued model with other numbers: a worker draws it, and what stands here stays until it has."""
        row = catalog.find(wanted)
        page = f"/models/{row.slug}/?{urlencode({'edit': edits}, safe='/,:@')}"
        self._work(Request(catalog.load(row.slug), row.title, catalog.provenance(row.slug), (), edits, page), row.title)

    def _work(self, request: Request, what: str) -> None:
        """Have a worker read and draw it; whatever goes wrong is one sentence."""
        self._forget()
        turn, contexts = self.turn, {*PLOTTED, *dict(CONTEXTS), self._context()}
        request = request._replace(contexts=tuple(sorted(contexts)))
        self.bench.param.update(status=f"Drawing {what} …", busy=True, error="")
        self.drawing = workers.pool().submit(request)

        def settled(future: Future) -> None:
            if turn == self.turn:
                self.document.add_next_tick_callback(lambda: self._worked(request, future))

        self.drawing.add_done_callback(settled)

    def _worked(self, request: Request, future: Future) -> None:
        """What the worker made of it, back under the document's lock; nothing where the reader wants another by now."""
        if future is not self.drawing:
            return
        self.drawing = None
        try:
            found = future.result()
        except workers.Stopped as stopped:
            return self._say(str(stopped))
        if isinstance(found, drawn.Refused):
            return self._say(found.sentence)
        self.request = request
        self._show(found, found.html)

    def _forget(self) -> None:
        """Another wish: who draws for the one before may stop."""
        if self.drawing and not self.drawing.done():
            workers.pool().cancel(self.drawing)
        self.drawing = None

    # ------------------------------------------------------------ what the reader sees

    def _say(self, sentence: str) -> None:
        self.bench.param.update(error=sentence, status="", busy=False)

    def _show(self, view: SpecView | Drawn, parts: dict[str, str]) -> None:
        self.view = view
        self._compare(parts, title=view.title, status=f"{view.title} is drawn.", error="", busy=False)

    def _compare(self, parts: dict[str, str] | None = None, **more) -> None:
        """The plot and the table below it: this model and the two beside it."""
        beside, context = self._beside(), self._context()
        if isinstance(self.view, Drawn) and context not in self.view.kept:
            return None if self.drawing else self._work(self.request, self.view.title)
        views = [self.view, *(self.site.view(slug) for slug in beside if slug)]
        views = [view for index, view in enumerate(views) if view not in views[:index]]
        contexts = self._contexts(context)
        table = self.site.render("bench_figures.html", "/app", views=views, contexts=contexts, chosen=context)
        self.plot.show(views, context)
        shown = {**self.bench.html, **(parts or {}), "figures": table}
        self.bench.param.update(html=shown, beside=beside, context=context, **more)

    def _compared(self) -> str:
        """What the reader has just changed, in a sentence: what stands beside what, or nothing."""
        if (self._beside(), self._context()) == (self.bench.beside, self.bench.context):
            return f"{self.view.title} is drawn."
        beside = " and ".join(self.site.view(slug).title for slug in self._beside() if slug) or "nothing"
        return f"{self.view.title} beside {beside}, at {self._context():,} tokens."

    # ------------------------------------------------------------ the address

    def _query(self, key: str) -> str:
        return parse_qs(self.bench.search.lstrip("?")).get(key, [""])[0].strip()

    def _wanted(self) -> str:
        return self._query("model")

    def _edits(self) -> str:
        """What it is to have instead: heads:64,layers:40."""
        return self._query("edit")

    def _asks(self) -> tuple[str, str]:
        return self._wanted(), self._edits()

    def _beside(self) -> list[str]:
        """Slugs of the two beside, each in its place; "none" for neither, ours where the address says nothing."""
        named = self._query("vs")
        slugs = [] if named == "none" else named.split(",") if named else BESIDE
        rows = [catalog.find(slug) for slug in [*slugs, "", ""][:2]]
        return [row.slug if row and self.site.view(row.slug).spec else "" for row in rows]

    def _context(self) -> int:
        asked = self._query("context")
        return int(asked) if asked.isdecimal() and 0 < int(asked) <= MOST_CONTEXT else CONTEXTS[2][0]

    def _contexts(self, context: int) -> list[tuple[int, str]]:
        known = dict(CONTEXTS)
        return sorted({**known, context: known.get(context, f"{context:,}")}.items())


@lru_cache(64)
def catalogued(site, slug: str) -> dict[str, str]:
    """The page's parts for a catalogued model, which many readers ask for."""
    view, row = site.view(slug), catalog.find(slug)
    return drawn.parts(site, view, catalog.provenance(slug), view.path, row.reconstructed)
