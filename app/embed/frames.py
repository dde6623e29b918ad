"""How tall an embed is at each width -> the HTML that others paste: a frame with its listener, an element, oEmbed.

A frame fits in three ways. Where the page around it runs scripts, the embed says how tall it is
(explainers/kit/fit.js) and the listener obeys. Where it runs none, the height is a sum of clamps over the width of
the box around it. Where not even a style attribute is allowed, the attributes hold: a declared width, and the height
that is right for it.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from math import ceil
from typing import NamedTuple

DECLARED = 720  # of the width attribute: what an article's column holds
OEMBED_WIDTH = 900
STEP = 0.1  # a jump is a ramp so short that no width falls into it

LISTENER = """\
addEventListener("message", ({ data, source, origin }) => {
  for (const frame of document.querySelectorAll("iframe[data-cutaway]")) {
    if (source !== frame.contentWindow || origin !== new URL(frame.src).origin) continue;
    if (!(data?.cutaway && data.height > 0)) continue;
    frame.style.width = "100%";
    frame.style.height = `${Math.min(data.height, 20000)}px`;
  }
});"""

# from this width on, so tall: the tallest beat of all, until the one shown has said how tall it is
BEAT_HEIGHTS = {320: 2140, 390: 1860, 600: 1520, 900: 1040}


class Embed(NamedTuple):
    """One page for frames; `heights` are (width, height) points, straight between them."""

    path: str
    title: str
    heights: tuple[tuple[float, float], ...]
    attributes: tuple[tuple[str, str], ...]  # of <cutaway-widget>

    def height(self, width: float) -> int:
        """Pixels that are enough at this width."""
        if width <= self.heights[0][0]:
            return ceil(self.heights[0][1])
        for (x, y), (to_x, to_y) in pairwise(self.heights):
            if width <= to_x:
                return ceil(y + (to_y - y) * (width - x) / (to_x - x))
        return ceil(self.heights[-1][1])


def steps(heights: dict[int, int]) -> tuple[tuple[float, float], ...]:
    """{from this width on: so tall} as points."""
    rows = sorted(heights.items())
    points: list[tuple[float, float]] = [rows[0]]
    for (_, before), (width, height) in pairwise(rows):
        points += [(width - STEP, before), (width, height)]
    return tuple(points)


def css(points: tuple[tuple[float, float], ...]) -> str:
    """The same as CSS: the height at the widest, and what each narrower stretch adds to it."""
    text = f"{points[-1][1]:g}px"
    for (x, y), (to_x, to_y) in reversed(list(pairwise(points))):
        if y != to_y:
            slope = abs(y - to_y) / (to_x - x)
            sign = "+" if y > to_y else "-"
            text += f" {sign} clamp(0px,({to_x:g}px - 100cqw)*{slope:.6g},{abs(y - to_y):g}px)"
    return f"calc({text})"


def frame(embed: Embed, address: str) -> str:
    """The iframe in a box that knows its width."""
    return (
        '<div style="container-type:inline-size">\n'
        f'<iframe data-cutaway src="{escape(address)}" title="{escape(embed.title)}" width="{DECLARED}" '
        f'height="{embed.height(DECLARED)}" frameborder="0" loading="lazy" '
        f'style="width:100%;height:{css(embed.heights)}"></iframe>\n</div>\n'
    )


def snippet(embed: Embed, address: str) -> str:
    """The frame and the listener that fits it."""
    return f"{frame(embed, address)}<script>\n{LISTENER}\n</script>\n"


def element(embed: Embed, script: str, state: bool = False) -> str:
    """The same in two lines, for pages that may load a script from here."""
    words = "".join(f' {key}="{escape(value)}"' for key, value in embed.attributes)
    return (
        f'<script src="{escape(script)}" async></script>\n'
        f"<cutaway-widget{words}{' state=' + chr(34) * 2 if state else ''}></cutaway-widget>\n"
    )


def oembed(site, embed: Embed, **more: str | int) -> dict:
    """What an editor that knows oEmbed asks for: a frame of a declared size, without a script."""
    height = embed.height(OEMBED_WIDTH)
    address = site.address(embed.path, "/")
    html = (
        f'<iframe src="{escape(address)}" title="{escape(embed.title)}" width="{OEMBED_WIDTH}" height="{height}" '
        'frameborder="0" loading="lazy"></iframe>'
    )
    answer = {"version": "1.0", "type": "rich", "provider_name": "Cutaway", "provider_url": site.base}
    return {**answer, "title": embed.title, "html": html, "width": OEMBED_WIDTH, "height": height, **more}
