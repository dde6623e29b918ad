"""A view -> its drawings as markup: in the page, as a thumbnail, as a file."""

from __future__ import annotations

from markupsafe import Markup

import gallery
from app.view import ModelView, SpecView
from gallery.drawing import svg


def inline(view: SpecView) -> Markup:
    """The whole drawing for a page: classes only, colours from the page's tokens."""
    return Markup(svg.figure_html(view.spec))


def thumbnail(view: ModelView) -> Markup:
    """The tower alone, for a card."""
    return Markup(svg.tower_svg(view.spec))


def standalone(view: ModelView, dark: bool = False) -> str:
    """The drawing as a file of its own, right with fallback fonts."""
    subtitle = f"{view.row.repo or view.slug} · {view.nature}"
    return gallery.draw(view.spec, dark=dark, title=view.title, subtitle=subtitle)
