"""Marks -> SVG text, either with classes for a page that loads figure.css or with literal attributes for a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from cutaway.gallery.drawing.callouts import RADIUS, Callout
from cutaway.gallery.drawing.marks import TIP
from cutaway.gallery.drawing.measure import css, rules
from cutaway.gallery.spec import ConfigError

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


@cache
def literals_of(dark: bool) -> Callable[[str], str]:
    """A style -> its attributes with literal colours, for a file."""
    return cache(lambda style: _literals(style, dark))


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


def text_svg(look, style: str, x: float, y: float, words: str) -> str:
    return f'<text{look(style)} x="{x:g}" y="{y:g}">{escape(words)}</text>'


def rect_svg(look, style: str, x: float, y: float, w: float, h: float, r: float) -> str:
    corner = f' rx="{r:g}"' if r else ""
    return f'<rect{look(style)} x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"{corner}/>'


def path_svg(look, style: str, d: str) -> str:
    return f'<path{look(style)} d="{d}"/>'


SHAPES: dict[str, Callable[..., str]] = {"text": text_svg, "rect": rect_svg, "path": path_svg}


def start_of_group(lit: frozenset[str], title: str, nodes: str, refer: bool) -> str:
    """The start of what stands for nodes: with their names, with a title if it has one, lit if they are."""
    new = NEW if is_lit(nodes, lit) else ""
    told = f"<title>{escape(title)}</title>" if title else ""
    return f"<g{_names('r' if refer else 'n', nodes)}{new}>{told}"


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
        if shape := SHAPES.get(kind):
            add(shape(look, *mark[1:]))
        elif kind == "edge":
            lines[-1].edge(mark[1], mark[2])
        elif kind == "tip":
            lines[-1].point(f"M{mark[2]:g} {mark[3]:g}{_TIPS[mark[1]]}")
        elif kind == "sum":
            lines[-1].sums.append(mark)
        elif kind == "open":
            add(start_of_group(lines[-1].lit, *mark[1:]))
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
        more += "" if one.kind == "first" else f' class="{one.kind}"'
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
