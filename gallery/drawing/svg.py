"""A spec -> its drawings as SVG text: for a page that loads figure.css, and as a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from cutaway.gallery.cached import Same
from cutaway.gallery.drawing.callouts import Numbered
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.figure_words import alt, alt_of, outline
from cutaway.gallery.drawing.layout import Page, place
from cutaway.gallery.drawing.marks_svg import body, callout_links, callout_mark, classes_of, escape, literals_of, tokens
from cutaway.gallery.spec import ModelSpec

__all__ = ["alt", "draw", "figure_html", "outline"]


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
