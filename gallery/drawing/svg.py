"""A spec -> its drawings as SVG text: for a page that loads figure.css, as a file, and small for cards and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from cutaway.gallery.cached import Same
from cutaway.gallery.drawing.callouts import Numbered
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.figure_words import alt, alt_of, outline
from cutaway.gallery.drawing.layout import Page, place
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.marks_svg import body, callout_links, callout_mark, classes_of, escape, literals_of, tokens
from cutaway.gallery.drawing.mini_block import HIGH, MOST, WIDE, draw_blocks, kinds_of
from cutaway.gallery.drawing.tower import dashes, slabs_of
from cutaway.gallery.spec import ModelSpec

__all__ = ["alt", "draw", "figure_html", "mini_svg", "outline", "tower_svg"]


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
    """A page's drawing as a whole .svg file."""
    look = literals_of(dark)
    discs = "".join(callout_mark(one, look) for one in page.callouts)
    return as_file(body(page.marks, look) + discs, (page.width, page.height), name, says, dark)


def as_file(inside: str, size: tuple[int, int], name: str, says: str, dark: bool) -> str:
    """A whole .svg file: no classes, no style element, every colour a literal of tokens.css."""
    words, (width, height) = tokens(dark), size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="{escape(words["sans"].replace(chr(34), chr(39)))}" role="img">'
        f"<title>{escape(name)}</title><desc>{escape(says)}</desc>"
        f'<rect width="{width}" height="{height}" fill="{words["paper"]}"/>{inside}</svg>\n'
    )


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
    for layout in ("middle", "narrow"):
        drawn.append(in_page(place(fig, layout, header, numbered), says, layout))
    # with a header it is that of the file, which a build writes next
    wide = placed(Same(spec), title, subtitle, "wide", numbered)[0] if header else place(fig, "wide", False, numbered)
    return wrap_figure([in_page(wide, says, "wide"), *drawn])


def wrap_figure(drawn: list[str]) -> str:
    """Drawings of one model, of which figure.css shows one."""
    return f'<figure class="cw-figure">{"".join(drawn)}</figure>'


def tower_svg(spec: ModelSpec, name: str = "") -> str:
    """The tower alone, small, for a card of the gallery: no words but its name."""
    slabs = slabs_of(spec)
    dashed, lines = dashes(slabs, 150, 30, 1.5)
    words = escape(name or f"{slabs.layers} layers")
    return (
        f'<svg class="cf cf-tower" viewBox="0 0 61.5 150" preserveAspectRatio="none" role="img" aria-label="{words}" '
        f'stroke-width="30" stroke-dasharray="{dashed}">'
        + "".join(f'<path class="f-dashed f-{role}" d="{d}"/>' for role, d in lines)
        + "</svg>"
    )


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
