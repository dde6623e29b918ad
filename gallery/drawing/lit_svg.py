"""A spec and its numbered mechanisms -> the drawing for a page, and the lit arrangement, which shows parts of it again.

The lit arrangement has no shapes of its own but frames, halos and discs: it refers to the parts of the drawing by their
ids, so that a page carries each shape once.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.gallery.drawing.callouts import Numbered
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.figure_words import alt_of
from cutaway.gallery.drawing.layout import place
from cutaway.gallery.drawing.lit import arrange
from cutaway.gallery.drawing.lit_cuts import SPACES, Cut
from cutaway.gallery.drawing.lit_discs import Lit
from cutaway.gallery.drawing.lit_nodes import lit_scopes
from cutaway.gallery.drawing.marks_svg import body, callout_links, classes_of, escape
from cutaway.gallery.drawing.svg import in_page, wrap_figure
from cutaway.gallery.drawing.tower import slabs_of
from cutaway.gallery.spec import ModelSpec

LAYOUTS = ("wide", "middle", "narrow")
DIM = ' class="dim"'  # of a part in which only what is lit is at full strength


def figure_with_lit(spec: ModelSpec, marks: Iterable[Numbered] = ()) -> tuple[str, str]:
    """(the drawing for a page, as figure_html makes it; its lit arrangement, which shows parts of that drawing)."""
    drawn, lit = drawings_with_lit(spec, marks)
    return wrap_figure(drawn), wrap_lit(lit)


def drawings_with_lit(
    spec: ModelSpec, marks: Iterable[Numbered] = (), layouts: Iterable[str] = LAYOUTS
) -> tuple[list[str], list[str]]:
    """The drawings in both, of some layouts."""
    fig, numbered = figure(spec), tuple(marks)
    says, lit, drawn, shown = alt_of(fig), lit_scopes(fig, numbered), [], []
    for layout in layouts:
        page = place(fig, layout, False, numbered)
        page.callouts = [one._replace(again=True) for one in page.callouts]  # they stand in the lit arrangement, too
        ids = f"{layout[0]}-" if layout in SPACES else ""
        drawn.append(in_page(page, says, layout, ids, lit if ids else None))
        if ids:
            shown.append(lit_svg(arrange(page.placed, page.marks, layout, numbered), layout, numbered))
    return drawn, shown


def wrap_lit(drawn: list[str]) -> str:
    """Lit arrangements of one model, of which novelty.css shows one."""
    return f'<figure class="cw-lit">{"".join(drawn)}</figure>'


def lit_outline(spec: ModelSpec, marks: Iterable[Numbered] = ()) -> str:
    """The lit arrangement in words: what is lit of each opened half, what each layout shows, the numbers on it."""
    fig, numbered = figure(spec), tuple(marks)
    scopes = lit_scopes(fig, numbered)
    titles = {content.where: content.title for _, content in fig.panels}
    out = [f"lit in {titles[where]}: {' '.join(sorted(names))}" for where, names in scopes.items()]
    for layout in SPACES:
        page = place(fig, layout, False, numbered)
        lit = arrange(page.placed, page.marks, layout, numbered)
        out += [f"{layout}, {lit.width} × {lit.height:.0f}", *("  " + line for line in lit.lines())]
    return "\n".join(out) + "\n"


def lit_svg(lit: Lit, layout: str, numbered: tuple[Numbered, ...]) -> str:
    """The lit arrangement: nested drawings that show parts again by their ids, halos over them, the discs on top."""
    cuts = "".join(cut_svg(cut, layout[0]) for cut in lit.cuts)
    names = ", ".join(cut.part.title for cut in lit.cuts)
    label = f"{'What is new' if numbered else 'One layer'}: {names}"
    return (
        f'<svg class="cf cf-{layout}" viewBox="-3 -3 {lit.width + 6} {lit.height + 6:g}" role="group" '
        f'aria-label="What is new, with numbers"><g role="img" aria-label="{escape(label)}">'
        f"{body(lit.frames, classes_of)}{cuts}{body(lit.halos, classes_of)}</g>{callout_links(lit.callouts)}</svg>"
    )


def cut_svg(cut: Cut, ids: str) -> str:
    """A part of the drawing, or a region of it, where it stands now."""
    left, top, right, bottom = cut.source
    w, h = cut.size
    return (
        f'<svg x="{cut.x:.4g}" y="{cut.y:.4g}" width="{w:.4g}" height="{h:.4g}" '
        f'viewBox="{left:g} {top:g} {right - left:.4g} {bottom - top:.4g}">'
        f'<use{DIM if cut.dim else ""} href="#{ids}-{escape(cut.part.name)}"/></svg>'
    )


def tall_tower(spec: ModelSpec) -> str:
    """The tower for a page that stretches it: a layer is 1 high, a half 10 wide; what it says stands beside it."""
    roles, halves = slabs_of(spec).roles[::-1], []
    for side in (0, 1):
        column = [pair[side] for pair in roles]
        for role in dict.fromkeys(filter(None, column)):
            at, path = 0, f"M{side * 11} 0"
            for y in (y for y, one in enumerate(column) if one == role):
                path += f"m0 {y - at}h10v.8h-10z"
                at = y
            halves.append(f'<path class="f-solid f-{role}" d="{path}"/>')
    size = f'viewBox="0 0 21 {len(roles)}" preserveAspectRatio="none"'
    return f'<svg class="cf tall" {size} aria-hidden="true">{"".join(halves)}</svg>'
