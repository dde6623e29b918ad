"""A model's view -> its compute section: what each block does and moves, which bounds a step, and the roofline."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.model.view import SpecView
from cutaway.app.roofline import words
from cutaway.app.weigh.sheets import as_text
from cutaway.app.weigh.words import State
from cutaway.gallery import catalog
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.products import ORDER
from cutaway.gallery.drawing.pictures import short_of
from cutaway.gallery.drawing.svg import escape
from cutaway.gallery.planning.devices import DEVICES, fastest

MOST = 9  # rows of the table
LABEL = "Roofline: FLOP a byte against FLOP a second, a numbered dot for each block; the table says the same."


class Roofline(NamedTuple):
    """What the template prints before any script, and the data that the script goes on with."""

    state: State
    rows: list[tuple[words.Row, list[str]]]
    verdict: str
    figure: Markup
    data: Markup


def roofline(view: SpecView, state: State | None = None) -> Roofline:
    """The next token at the default context, on the default GPUs."""
    state, told = state or State(), sheet(view)
    found = words.rows(told, state, False)
    total = sum(row.seconds for row in found)
    drawn = "".join(words.svg(frame, found, state, LABEL) for frame in words.FRAMES)
    says = words.forms_say(told)
    drawn += f'<figcaption class="note small muted">{escape(says)}</figcaption>' if says else ""
    return Roofline(
        state, [(row, words.cells(row, total)) for row in found], words.verdict(found, state, False),
        Markup(f'<figure class="cw-figure r-figure">{drawn}</figure>'), data(told),
    )  # fmt: skip


def taught(view: SpecView) -> bool:
    """Whether the explainer of rooflines can be opened with its numbers."""
    return getattr(view, "slug", "") in {row.slug for row in catalog.gallery_rows()}


@lru_cache(2)  # the model's page asks for it, and then its numbers for the explainer do
def sheet(view: SpecView) -> blocks.Sheet:
    """The work sheet of a model, short enough for a table; norms alone are no block of it."""
    told = blocks.sheet(view.spec, view.weights, view.stored, short_of)
    worth = [one for one in told["blocks"] if one["token"] or one["reads"] or one["keeps"]]
    return blocks.merge_sublayers({**told, "blocks": worth}, MOST)


def numbers(told: blocks.Sheet) -> dict[str, object]:
    """What static/js/roofline.js takes; of a device its memory's speed, and its peak in each format of the blocks."""
    forms = [form for form in ORDER if any(one["runs"] == form for one in told["blocks"])]
    devices = {name: [row.bandwidth_bytes, {form: fastest(row, form) for form in forms}]
               for name, row in DEVICES.items()}  # fmt: skip
    return {"sheet": told, "devices": devices}


def data(told: blocks.Sheet) -> Markup:
    """The same for the page of a model, with the sizes of its figures."""
    frames = [[one.width, one.height, one.right] for one in words.FRAMES]
    return Markup(as_text({**numbers(told), "frames": frames}).replace("<", "\\u003c"))
