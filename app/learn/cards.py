"""The pictures of /learn/: a figure of each explainer's own beats, as drawn at build, in a box of 16:9.

A foreignObject scales the figure to whatever width its card has; /assets/cards.css holds the rules of all pages'
figures, each page's own inside `.card-<name>`.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache

from markupsafe import Markup

from cutaway import explainers
from cutaway.explainers import first
from cutaway.explainers.styles import BEATS_CSS, KIT_CSS

RATIO = 16 / 9


def picture(one: explainers.Explainer) -> Markup:
    """The figure of a card, as SVG; nothing in it can be reached, since the card is one link."""
    card = {"x": 0, "y": 0, "room": one.card["width"], **one.card}
    width, height = card["width"], round(card["width"] / RATIO)
    return Markup(
        f'<svg class="card-picture" viewBox="{card["x"]} {card["y"]} {width} {height}" aria-hidden="true" inert>'
        f'<foreignObject width="{card["room"]}" height="2000">'
        f'<div class="card-{one.name} told-{one.subject}">{figure(one)}</div></foreignObject></svg>'
    )


def figure(one: explainers.Explainer) -> str:
    """The beat's figure, answered, without names that only its page may have twice."""
    drawn = first.beat(one.name, one.card["beat"])["last"]
    return re.sub(r' (?:role|aria-[a-z]+|id|tabindex)="[^"]*"', "", first.unbound(drawn))


@cache
def style() -> str:
    """The rules of all figures: the kit's once, each explainer's own within its card."""
    loaded = [explainers.load(name) for name in explainers.names()]
    figures = "".join(map(figure, loaded))
    shared = explainers.tight("".join((explainers.HERE / file).read_text("utf-8") for file in (KIT_CSS, BEATS_CSS)))
    own = [f".card-{one.name}{{{own_rules(one)}}}" for one in loaded]
    return "\n".join([explainers.used_styles(shared, figures), *own])


def own_rules(one: explainers.Explainer) -> str:
    """The rules of an explainer's own style sheets that its figure needs."""
    folder = explainers.HERE / one.name.replace("-", "_")
    files = [path for file in ("widget.css", "beats.css") if (path := folder / file).is_file()]
    return explainers.used_styles(explainers.tight("".join(path.read_text("utf-8") for path in files)), figure(one))


@cache
def digest() -> str:
    """Ten letters that change with the style."""
    return hashlib.sha256(style().encode()).hexdigest()[:10]
