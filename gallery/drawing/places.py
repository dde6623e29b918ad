"""A mechanism that a model has -> the drawn things that show it, by the names they carry in the drawing.

("tower", "46 mixer"): that layer's left cell, "46 mlp" its right one, "46 layer" both; also "mtp", "head", "embed",
"stack".
("card", "layer3 mixer.attend"): the box of that node on the card of layer 3; "layer3" alone is the whole card.
("panel", "layer3.mixer"): an opened mixer or MLP.
"""

from __future__ import annotations

import re

from cutaway.gallery.comparing.finding import Hit
from cutaway.gallery.comparing.mechanisms import found
from cutaway.gallery.drawing.census import same
from cutaway.gallery.drawing.figure import Figure, figure
from cutaway.gallery.drawing.layer_kinds import Kind
from cutaway.gallery.drawing.units import Unit, units_of
from cutaway.gallery.spec import ModelSpec

Place = tuple[str, str]

IN_STREAM = {  # what is no mixer, MLP or norm -> the nodes of a layer that do it; without a row it is the card as such
    "hyper-connections": r".*_hc_.*", "gated-streams": r".*hyper_connection.*", "ngrams": r"ple\..*",
    "altup": r"predict.*|active",
    "residual-scale": r".*_scaled", "scaled-stream": r".*_scaled|.*_shifted", "convolved-halves": r".*_conv.*",
}  # fmt: skip
OUTSIDE = {"learned-position": "embed"}  # found in a mixer, done elsewhere
WHOLE = ("mtp", "head", "embed", "stack")


def places(spec: ModelSpec, key: str, drawn: Figure | None = None) -> tuple[Place, ...]:
    """Everything drawn that shows a mechanism: cells of the tower from the top, then cards (those that show
    nothing else first), then panels."""
    fig = drawn or figure(spec)
    if key in OUTSIDE:
        return (("tower", OUTSIDE[key]),)
    hits = found(fig.spec, key)
    out = [("tower", hit.half) for hit in hits if hit.half in WHOLE]
    out += cells(hits)
    layers = {index for hit in hits for index in hit.layers}
    for kind in sorted(fig.kinds, key=lambda kind: not layers.issuperset(kind.indices)):
        out += on_card(fig.spec, kind, key, hits)
    wanted = {same(hit.part) for hit in hits if hit.half in ("mixer", "mlp") and hit.part is not None}
    out += [("panel", inside.where) for part, inside in fig.panels if same(part) in wanted]
    return tuple(dict.fromkeys(out))


def cells(hits: list[Hit]) -> list[Place]:
    """The cells of the layers that have it, the highest first."""
    rows = {(index, hit.half if hit.half in ("mixer", "mlp") else "layer") for hit in hits for index in hit.layers}
    return [("tower", f"{index} {half}") for index, half in sorted(rows, reverse=True)]


def on_card(spec: ModelSpec, kind: Kind, key: str, hits: list[Hit]) -> list[Place]:
    """The boxes of one card, from the top; the card as such where no box is it."""
    mine = set(kind.indices)
    name = f"layer{kind.layer.index}"
    here = [hit for hit in hits if hit.half not in WHOLE and mine.intersection(hit.layers)]
    units = reversed(units_of(kind, spec)[1])
    boxes = [("card", f"{name} {unit.names[-1]}") for unit in units if any(shows(unit, hit, key) for hit in here)]
    return boxes or [("card", name)] if here else []


def shows(unit: Unit, hit: Hit, key: str) -> bool:
    """Whether a unit of a card is what was found."""
    if hit.half in ("mixer", "mlp"):
        if hit.part is None:  # a half made of several
            return unit.name.partition(".")[0] == hit.half and unit.part is not None
        return unit.part is not None and same(unit.part) == same(hit.part)
    if hit.node:
        return any(name == hit.node or name.startswith(hit.node + ".") for name in unit.names)
    return key in IN_STREAM and any(re.fullmatch(IN_STREAM[key], name) for name in unit.names)
