"""A model in a few pixels: the tower and blocks of a card, the glyph of a link; for a page that loads figure.css."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.marks_svg import body, classes_of, escape
from cutaway.gallery.drawing.mini_block import HIGH, MOST, WIDE, draw_blocks, kinds_of
from cutaway.gallery.drawing.tower import Slabs, slabs_of
from cutaway.gallery.spec import ModelSpec


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


def dashes(slabs: Slabs, height: float, half: float, middle: float) -> tuple[str, list[tuple[str, str]]]:
    """The slabs as upright dashed lines as wide as a half: the dashes, then (role, path) with a line for each run of
    layers. It takes a fifth of the bytes of a path round each slab."""
    pitch = height / len(slabs.roles)
    gap = min(2.4, pitch * 0.34)
    lines: list[tuple[str, str]] = []
    for side in (0, 1):
        paths: dict[str, str] = {}
        ends: dict[str, int] = {}
        at = 0
        for role, run in groupby(pair[side] for pair in slabs.roles):
            end = at + len(list(run))
            if role in ends:
                paths[role] += f"m0 {(ends[role] - at) * pitch - gap:.4g}"  # relative, which packs well
            elif role:
                paths[role] = f"M{half / 2 + side * (half + middle):g} {height - at * pitch - gap / 2:.5g}"
            if role:
                paths[role] += f"v{gap - (end - at) * pitch:.5g}"
                ends[role] = end
            at = end
        lines += paths.items()
    return f"{pitch - gap:.4g} {gap:.4g}", lines


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
