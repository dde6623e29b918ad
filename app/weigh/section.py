"""A model's view -> all that weighs its cache on its page: sheet, words, figures, and what a script needs of them."""

from __future__ import annotations

import json
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.model.view import SpecView
from cutaway.app.weigh import figures, words
from cutaway.app.weigh.words import CACHES, State
from cutaway.explainers import fmt
from cutaway.gallery.catalog.published_cache import claims_of
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.planning.devices import DEVICES

ALL = "/data/weigh.json"
CHOSEN = ("meta-llama/Llama-3.1-70B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "deepseek-ai/DeepSeek-V3")
FEW = 2  # of these, beside this one before a reader chooses
MOST_CHOSEN = 3


class Beside(NamedTuple):
    """Another model, beside this one."""

    slug: str
    title: str
    bytes: str
    times: str
    crossing: str
    share: float = 0.0  # of the longest bar


class Claim(NamedTuple):
    """A published figure, and ours."""

    says: str
    published: str
    ours: str
    how: str
    source: str
    link: str


class Weigh(NamedTuple):
    """What the templates print before any script, and the data that the script goes on with."""

    sheet: cache_growth.Sheet
    state: State
    told: dict[str, str]
    offered: list[words.Cache]
    strip: Markup
    edge: str  # what the strip's upper edge stands for
    columns: list[tuple[figures.Column, str]]
    curve: Markup
    chosen: list[Beside]
    claims: list[Claim]
    devices: list[tuple[str, str]]
    inside: int  # how far the slider goes before the config ends, of its steps
    at: int  # where the slider stands
    steps: int
    last: int  # number of the last layer
    data: Markup


def weigh(view, site, state: State | None = None) -> Weigh:
    """A catalogued model, beside a few others."""
    state, told = state or State(), sheet_of(site, view.slug)
    chosen = [slug for slug in CHOSEN if slug not in (view.slug, view.row.variant_of) and site.view(slug).spec][:FEW]
    sheets = {slug: (site.view(slug).title, sheet_of(site, slug)) for slug in chosen}
    lines = [figures.line(view.title, told, state)]
    lines += [figures.line(sheets[slug][0], sheets[slug][1], state) for slug in chosen]
    return Weigh(
        told, state, words.told_all(told, view.stored_bytes, state), words.offered(told),
        figures.strip(view, told, state), edge(told, state), each(view, told, state),
        figures.curve(lines, told, state),
        [Beside(slug, sheets[slug][0], *words.beside(told, sheets[slug][1], state)) for slug in chosen],
        [Claim(one.says, one.published, one.shown(one.ours(view.spec)), one.how, one.source, one.link)
         for one in claims_of(view.slug)],
        [(name, words.device_words(name)) for name in DEVICES], inside(told), cache_growth.CONTEXTS.index(state.ctx),
        len(cache_growth.CONTEXTS) - 1, len(view.spec.layers) - 1, data(view, told, chosen),
    )  # fmt: skip


def sheet_of(site, slug: str) -> cache_growth.Sheet:
    """A catalogued model's growth sheet, worked out once a site."""
    view = site.view(slug)
    if "growth" not in vars(view):
        view.growth = cache_growth.growth_sheet(view.spec)
    return view.growth


def edge(told: cache_growth.Sheet, state: State) -> str:
    return fmt.in_bytes(figures.top(told, state), digits=0)


def each(view: SpecView, told: cache_growth.Sheet, state: State) -> list[tuple[figures.Column, str]]:
    """Each kind of column, with its bytes."""
    return [(row, fmt.in_bytes(sum(figures.high(told, row.kind, state)))) for row in figures.columns(view, told)]


def inside(told: cache_growth.Sheet) -> int:
    """The slider's last step within the config."""
    longest = told["longest"] or cache_growth.LONGEST
    return sum(context <= longest for context in cache_growth.CONTEXTS) - 1


def data(view, told: cache_growth.Sheet, chosen: list[str]) -> Markup:
    """What static/js/weigh.js starts from."""
    found = {
        "slug": view.slug, "title": view.title, "sheet": told, "weights": view.stored_bytes,
        "chosen": chosen,
        "formats": [one.word for one in words.offered(told)],
        "devices": {name: [row.memory_bytes, row.gpus_per_node] for name, row in DEVICES.items()},
        "frames": [[one.width, one.height, one.right] for one in figures.FRAMES],
        "start": {**State()._asdict(), "job": "decode"},
        "most": [cache_growth.LONGEST, words.MOST_BATCH, words.MOST_GPUS, MOST_CHOSEN],
    }  # fmt: skip
    return Markup(as_text(found).replace("<", "\\u003c"))


def as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def everyone(site) -> str:
    """/data/weigh.json: {slug: [title, sheet]} of every drawn model, the newest first."""
    views = sorted((view for view in site.views if view.spec), key=lambda one: one.row.date or "", reverse=True)
    return as_text({view.slug: [view.title, sheet_of(site, view.slug)] for view in views})


__all__ = ["CACHES", "State", "Weigh", "everyone", "weigh"]
