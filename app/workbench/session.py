"""The workbench's session: an address or a pasted config -> a drawing, facts, and a plot beside two other models.

The last good drawing stays when something cannot be read; the sentence that says why stands above it.
A catalogued model is drawn here; a stranger's config in a worker process, which ends at a limit
(app/render/workers.py).
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from cutaway import gallery
from cutaway.app.compare.request import MOST_PASTED
from cutaway.app.model.view import SpecView
from cutaway.app.render import job as render_job
from cutaway.app.render import workers
from cutaway.app.render.job import RenderedModel, Request
from cutaway.app.serve import hosts
from cutaway.app.workbench import url as workbench_url
from cutaway.app.workbench.bridge import Bench
from cutaway.app.workbench.hub_queue import HUB_QUEUE
from cutaway.app.workbench.plot import CONTEXTS as PLOTTED
from cutaway.app.workbench.plot import CachePlot
from cutaway.app.workbench.url import CONTEXTS, START, WorkbenchState
from cutaway.gallery import catalog
from cutaway.gallery.hub.repo_address import HubError


class Session:
    """One reader's workbench."""

    def __init__(self, site, search: str, document):
        self.document, self.client = document, hosts.session_client(document)
        self.site, self.plot = site, CachePlot()
        self.view: SpecView | RenderedModel | None = None
        self.turn = 0  # of states: an answer to one before is dropped
        self.asked = self.stands = WorkbenchState("")  # what is wished now, and what `view` is of
        self.request: Request | None = None  # what `view` was drawn from, where a worker drew it
        self.drawing: Future | None = None  # what a worker is at
        self.bench = Bench(search=search, width=0, height=0, margin=0)
        self.bench.param.watch(self._moved, "search")
        self.bench.param.watch(self._pressed, "again")
        self.bench.param.watch(lambda event: self.plot.paint(event.new), "dark")
        self.bench.param.watch(lambda event: self.bench.param.update(pong=event.new), "ping")

    # ------------------------------------------------------------ what the reader does

    def start(self) -> None:
        """Fill the first page: a catalogued model at once, anything else when the page is there."""
        wanted = self._state().model
        if self._known(wanted):
            self.asked = WorkbenchState(wanted)  # an edited one follows when the page is there
            self._from_catalog(self.asked)
        else:
            self._from_catalog(WorkbenchState(START))
            self.bench.status = f"Asking the Hub for {wanted} …"
            self.bench.busy = True

    def loaded(self) -> None:
        """The page is open: now the network may be asked, and a worker gets ready for what will be pasted."""
        workers.pool().submit(None, self.client)
        self.document.on_session_destroyed(self._left)
        if self._state() != self.asked:
            self._open()

    def _moved(self, event) -> None:
        if self._state() != self.asked:
            self._open()
        else:
            status: dict[str, Any] = {} if self.bench.busy else {"status": self._compared()}
            self._compare(**status)

    def _pressed(self, event) -> None:
        if self.bench.error:
            self._open()

    def _left(self, context) -> None:
        """The reader is gone: nobody waits for a drawing or the Hub any more."""
        self.turn += 1
        self._forget()
        HUB_QUEUE.drop(self)

    # ------------------------------------------------------------ opening

    def _open(self) -> None:
        """What stands here already, what was pasted, a catalogued model from its snapshot; all else is the Hub's."""
        state = self.asked = self._state()
        self.turn += 1
        self._forget()
        HUB_QUEUE.drop(self)
        self.bench.instead = {}
        if state == self.stands:
            self._compare(status=f"{self._title()} is drawn.", error="", busy=False)
        elif state.pasted:
            self._from_paste(state)
        elif not self._known(state.model):
            self._from_hub(state)
        elif state.edits:
            self._edited(state)
        else:
            self._from_catalog(state)

    def _from_paste(self, state: WorkbenchState) -> None:
        text = self.bench.pasted.get("text", "")
        if len(text) > MOST_PASTED:
            says = f"That text has {len(text):,} characters; more than {MOST_PASTED:,} are not read."
            return self._say(says, unread=True)
        source = "Pasted here; it went no further than this server."
        self._work(state, Request(text, "Your config", source, edits=state.edits), "your config")

    def _from_hub(self, state: WorkbenchState) -> None:
        """The Hub is asked beside us (hub_queue.py), so that nobody waits."""
        turn = self.turn
        self.bench.param.update(status=f"Asking the Hub for {state.model} …", busy=True, error="")

        def answered(future) -> None:
            if not future.cancelled():
                self.document.add_next_tick_callback(lambda: self._answered(turn, state, future))

        asked = HUB_QUEUE.ask(self, state.model, token=hosts.may_use_token(self.document))
        asked.add_done_callback(answered)

    def _answered(self, turn: int, state: WorkbenchState, future) -> None:
        """The Hub's answer, back under the document's lock; one that the reader no longer waits for is dropped."""
        if turn != self.turn:
            return
        try:
            fetched = future.result()
        except (HubError, gallery.ConfigError) as error:
            return self._say(str(error))
        self._work(state, Request(fetched.config, fetched.repo, fetched.source, edits=state.edits), fetched.repo)

    def _known(self, wanted: str) -> bool:
        row = catalog.find(wanted)
        return row is not None and row.snapshot is not None

    def _from_catalog(self, state: WorkbenchState) -> None:
        row = catalogued_row(state.model)
        view = self.site.view(row.slug)
        if view.spec is None:
            return self._say(view.error)
        self._show(state, view, catalogued(self.site, row.slug))

    def _edited(self, state: WorkbenchState) -> None:
        """A catalogued model with other numbers: a worker draws it, and what stands here stays until it has."""
        row = catalogued_row(state.model)
        page = f"/models/{row.slug}/?{urlencode({'edit': state.edits}, safe='/,:@')}"
        asked = Request(
            catalog.load(row.slug), row.title, catalog.provenance(row.slug), (), state.edits, page, row.slug
        )
        self._work(state, asked, row.title)

    def _work(self, state: WorkbenchState, request: Request, what: str) -> None:
        """Have a worker read and draw it; whatever goes wrong is one sentence."""
        self._forget()
        turn, contexts = self.turn, {*PLOTTED, *dict(CONTEXTS), self._context()}
        request = request._replace(contexts=tuple(sorted(contexts)))
        self.bench.param.update(status=f"Drawing {what} …", busy=True, error=self._error(state))
        self.drawing = workers.pool().submit(request, self.client)

        def settled(future: Future) -> None:
            if turn == self.turn:
                self.document.add_next_tick_callback(lambda: self._worked(state, request, future))

        self.drawing.add_done_callback(settled)

    def _worked(self, state: WorkbenchState, request: Request, future: Future) -> None:
        """What the worker made of it, back under the document's lock; nothing where the reader wants another by now."""
        if future is not self.drawing:
            return
        self.drawing = None
        try:
            found = future.result()
        except workers.Stopped as stopped:
            return self._say(str(stopped))
        if isinstance(found, render_job.Refusal):
            self._say(found.sentence, found.unread)
            return None if found.unread or not state.edits else self._unedited(state, request)
        self.request = request
        self._show(state, found, found.html)

    def _unedited(self, state: WorkbenchState, request: Request) -> None:
        """Edits were refused: below the sentence stands what they were of."""
        plain = state._replace(edits="")
        if (plain.model, plain.pasted) == (self.stands.model, self.stands.pasted):
            return
        if self._known(plain.model):
            self._from_catalog(plain)
        else:
            self._work(plain, request._replace(edits=""), request.title)

    def _forget(self) -> None:
        """Another state: who draws for the one before may stop."""
        if self.drawing and not self.drawing.done():
            workers.pool().cancel(self.drawing)
        self.drawing = None

    # ------------------------------------------------------------ what the reader sees

    def _say(self, sentence: str, unread: bool = False) -> None:
        """Why it is not drawn; where a pasted text is no config, what stands here is what can be edited."""
        if unread and self.asked.pasted:
            self.bench.instead = {"model": self.stands.model, "pasted": self.stands.pasted}
        self.bench.param.update(error=sentence, status="", busy=False)
        if self.view and self._counted():
            self._compare()

    def _error(self, state: WorkbenchState) -> str:
        """What is still wrong when this is drawn: a sentence about another one stays."""
        return "" if state == self.asked else self.bench.error

    def _show(self, state: WorkbenchState, view: SpecView | RenderedModel, parts: dict[str, str]) -> None:
        self.view, self.stands = view, state
        status = f"{view.title} is drawn."
        self._compare(parts, title=view.title, status=status, error=self._error(state), busy=False)

    def _title(self) -> str:
        return self.view.title if self.view else ""

    def _counted(self) -> bool:
        """Whether the view knows what it keeps at the context that is asked for."""
        return not isinstance(self.view, RenderedModel) or self._context() in self.view.kept

    def _compare(self, parts: dict[str, str] | None = None, **more: Any) -> None:
        """The plot and the table below it: this model and the two beside it."""
        beside, context = self._beside(), self._context()
        if not self._counted():
            if self.drawing or self.request is None:
                return
            return self._work(self.stands, self.request, self._title())
        views = [self.view, *(self.site.view(slug) for slug in beside if slug)]
        views = [view for index, view in enumerate(views) if view not in views[:index]]
        contexts = self._contexts(context)
        table = self.site.render("workbench/figures.html", "/app", views=views, contexts=contexts, chosen=context)
        self.plot.show(views, context)
        shown = {**self.bench.html, **(parts or {}), "figures": table}
        self.bench.param.update(html=shown, beside=beside, context=context, **more)

    def _compared(self) -> str:
        """What the reader has just changed, in a sentence: what stands beside what, or nothing."""
        if (self._beside(), self._context()) == (self.bench.beside, self.bench.context):
            return f"{self._title()} is drawn."
        beside = " and ".join(self.site.view(slug).title for slug in self._beside() if slug) or "nothing"
        return f"{self._title()} beside {beside}, at {self._context():,} tokens."

    # ------------------------------------------------------------ the address

    def _state(self) -> WorkbenchState:
        return workbench_url.state(self.bench.search, self.bench.pasted.get("turn", 0))

    def _beside(self) -> list[str]:
        return [slug if slug and self.site.view(slug).spec else "" for slug in workbench_url.beside(self.bench.search)]

    def _context(self) -> int:
        return workbench_url.context(self.bench.search)

    def _contexts(self, context: int) -> list[tuple[int, str]]:
        known = dict(CONTEXTS)
        return sorted({**known, context: known.get(context, f"{context:,}")}.items())


def catalogued_row(wanted: str) -> catalog.CatalogModel:
    """The row of a model that is known to be here."""
    row = catalog.find(wanted)
    assert row is not None
    return row


@lru_cache(64)
def catalogued(site, slug: str) -> dict[str, str]:
    """The page's parts for a catalogued model, which many readers ask for."""
    view = site.view(slug)
    return render_job.parts(site, view, catalog.provenance(slug), view.path)
