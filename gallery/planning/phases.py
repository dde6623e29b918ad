"""A plan that serves -> what one step does, one thing after the other: layers read, ranks meet, a stage sends.

Where memory takes longer than products a layer's slots are what is read, else its products. Nothing hides here: all
slots together take what seconds.py calls unhidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.holdings import (
    PART,
    TABLE,
    Piece,
    by_rule,
    cache_bytes,
    held,
    is_head,
    kept_of,
    read_of,
    stored,
)
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.meetings import Talk
from cutaway.gallery.planning.seconds import links, met, peak, stage_bounds, visited
from cutaway.gallery.planning.sheet import Sheet
from cutaway.gallery.planning.stages import last_stages
from cutaway.gallery.planning.talks import decoding, expert, expert_tensor, pipeline, sends, tensor
from cutaway.gallery.planning.work import head_flops, kind_flops


class Phase(NamedTuple):
    """One slot of a stage's lane."""

    stage: int
    layer: int  # -1 before the layers, and as many as there are after them
    what: str  # cache, weights, experts, products; or the operation of an axis
    axis: str  # "" where nobody is met
    amount: float  # bytes, of products FLOPs
    seconds: float


class Slot(NamedTuple):
    """A phase of a layer of some kind, wherever it stands."""

    what: str
    axis: str
    amount: float
    seconds: float


def phases(sheet: Sheet, plan: Plan) -> list[Phase]:
    """Every slot of a step, in order; a stage begins when the one before has sent."""
    out: list[Phase] = []
    bounds = stage_bounds(sheet, plan)
    for rank, bound in zip(plan.ranks, bounds, strict=True):
        reads = bound.memory >= bound.products
        kinds = {kind: list(layer(sheet, plan, kind, reads)) for kind in {sheet["layers"][one] for one in rank.layers}}
        rows = [(-1, list(ends(sheet, plan, rank.stage, reads, first=True)))]
        rows += [(one, kinds[sheet["layers"][one]]) for one in rank.layers]
        rows += [
            (
                len(sheet["layers"]),
                [*ends(sheet, plan, rank.stage, reads, first=False), *onward(sheet, plan, rank.stage)],
            )
        ]
        out += [Phase(rank.stage, number, *slot) for number, slots in rows for slot in slots if slot.amount > 0]
    return out


def layer(sheet: Sheet, plan: Plan, kind: int, reads: bool) -> Iterator[Slot]:
    """What one layer of a kind takes: its cache, then its weights, and whom its ranks meet between."""
    layout, row = plan.layout, [(sheet["kinds"][kind], 1)]
    tokens = plan.flight * (layout.sequence if layout.job == "prefill" else 1)
    loops = sheet["loops"]
    way = list(expert(layout, row, tokens / layout.tp, loops))  # there, and back
    asked = decoding(layout, row, tokens, loops) if layout.job == "decode" else ()
    if reads:
        weights, experts = held(sheet, layout, by_rule(stored(sheet, layout, pieces(sheet, kind))), 8)
        if layout.job == "decode":
            kept = kept_of(sheet, layout.cache_dtype, {kind: 1})
            yield read(layout, "cache", plan.flight * cache_bytes(sheet, layout, read_of(kept), layout.context))
        yield from (talked(layout, talk) for talk in asked)
        yield read(layout, "weights", weights)
    else:
        yield from (talked(layout, talk) for talk in asked)
        yield products(sheet, plan, kind_flops(sheet, layout)[kind])
    yield from (talked(layout, talk) for talk in (*tensor(sheet, layout, row, tokens, loops), *way[:1]))
    if reads:
        yield read(layout, "experts", experts * visited(sheet, met(plan), layout.redundant))
    late = (*way[1:], *expert_tensor(layout, row, tokens / layout.tp, loops))
    yield from (talked(layout, talk) for talk in late)


def pieces(sheet: Sheet, kind: int) -> list[tuple[Piece, int]]:
    return [(piece, 1) for piece in sheet["kinds"][kind]["pieces"]]


def ends(sheet: Sheet, plan: Plan, stage: int, reads: bool, first: bool) -> Iterator[Slot]:
    """What stands before the layers, or the head after them; a table of which a token reads one row is left out."""
    layout, last = plan.layout, last_stages(plan.layout)[0]
    if not reads:
        if stage == last and not first:
            yield products(sheet, plan, head_flops(sheet, layout))
        return
    own = [(piece, 1) for piece in sheet["before"]] if stage == 0 else []
    if first:
        own = [row for row in own if row[0][PART] != "embedding"]
    else:
        own = [row for row in own if is_head(sheet, layout, row[0], stage)]
        if stage == last:
            own += [(piece, 1) for piece in sheet["after"]]
            own += [(piece, 1) for piece in sheet["before"] if last and sheet["tied"] and piece[0] == TABLE]
    yield read(layout, "weights", sum(held(sheet, layout, by_rule(stored(sheet, layout, own)), 8)))


def onward(sheet: Sheet, plan: Plan, stage: int) -> Iterator[Slot]:
    """The stream to the next stage."""
    layout = plan.layout
    tokens = plan.flight * (layout.sequence if layout.job == "prefill" else 1)
    for talk in pipeline(sheet, layout, *sends(layout, stage), tokens, sheet["loops"]):
        yield talked(layout, talk)


def read(layout: Layout, what: str, size: float) -> Slot:
    return Slot(what, "", size, size / layout.device.bandwidth_bytes)


def products(sheet: Sheet, plan: Plan, flops: float) -> Slot:
    """FLOPs of one sequence, uncut -> the products of all that pass together on a rank."""
    mine = flops / (plan.layout.tp * plan.layout.cp) * plan.flight
    return Slot("products", "", mine, mine / peak(plan.layout, sheet))


def talked(layout: Layout, talk: Talk) -> Slot:
    return Slot(talk.operation, talk.axis, talk.bytes, sum(links(layout, [talk])))
