"""ModelSpec -> a tower of a few pixels, for a link: mixers on the left, MLPs on the right, the rarest kind on top."""

from __future__ import annotations

from collections import Counter

from cutaway.gallery.drawing.tower import slabs_of
from cutaway.gallery.spec import ModelSpec

HALF, GAP, HIGH = 6.5, 1, 22


def glyph(spec: ModelSpec) -> str:
    """An <svg> of 14 by 22 for a page that loads figure.css; it says nothing to a screen reader."""
    roles = slabs_of(spec).roles
    halves = "".join(column([pair[side] for pair in roles], side * (HALF + GAP)) for side in (0, 1))
    return f'<svg class="cf glyph" viewBox="0 0 14 {HIGH}" aria-hidden="true">{halves}</svg>'


def column(roles: list[str], x: float) -> str:
    """One half: a rectangle for each role, as high as its share of the layers."""
    counted = Counter(roles)
    out, at = "", 0.0
    for role, many in sorted(counted.items(), key=lambda pair: pair[1]):
        high = HIGH * many / len(roles)
        if role:
            out += f'<path class="f-solid f-{role}" d="M{x:g} {at:.4g}h{HALF:g}v{high:.4g}h-{HALF:g}z"/>'
        at += high
    return out
