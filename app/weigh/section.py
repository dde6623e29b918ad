"""A model's view -> all that weighs its cache on its page: what its script starts from, and what stands before it.

app/weigh/weigh-first.js draws what stands there before any script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from markupsafe import Markup

from cutaway.app import first
from cutaway.app.model.view import SpecView
from cutaway.app.weigh import words
from cutaway.app.weigh.sheets import as_text, sheet_of
from cutaway.app.weigh.words import State
from cutaway.gallery.catalog.published_cache import claims_of
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.planning.devices import DEVICES

CHOSEN = ("meta-llama/Llama-3.1-70B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "deepseek-ai/DeepSeek-V3")
FEW = 2  # of these, beside this one before a reader chooses
MOST_CHOSEN = 3


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

    state: State
    told: dict[str, str]  # sentences by their place on the page
    offered: list[words.Cache]
    strip: Markup
    legend: Markup
    curve: Markup
    chosen: Markup  # rows of the table of other models
    claims: list[Claim]
    devices: list[tuple[str, str]]
    inside: int  # how far the slider goes before the config ends, of its steps
    at: int  # where the slider stands
    steps: int
    last: int  # number of the last layer
    data: Markup


def weigh(view, site) -> Weigh:
    """A catalogued model, beside a few others."""
    state, told, made = State(), sheet_of(site, view.slug), asked(view, site)
    drawn = first.piece("weigh", view.slug, made)
    claims = [Claim(one.says, one.published, one.shown(one.ours(view.spec)), one.how, one.source, one.link)
              for one in claims_of(view.slug)]  # fmt: skip
    return Weigh(
        state=state,
        told=drawn["told"],
        offered=words.offered(told),
        strip=Markup(drawn["strip"]),
        legend=Markup(drawn["legend"]),
        curve=Markup(drawn["curve"]),
        chosen=Markup(drawn["chosen"]),
        claims=claims,
        devices=[(name, words.device_words(name)) for name in DEVICES],
        inside=inside(told),
        at=cache_growth.CONTEXTS.index(state.ctx),
        steps=len(cache_growth.CONTEXTS) - 1,
        last=len(view.spec.layers) - 1,
        data=Markup(as_text(made["data"]).replace("<", "\\u003c")),
    )


def inside(told: cache_growth.Sheet) -> int:
    """The slider's last step within the config."""
    longest = told["longest"] or cache_growth.LONGEST
    return sum(context <= longest for context in cache_growth.CONTEXTS) - 1


def asked(view, site) -> first.Request:
    """What stands on the page before any script follows from this."""
    chosen = [slug for slug in CHOSEN if slug not in (view.slug, view.row.variant_of) and site.view(slug).spec][:FEW]
    return {
        "data": data(view, sheet_of(site, view.slug), chosen),
        "layers": layers(view, sheet_of(site, view.slug)),
        "others": {slug: [site.view(slug).title, sheet_of(site, slug)] for slug in chosen},
    }


def first_requests(site) -> Iterator[tuple[str, first.Request]]:
    for view in site.views:
        if view.spec:
            yield view.slug, asked(view, site)
            view.lighten()


def layers(view: SpecView, told: cache_growth.Sheet) -> list[dict[str, Any]]:
    """Of each layer the colour and name of its mixer, and the place of what it keeps among the sheet's kinds."""
    kinds = [kept for _, kept in told["kinds"]]
    return [
        {"role": role_of(layer.mixer), "words": short_of(layer.mixer), "kind": kinds.index(kept)}
        for layer, kept in zip(view.spec.layers, cache_growth.growth_rows(view.spec), strict=True)
    ]


def data(view, told: cache_growth.Sheet, chosen: list[str]) -> dict[str, Any]:
    """What app/weigh/weigh.js starts from."""
    return {
        "slug": view.slug, "title": view.title, "sheet": told, "weights": view.stored_bytes,
        "chosen": chosen,
        "formats": [one.word for one in words.offered(told)],
        "devices": {name: [row.memory_bytes, row.gpus_per_node] for name, row in DEVICES.items()},
        "start": {**State()._asdict(), "job": "decode"},
        "most": [cache_growth.LONGEST, words.MOST_BATCH, words.MOST_GPUS, MOST_CHOSEN],
    }  # fmt: skip
