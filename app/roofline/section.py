"""A model's view -> its compute section: what each block does and moves, which bounds a step, and the roofline.

app/roofline/roofline-first.js counts and draws what stands there before any script.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app import first
from cutaway.app.model.view import ModelView, SpecView
from cutaway.app.roofline import words
from cutaway.app.weigh.sheets import as_text
from cutaway.app.weigh.words import State
from cutaway.gallery import catalog
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.products import ORDER
from cutaway.gallery.drawing.pictures import short_of
from cutaway.gallery.planning.devices import DEVICES, fastest

MOST = 9  # rows of the table


class Roofline(NamedTuple):
    """What the template prints before any script, and the data that the script goes on with."""

    rows: list[tuple[blocks.Block, list[str]]]
    verdict: str
    figure: Markup
    says: str  # below the figure
    data: Markup


def roofline(view: ModelView) -> Roofline:
    """The next token at the default context, on the default GPUs."""
    made = asked(view)
    drawn, told = first.piece("compute", view.slug, made), sheet(view)
    return Roofline(
        list(zip(told["blocks"], drawn["cells"], strict=True)), drawn["verdict"], Markup(drawn["figure"]),
        words.forms_say(told), Markup(as_text(made["data"]).replace("<", "\\u003c")),
    )  # fmt: skip


def asked(view: SpecView) -> first.Request:
    """What stands on the page before any script follows from this."""
    return {"data": numbers(sheet(view)), "state": {**State()._asdict(), "job": "decode"}}


def first_requests(site) -> Iterator[tuple[str, first.Request]]:
    for view in site.views:
        if view.spec:
            yield view.slug, asked(view)
            view.lighten()


def taught(view: SpecView) -> bool:
    """Whether the explainer of rooflines can be opened with its numbers."""
    return getattr(view, "slug", "") in catalog.listed_slugs()


@lru_cache(2)  # the model's page asks for it, and then its numbers for the explainer do
def sheet(view: SpecView) -> blocks.Sheet:
    """The work sheet of a model, short enough for a table; norms alone are no block of it."""
    told = blocks.sheet(view.spec, view.weights, view.stored, short_of)
    worth = [one for one in told["blocks"] if one["token"] or one["reads"] or one["keeps"]]
    return blocks.merge_sublayers({**told, "blocks": worth}, MOST)


def numbers(told: blocks.Sheet) -> dict[str, object]:
    """What roofline.js takes; of a device its memory's speed, and its peak in each format of the blocks."""
    forms = [form for form in ORDER if any(one["runs"] == form for one in told["blocks"])]
    devices = {name: [row.bandwidth_bytes, {form: fastest(row, form) for form in forms}]
               for name, row in DEVICES.items()}  # fmt: skip
    return {"sheet": told, "devices": devices}
