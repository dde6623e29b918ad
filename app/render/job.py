"""A config that a stranger typed -> what the workbench shows of it: markup, and what it keeps at the plot's contexts.

`draw` runs in a worker process (worker.py), so that a config that takes too long harms nobody else; what it returns
travels through a pipe and stands in for a `SpecView` where the plot and its table ask for one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from cutaway import gallery
from cutaway.app.compare import request as compare_request
from cutaway.app.model import cache_rows, figures, tables
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import novelty
from cutaway.app.model_page.sharding import sharding
from cutaway.app.plan_page.page import as_text, told_of
from cutaway.app.render import cards
from cutaway.app.site import Site
from cutaway.gallery import catalog
from cutaway.gallery.catalog import missing_facts
from cutaway.gallery.comparing.novelty import Novelty
from cutaway.gallery.drawing.lit_svg import LAYOUTS
from cutaway.gallery.hub.json_text import lenient
from cutaway.gallery.spec import ModelSpec

LOG = logging.getLogger("cutaway.bench")
MOST_CHARACTERS = 4_000_000  # of a drawing with its tables: more stalls the page that it is sent to
MOST_BYTES = 384 << 20  # of a worker's memory; the largest catalogued config, of 3 MB, takes 72 MB
UNFORESEEN = "This config trips something here that should have been a clear sentence; it cannot be drawn yet."
CLI = "or draw it on your own machine with `cutaway draw`, which sets no limit"
TOO_MUCH = f"Look for a count that is far too large, {CLI}."


class Request(NamedTuple):
    """What is to be drawn: pasted text, or what the Hub sent, and the words around it."""

    config: str | dict
    title: str
    source: str
    contexts: tuple[int, ...] = ()
    edits: str = ""  # what it is to have instead: heads:64,layers:40
    page: str = ""  # of this site, where it has one
    slug: str = ""  # of the catalogue, where it has one
    at: str = "/app"  # the page that it is drawn for
    layouts: tuple[str, ...] = ()  # of a first view, those that the reader's window shows; none means all


class FirstView(Request):
    """Of a request, what is seen first."""


class Rest(Request):
    """Of the same request, what is further down."""


class Kept(NamedTuple):
    """As much of gallery's Memory as the plot and its table read."""

    total_bytes: int


@dataclass(frozen=True)
class RenderedModel:
    """What came of a request."""

    title: str
    html: dict[str, str]
    kept: dict[int, int]
    cache_growth: tuple[float, str]
    fixed_bytes: int

    def memory(self, context: int) -> Kept:
        return Kept(self.kept[context])


class Refusal(NamedTuple):
    """Why a config is not drawn, in a sentence."""

    sentence: str
    last: bool = False  # the process that says so had better end
    unread: bool = False  # no edit helps: it is no config


class Unread(gallery.ConfigError):
    """What is wrong with a config as it came, before anything of it is edited."""


class Edited(SpecView):
    """A catalogued model with other numbers: what the copy of its config lacks is still lacking."""

    def __init__(self, row: catalog.CatalogModel, spec: ModelSpec, title: str, config: dict):
        super().__init__(spec, title, config)
        self.row, self.reconstructed = row, row.reconstructed

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.spec.notes, *missing_facts.list_missing(self.row, self.spec))


@cache
def site() -> Site:
    return Site(live=True)


def parts(
    site: Site, view: SpecView, source: str, page: str = "", edited: bool = False, at: str = "/app"
) -> dict[str, str]:
    """Element of the page `at` -> the markup that goes into it."""
    plan = to_plan(view, "" if edited else page)
    return {"result": first_view(site, view, source, page, at, plan), "more": further_down(site, view, at)}


def first_view(
    site: Site,
    view: SpecView,
    source: str,
    page: str = "",
    at: str = "/app",
    plan: tuple[str, str] | None = None,
    layouts: tuple[str, ...] = (),
) -> str:
    """What is seen first: what is new, the drawing, its cache. The planner's link leads nowhere yet without `plan`."""
    new = told_new(view)
    top = novelty.top(view, new) if new else None
    figure, lit = figures.with_lit(view, novelty.marks(new), layouts or LAYOUTS)
    told = {"view": view, "source": source, "page": page, "top": top, "figure": figure, "lit": lit, "plan": plan}
    told |= {"unread": cards.unread(view), "cache_card": cards.cache_card(view, new)}
    return site.render("render/result.html", at, towers=novelty.towers(view, new), **told)


def further_down(site: Site, view: SpecView, at: str = "/app") -> str:
    """The tables below it."""
    more = {"wiring": tables.wiring(view), "ledger_parts": tables.parts(view), "sharding": sharding(view)}
    more |= {"facts": tables.facts(view), "cache": cache_rows.cache(view)}
    return site.render("render/more.html", at, view=view, **more)


def told_new(view: SpecView) -> Novelty | None:
    """What is said above the drawing; a config that can be drawn and not be placed among others goes without."""
    try:
        return novelty.of(view)
    except Exception:
        LOG.exception("a config that has a drawing and no relatives")
        return None


def to_plan(view: SpecView, page: str = "") -> tuple[str, str]:
    """(the planner's address for a model, what the reader's browser has to keep for it).

    A catalogued model's sheet is there; any other is handed to the page and stays in the reader's browser.
    """
    if page:
        return f"/plan/?m={page.removeprefix('/models/').rstrip('/')}", ""
    try:
        text = as_text(told_of(view))
        name = sha256(text.encode()).hexdigest()[:12]  # half a character cannot be encoded, nor sent
    except Exception:  # a config that can be drawn and not be planned: no link
        LOG.exception("a config that has a drawing and no sheet")
        return "", ""
    return f"/plan/?m=local:{name}", text


def read(request: Request) -> tuple[dict, str, ModelSpec]:
    """(config, what was mended of its text, its spec); Unread where the config is at fault."""
    config, notice = request.config, ""
    try:
        if isinstance(config, str):
            config, notice = lenient(config, "The pasted text")
        return config, notice, gallery.read(config)
    except gallery.ConfigError as error:
        raise Unread(str(error)) from error


def viewed(request: Request) -> tuple[SpecView, str]:
    """(what is asked for, with its edits; where it is from); ConfigError where the config or the edits are at fault."""
    config, notice, plain = read(request)
    edits, title = request.edits, request.title
    spec = gallery.edit(plain, edits) if edits else plain
    source = f"{request.source} {notice}." if notice else request.source
    if spec is not plain:
        title, source = f"{title}, edited", f"{source} Edited here: {edits}."
    row = catalog.BY_SLUG.get(request.slug)
    return Edited(row, spec, title, config) if row else SpecView(spec, title, config), source


def draw(request: Request) -> RenderedModel:
    """Read, count and draw; ConfigError where the config is at fault, or what it is to have instead."""
    view, source = viewed(request)
    html = parts(site(), view, source, request.page, edited=view.title != request.title, at=request.at)
    kept = {context: view.memory(context).total_bytes for context in request.contexts}
    return RenderedModel(view.title, html, kept, view.cache_growth, view.fixed_bytes)


@lru_cache(1)  # as tuples, a FirstView and the Rest of it are equal
def viewed_last(request: Request) -> tuple[SpecView, str]:
    """What `viewed` says, once for the two."""
    return viewed(request)


def draw_first(request: FirstView) -> RenderedModel:
    """The same as `draw`, as far as it is seen first."""
    view, source = viewed_last(request)
    html = {"result": first_view(site(), view, source, at=request.at, layouts=request.layouts)}
    return RenderedModel(view.title, html, {}, view.cache_growth, view.fixed_bytes)


def draw_rest(request: Rest) -> RenderedModel:
    """What is further down, and where the link to the planner leads, with what a browser has to keep for it; of the
    drawing the layouts that the first view was without."""
    view, _ = viewed_last(request)
    href, kept = to_plan(view)
    html = {"more": further_down(site(), view, request.at), "href": href and Site.url(href, request.at), "plan": kept}
    if request.layouts:
        html["figure"], html["lit"] = figures.further(view, novelty.marks(told_new(view)), request.layouts)
    return RenderedModel(view.title, html, {}, view.cache_growth, view.fixed_bytes)


WORK: dict[type, Callable[[Any], RenderedModel | str]] = {
    Request: draw,
    FirstView: draw_first,
    Rest: draw_rest,
    compare_request.Question: compare_request.answered,
}  # what a worker may be asked


def answer(request: Request | compare_request.Question) -> RenderedModel | str | Refusal:
    """What comes of a request; whatever its config does wrong is one sentence."""
    try:
        made = WORK[type(request)](request)
    except gallery.ConfigError as error:
        return Refusal(str(error), unread=isinstance(error, Unread))
    except MemoryError:
        return Refusal(f"This config needs more than {MOST_BYTES >> 20} MiB of memory to draw. {TOO_MUCH}", last=True)
    except Exception:
        LOG.exception("a config that should have been refused politely")
        return Refusal(UNFORESEEN)
    size = len(made) if isinstance(made, str) else sum(map(len, made.html.values()))
    if size > MOST_CHARACTERS:
        return Refusal(f"This config's drawing has {size:,} characters; a page shows {MOST_CHARACTERS:,}. {TOO_MUCH}")
    return made
