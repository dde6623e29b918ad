"""A model -> its cache against context as one figure: it in yellow, a few others thin, both axes logarithmic.

app/weigh/curve-first.js draws it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app import first
from cutaway.app.model.cache_rows import BESIDE
from cutaway.app.model.view import ModelView
from cutaway.app.weigh.sheets import sheet_of

OTHERS = 4


class Frame(NamedTuple):
    """One picture's room: as wide as its class of figure.css may be."""

    kind: str
    start: int  # width of the figure from which it is shown
    width: int
    height: int
    right: int  # left for the names of the lines


FRAMES = (Frame("narrow", 288, 460, 400, 118), Frame("middle", 560, 860, 440, 190), Frame("wide", 1100, 1160, 520, 230))
SIZES = tuple((one.start, one.width if one.kind != "wide" else 1600, one.width, one.height) for one in FRAMES)


def figure(view: ModelView, site) -> Markup:
    """The figure in its three widths; figure.css shows the one that fits."""
    return Markup(first.piece("curve", view.slug, asked(view, site))["figure"])


def asked(view: ModelView, site) -> first.Request:
    """This model's growth sheet first, then those of the few that keep something else."""
    slugs = [slug for slug in BESIDE if slug != view.slug and slug in site.slugs and slug != view.row.variant_of]
    views = [view, *(other for slug in slugs[:OTHERS] if (other := site.view(slug)).spec)]
    frames = [[one.kind, [one.width, one.height, one.right]] for one in FRAMES]
    return {"frames": frames, "rows": [[one.title, sheet_of(site, one.slug)] for one in views]}


def first_requests(site) -> Iterator[tuple[str, first.Request]]:
    for view in site.views:
        if view.spec:
            yield view.slug, asked(view, site)
