"""Marks -> SVG text, either with classes for a page that loads figure.css or with literal attributes for a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from cutaway.gallery.cached import Same
from cutaway.gallery.drawing.callouts import RADIUS, Callout, Numbered
from cutaway.gallery.drawing.figure import alt, alt_of, figure, outline
from cutaway.gallery.drawing.layout import Page, place
from cutaway.gallery.drawing.marks import TIP, Marks
from cutaway.gallery.drawing.measure import css, rules
from cutaway.gallery.drawing.mini_block import HIGH, MOST, WIDE, draw_blocks, kinds_of
from cutaway.gallery.drawing.tower import draw_slabs, slabs_of
from cutaway.gallery.spec import ConfigError, ModelSpec

__all__ = ["alt", "draw", "figure_html", "mini_svg", "outline", "tokens", "tower_svg"]

_TOKEN = re.compile(r"--([\w-]+):\s*([^;]+);")
_PAIR = re.compile(r"light-dark\(([^,]+),\s*([^)]+)\)")
_VAR = re.compile(r"var\(--([\w-]+)\)")
MOST_MARKS = 20_000  # about 2 MB of SVG; published models stay under 1,000
_ROUND = 7  # radius of an edge's bend
_ENDS = re.compile(r"[> ]+")  # between the names of nodes in the name of an edge
NONE: frozenset[str] = frozenset()


@cache
def tokens(dark: bool) -> dict[str, str]:
    """tokens.css as {name: literal}, one theme."""
    side = 2 if dark else 1
    return {
        name: _PAIR.sub(lambda m: m[side].strip(), value.strip()) for name, value in _TOKEN.findall(css("tokens.css"))
    }


@lru_cache(8192)
def escape(text: str) -> str:
    """Text that can never become a node or leave an attribute; control characters are dropped."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@cache
def classes_of(style: str) -> str:
    return ' class="' + " ".join(f"f-{word}" for word in style.split()) + '"'


@cache
def _literals(style: str, dark: bool) -> str:
    """The attributes that figure.css gives these classes, with every token resolved."""
    merged: dict[str, str] = {}
    for word in style.split():
        merged |= rules()[word]
    values = tokens(dark) | {key[2:]: value for key, value in merged.items() if key.startswith("--")}

    def resolve(value: str) -> str:
        while "var(" in value:
            value = _VAR.sub(lambda m: values[m[1]], value)
        return value.replace('"', "'")

    return "".join(f' {key}="{resolve(value)}"' for key, value in merged.items() if not key.startswith("--"))


def _polyline(points: tuple[float, ...]) -> str:
    """A polyline with rounded bends; all its parts are horizontal or vertical."""
    if len(points) == 4:
        x, y, to_x, to_y = points
        return f"M{x:g} {y:g}V{to_y:g}" if x == to_x else f"M{x:g} {y:g}H{to_x:g}"
    parts = [f"M{points[0]:g} {points[1]:g}"]
    last = len(points) - 2
    for i in range(2, last, 2):
        x, y, px, py, nx, ny = points[i], points[i + 1], points[i - 2], points[i - 1], points[i + 2], points[i + 3]
        r = min(_ROUND, (abs(x - px) + abs(y - py)) / 2, (abs(nx - x) + abs(ny - y)) / 2)
        ax, ay = x - _sign(x - px) * r, y - _sign(y - py) * r
        bx, by = x + _sign(nx - x) * r, y + _sign(ny - y) * r
        parts.append(f"L{ax:g} {ay:g}Q{x:g} {y:g} {bx:g} {by:g}")
    parts.append(f"L{points[last]:g} {points[last + 1]:g}")
    return "".join(parts)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


_TIPS = {
    "up": f"l-4 {TIP}h8z",
    "down": f"l-4-{TIP}h8z",
    "right": f"l-{TIP}-4v8z",
    "left": f"l{TIP}-4v8z",
}
_SIGNS = {"plus": "m-5 0h10m-5-5v10", "times": "m-3.5-3.5l7 7m0-7l-7 7", "none": ""}


NEW = ' class="f-new"'  # of a group that a page lights


class Lines:
    """Edges, arrowheads and signs of one scope: they stand above its boxes, the signs on top."""

    def __init__(self, lit: frozenset[str] = NONE) -> None:
        self.lit = lit
        self.plain: list[str] = []
        self.named: list[str] = []
        self.tips: list[str] = []
        self.sums: list[tuple] = []
        self.new: list[str] = []  # edges of what is lit
        self.new_tips: list[str] = []
        self.tip = ""  # of the next edge

    def edge(self, points: tuple[float, ...], names: str) -> None:
        tip, self.tip = self.tip, ""
        if names and not self.lit.isdisjoint(_ENDS.split(names)):
            self.new.append(f'<path data-e="{escape(names)}" d="{_polyline(points)}"/>')
            self.new_tips.append(tip)
            return
        self.tips.append(tip)
        if names:
            self.named.append(f'<path data-e="{escape(names)}" d="{_polyline(points)}"/>')
        else:
            self.plain.append(_polyline(points))

    def point(self, tip: str) -> None:
        """An arrowhead; the edge that follows it is its own."""
        self.tips.append(self.tip)
        self.tip = tip

    def to_svg(self, look) -> str:
        """One path of the edges without a name, one each of the others, one of the arrowheads; the signs."""
        out = [f'<path{look("edge")} d="{"".join(self.plain)}"/>'] if self.plain else []
        if self.named:
            out.append(f"<g{look('edge')}>{''.join(self.named)}</g>")
        if tips := "".join([*self.tips, self.tip]):
            out.append(f'<path{look("tip")} d="{tips}"/>')
        if self.new:
            out.append(f"<g{look('edge new')}>{''.join(self.new)}</g>")
            out.append(f'<path{look("tip new")} d="{"".join(self.new_tips)}"/>')
        lit = [one for one in self.sums if not self.lit.isdisjoint(one[4].split())]
        out += put_sums([one for one in self.sums if one not in lit], look, "")
        return "".join([*out, *put_sums(lit, look, " new")])


def put_sums(sums: list[tuple], look, more: str) -> list[str]:
    """Circles, and one path of their signs."""
    out = [
        f'<circle{look("sum" + more)}{_names("n", nodes)} cx="{x:g}" cy="{y:g}" r="9"/>' for _, _, x, y, nodes in sums
    ]
    signs = "".join(f"M{x:g} {y:g}{_SIGNS[what]}" for _, what, x, y, _ in sums)
    return [*out, f'<path{look("edge" + more)} d="{signs}"/>'] if sums else out


def _names(key: str, names: str) -> str:
    return f' data-{key}="{escape(names)}"' if names else ""


def body(marks: Iterable[tuple], look, ids: str = "", lit: Mapping[str, frozenset[str]] | None = None) -> str:
    """All marks in order; edges and arrowheads of a scope are gathered at its end. `ids`: what the ids of its parts
    begin with, where they are shown again; `lit`: nodes of a scope that are lit there."""
    marks = list(marks)
    if len(marks) > MOST_MARKS:
        raise ConfigError(
            f"A drawing of this model would have {len(marks):,} marks; at most {MOST_MARKS:,} are drawn. Correct the "
            "count in the config that makes them."
        )
    out: list[str] = []
    lines, ends = [Lines()], []
    add = out.append
    for mark in marks:
        kind = mark[0]
        if kind == "text":
            _, style, x, y, words = mark
            add(f'<text{look(style)} x="{x:g}" y="{y:g}">{escape(words)}</text>')
        elif kind == "rect":
            _, style, x, y, w, h, r = mark
            corner = f' rx="{r:g}"' if r else ""
            add(f'<rect{look(style)} x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"{corner}/>')
        elif kind == "path":
            add(f'<path{look(mark[1])} d="{mark[2]}"/>')
        elif kind == "edge":
            lines[-1].edge(mark[1], mark[2])
        elif kind == "tip":
            lines[-1].point(f"M{mark[2]:g} {mark[3]:g}{_TIPS[mark[1]]}")
        elif kind == "sum":
            lines[-1].sums.append(mark)
        elif kind == "open":
            _, title, nodes, refer = mark
            new = NEW if is_lit(nodes, lines[-1].lit) else ""
            add(
                f"<g{_names('r' if refer else 'n', nodes)}{new}>" + (f"<title>{escape(title)}</title>" if title else "")
            )
            ends.append("</g>")
        elif kind == "beside":
            new = f"<g{NEW}>" if is_lit(mark[1], lines[-1].lit) else ""
            add(new)
            ends.append("</g>" if new else "")
        elif kind == "part":
            add(f'<g class="cf" id="{ids}{escape(mark[1])}">' if ids else "")
            ends.append("</g>" if ids else "")
        elif kind == "scope":
            lines.append(Lines((lit or {}).get(mark[1], NONE)))
            add(f'<g data-g="{escape(mark[1])}">')
        elif kind == "leave":
            add(lines.pop().to_svg(look) + "</g>")
        else:
            add(ends.pop())
    return "".join(out) + lines[0].to_svg(look)


MOST_LIT = 8  # nodes of one box, beyond which it is lit only if all of them are


def is_lit(nodes: str, lit: frozenset[str]) -> bool:
    """Whether a box that stands for nodes is lit: one of them is, or of a whole half that stands in one box all are."""
    if not lit or not nodes:
        return False
    names = nodes.split()
    return lit.issuperset(names) or (len(names) <= MOST_LIT and not lit.isdisjoint(names))


def callout_links(discs: Iterable[Callout]) -> str:
    """The discs of a page: each leads to what it stands for; the first of a number is a stop of the keyboard, and says
    what it is. They are written as briefly as can be: five drawings of a page have them."""
    out = []
    for one in discs:
        more = ' tabindex="-1"' if one.again else f' aria-label="{escape(one.says)}"'
        more += "" if one.first else ' class="rare"'
        out.append(
            f'<a href="{escape(one.target)}"{more} transform="translate({one.x:g} {one.y:g})">'
            f'<circle r="{RADIUS}"/><text y="4">{one.number}</text></a>'
        )
    return f'<g class="f-discs">{"".join(out)}</g>'


def callout_mark(one: Callout, look) -> str:
    """A number in a circle, for a file."""
    return (
        f'<g><title>{escape(one.says)}</title><circle{look("disc")} cx="{one.x:g}" cy="{one.y:g}" r="{RADIUS}"/>'
        f'<text{look("discn mid")} x="{one.x:g}" y="{one.y + 4:g}">{one.number}</text></g>'
    )


def in_page(page: Page, name: str, kind: str, ids: str = "", lit: Mapping[str, frozenset[str]] | None = None) -> str:
    """An <svg> for a page that loads figure.css: classes only, no ids (unless asked), its words in aria-label. With
    discs, which are links, the drawing is an image inside a group: an image has no links in it."""
    start = f'<svg class="cf cf-{kind}" viewBox="-3 -3 {page.width + 6} {page.height + 6}"'
    image = f'role="img" aria-label="{escape(name)}">{body(page.marks, classes_of, ids, lit)}'
    discs = page.callouts
    if not discs:
        return f"{start} {image}</svg>"
    return f'{start} role="group" aria-label="Drawing with numbers"><g {image}</g>{callout_links(discs)}</svg>'


def standalone(page: Page, name: str, says: str, dark: bool) -> str:
    """A whole .svg file: no classes, no style element, every colour a literal of tokens.css."""
    words, look = tokens(dark), _dark if dark else _light
    discs = "".join(callout_mark(one, look) for one in page.callouts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page.width} {page.height}" width="{page.width}" '
        f'height="{page.height}" font-family="{escape(words["sans"].replace(chr(34), chr(39)))}" role="img">'
        f"<title>{escape(name)}</title><desc>{escape(says)}</desc>"
        f'<rect width="{page.width}" height="{page.height}" fill="{words["paper"]}"/>'
        f"{body(page.marks, look)}{discs}</svg>\n"
    )


@cache
def _light(style: str) -> str:
    return _literals(style, False)


@cache
def _dark(style: str) -> str:
    return _literals(style, True)


def literals_of(dark: bool) -> Callable[[str], str]:
    """A style -> its attributes with literal colours, for a file."""
    return _dark if dark else _light


# ---------------------------------------------------------------- whole drawings


def draw(
    spec: ModelSpec,
    *,
    title: str = "",
    subtitle: str = "",
    dark: bool = False,
    layout: str = "wide",
    width: str = "",
    marks: Iterable[Numbered] = (),
) -> str:
    """The whole drawing as a standalone SVG; `layout` is wide, middle or narrow, `marks` what gets a number on it."""
    page, name, says = placed(Same(spec), title or "", subtitle or "", width or layout, tuple(marks))
    return standalone(page, name, says, dark)


@lru_cache(1)  # the files for a light and for a dark page follow each other
def placed(same: Same, title: str, subtitle: str, layout: str, marks: tuple[Numbered, ...]) -> tuple[Page, str, str]:
    """(what stands where, the title, the drawing in words) of a file."""
    fig = figure(same.spec, title, subtitle)
    return place(fig, layout, header=True, numbered=marks), fig.title, alt_of(fig)


def figure_html(
    spec: ModelSpec, title: str = "", subtitle: str = "", header: bool = False, marks: Iterable[Numbered] = ()
) -> str:
    """The drawing for a page: a <figure> of a wide, a middle and a narrow SVG; figure.css shows the one that fits."""
    fig = figure(spec, title, subtitle)
    says, numbered = alt_of(fig), tuple(marks)
    drawn = []
    for layout in ("wide", "middle", "narrow"):
        page = place(fig, layout, header, numbered)
        drawn.append(in_page(page, says, layout))
    return wrap_figure(drawn)


def wrap_figure(drawn: list[str]) -> str:
    """Drawings of one model, of which figure.css shows one."""
    return f'<figure class="cw-figure">{"".join(drawn)}</figure>'


def tower_svg(spec: ModelSpec, name: str = "") -> str:
    """The tower alone, small, for a card of the gallery: no words but its name."""
    marks = Marks()
    slabs = slabs_of(spec)
    draw_slabs(marks, slabs, 0, 0, 150, half=30, thin=True)
    words = escape(name or f"{slabs.layers} layers")
    start = (
        f'<svg class="cf cf-tower" viewBox="0 0 61.5 150" preserveAspectRatio="none" role="img" aria-label="{words}">'
    )
    return f"{start}{body(marks, classes_of)}</svg>"


def mini_svg(spec: ModelSpec) -> str:
    """A model's kinds of layers as small blocks, for a card beside its tower."""
    marks, kinds = Marks(), kinds_of(spec)
    draw_blocks(marks, kinds)
    says = "; ".join(f"{kind.layers} × {' and '.join(half.name for half in kind.halves)}" for kind in kinds[:MOST])
    start = f'<svg class="cf cf-mini" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(says)}">'
    return f"{start}{body(marks, classes_of)}</svg>"


# ---------------------------------------------------------------- a tower of a few pixels, for a link

GLYPH_HALF, GLYPH_GAP, GLYPH_HIGH = 6.5, 1, 22


def glyph(spec: ModelSpec) -> str:
    """An <svg> of 14 by 22 for a page that loads figure.css; it says nothing to a screen reader."""
    roles = slabs_of(spec).roles
    halves = "".join(glyph_column([pair[side] for pair in roles], side * (GLYPH_HALF + GLYPH_GAP)) for side in (0, 1))
    return f'<svg class="cf glyph" viewBox="0 0 14 {GLYPH_HIGH}" aria-hidden="true">{halves}</svg>'


def glyph_column(roles: list[str], x: float) -> str:
    """One half: a rectangle for each role, as high as its share of the layers."""
    counted = Counter(roles)
    out, at = "", 0.0
    for role, many in sorted(counted.items(), key=lambda pair: pair[1]):
        high = GLYPH_HIGH * many / len(roles)
        if role:
            out += f'<path class="f-solid f-{role}" d="M{x:g} {at:.4g}h{GLYPH_HALF:g}v{high:.4g}h-{GLYPH_HALF:g}z"/>'
        at += high
    return out
