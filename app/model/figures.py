"""A view -> its drawings as markup: in the page, as a thumbnail, as a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

from cutaway import gallery
from cutaway.app.model.view import ModelView, SpecView
from cutaway.gallery.drawing import lit_svg, svg, thumbnails
from cutaway.gallery.drawing.callouts import Numbered


def inline(view: SpecView) -> Markup:
    """The whole drawing for a page: classes only, colours from the page's tokens."""
    return unpointed(svg.figure_html(view.spec))


def with_lit(
    view: SpecView, marks: tuple[Numbered, ...] = (), layouts: Iterable[str] = lit_svg.LAYOUTS
) -> tuple[Markup, Markup]:
    """The drawing for a page, and its lit arrangement, which shows parts of it again; `marks` get their numbers on
    both. Of fewer layouts than all, each stands only in these."""
    drawn, lit = lit_svg.drawings_with_lit(view.spec, marks, layouts)
    return unpointed(svg.wrap_figure(drawn)), Markup(lit_svg.wrap_lit(lit))


def further(view: SpecView, marks: tuple[Numbered, ...], seen: Iterable[str]) -> tuple[str, str]:
    """What is to be added to both where they stand only in the layouts that are `seen`."""
    drawn, lit = lit_svg.drawings_with_lit(view.spec, marks, [one for one in lit_svg.LAYOUTS if one not in seen])
    return unpointed("".join(drawn)), "".join(lit)


def unpointed(drawn: str) -> Markup:
    """Without the names of lines in the narrow drawing: no finger points at a line."""
    wider, narrow, rest = drawn.partition('<svg class="cf cf-narrow"')
    return Markup(wider + narrow + re.sub(r' data-e="[^"]*"', "", rest))


def untitled(drawn: str) -> Markup:
    """Without the titles of the narrow drawing: no pointer rests on a phone."""
    wider, narrow, rest = str(drawn).partition('<svg class="cf cf-narrow"')
    return Markup(wider + narrow + re.sub(r"<title>[^<]*</title>", "", rest))


def thumbnail(view: ModelView) -> Markup:
    """The tower alone, for a card."""
    return Markup(thumbnails.tower_svg(view.spec))


def on_card(view: ModelView) -> Markup:
    """The tower, and small blocks of its kinds of layers."""
    return Markup(thumbnails.tower_svg(view.spec) + thumbnails.mini_svg(view.spec))


@lru_cache(2)  # a model's page asks how tall its embed is, and the embed is made next
def titled(view: ModelView) -> Markup:
    """The whole drawing with its name and figures in it, for a frame on someone else's page."""
    drawn = svg.figure_html(view.spec, view.title, subtitle(view), header=True)
    return Markup(re.sub(r' data-\w+="[^"]*"', "", drawn))  # nothing in a frame asks for the names of nodes


def sizes(view: ModelView) -> tuple[tuple[float, float, float, float], ...]:
    """(width from which it is shown, widest, w, h) of each drawing in `titled`, as figure.css places them."""
    drawn = dict(re.findall(r'class="cf cf-(\w+)" viewBox="-3 -3 (\d+ \d+)"', titled(view)))
    boxes = {kind: [float(side) for side in box.split()] for kind, box in drawn.items()}
    rows = (("narrow", 288, 460), ("middle", 560, 860), ("wide", 1100, 1600))
    return tuple((start, widest, boxes[kind][0], boxes[kind][1]) for kind, start, widest in rows)


def subtitle(view: ModelView) -> str:
    """Where it is from and what it is, with the mark of a config that was put together by hand."""
    return f"{view.row.repo or view.slug} · {view.nature}" + (" · reconstructed" if view.row.reconstructed else "")


def standalone(view: ModelView, dark: bool = False) -> str:
    """The drawing as a file of its own, right with fallback fonts."""
    return gallery.draw(view.spec, dark=dark, title=view.title, subtitle=subtitle(view))


def text(view: ModelView) -> str:
    """The drawing as an outline in words, for a reader or a program that sees none."""
    return svg.outline(view.spec, view.title)
