"""The pictures of /learn/: a figure of each explainer's own beats, as drawn at build, in a box of 16:9.

A foreignObject scales the figure to whatever width its card has; /assets/cards.css holds the rules of all pages'
figures, each page's own inside `.card-<name>`, and those of the paths: which one is chosen is the address's to say,
so that chips are links, and no script is needed.
"""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup

from cutaway import explainers
from cutaway.explainers import bundles, first
from cutaway.explainers.styles import BEATS_CSS, KIT_CSS, OF_PAGE, own_css, shared_css

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
    drawn = first.beat(one.name, one.card["beat"], one.code)["last"]
    return re.sub(r' (?:role|aria-[a-z]+|id|tabindex)="[^"]*"', "", first.unbound(drawn))


@cache
def style() -> str:
    """The rules of all figures: the kit's once, each explainer's own within its card."""
    loaded = [explainers.load(name) for name in explainers.names()]
    figures = [figure(one) for one in loaded]
    shared = explainers.used_styles(shared_css(KIT_CSS, BEATS_CSS), "".join(figures))
    own = [
        f".card-{one.name}{{{explainers.used_styles(own_css(one.name, *OF_PAGE), drawn)}}}"
        for one, drawn in zip(loaded, figures, strict=True)
    ]
    return "\n".join([shared, *own, *map(path_style, explainers.PATHS)])


def path_style(key: str) -> str:
    """The rules of a path that the address names (#serving): its chip, its cards in order; the others are dimmed."""
    chosen, on, off = f":root:has(#{key}:target)", f"li[data-paths~={key}]", f"li:not([data-paths~={key}])"
    chip = f'{chosen} .learn-chips a[href="#{key}"]'
    return "\n".join(
        (
            f"{chip}{{border-color:var(--ink);background:var(--ink);color:var(--paper)}}",
            f"{chip} span{{color:inherit}}",
            f"{chosen} .learn-groups {on}{{border-color:var(--ink);counter-increment:path}}",
            f"{chosen} .learn-groups {on} .card-words::before{{content:counter(path)}}",
            f"{chosen} .learn-groups {off}{{background:none}}",
            f"{chosen} .learn-groups {off} .card-picture{{filter:grayscale(1);opacity:.3}}",
            f"{chosen} .learn-groups {off} a{{color:var(--muted);font-weight:400}}",
        )
    )


@cache
def digest() -> str:
    """The version of the style in its address."""
    return bundles.version(style())
