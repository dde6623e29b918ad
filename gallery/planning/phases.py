"""A plan that serves -> what one step does, one thing after the other: layers read, ranks meet, a stage sends.

Where memory takes longer than products a layer's slots are what is read, else its products. Nothing hides here: all
slots together take what seconds.py calls unhidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.gallery.planning.cache_memory import cache_bytes, cache_rows, read_rows
from cutaway.gallery.planning.collective_bytes import Collective
from cutaway.gallery.planning.communication import (
    count_sends,
    decode_context,
    expert_parallel,
    expert_tensor,
    pipeline_parallel,
    tensor_parallel,
)
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.seconds import links, peak, stage_bounds, tokens_per_copy, visited_share
from cutaway.gallery.planning.stage_weights import (
    PART,
    TABLE,
    Piece,
    is_head,
    rank_numbers,
    stored_bits_by_rule,
    sum_by_rule,
)
from cutaway.gallery.planning.stages import last_stages
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


def phases(sheet: PlannerModel, plan: Plan) -> list[Phase]:
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
                [*ends(sheet, plan, rank.stage, reads, first=False), *send_onward(sheet, plan, rank.stage)],
            )
        ]
        out += [Phase(rank.stage, number, *slot) for number, slots in rows for slot in slots if slot.amount > 0]
    return out


def layer(sheet: PlannerModel, plan: Plan, kind: int, reads: bool) -> Iterator[Slot]:
    """What one layer of a kind takes: its cache, then its weights, and whom its ranks meet between."""
    layout, row = plan.layout, [(sheet["kinds"][kind], 1)]
    tokens = plan.flight * (layout.sequence if layout.job == "prefill" else 1)
    loops = sheet["loops"]
    way = list(expert_parallel(layout, row, tokens / layout.tp, loops))  # there, and back
    asked = decode_context(layout, row, tokens, loops) if layout.job == "decode" else ()
    if reads:
        weights, experts = rank_numbers(
            sheet, layout, sum_by_rule(stored_bits_by_rule(sheet, layout, pieces(sheet, kind))), 8
        )
        if layout.job == "decode":
            kept = cache_rows(sheet, layout.cache_dtype, {kind: 1})
            yield read_bytes(layout, "cache", plan.flight * cache_bytes(sheet, layout, read_rows(kept), layout.context))
        yield from (collective_phase(layout, talk) for talk in asked)
        yield read_bytes(layout, "weights", weights)
    else:
        yield from (collective_phase(layout, talk) for talk in asked)
        yield products(sheet, plan, kind_flops(sheet, layout)[kind])
    yield from (
        collective_phase(layout, talk) for talk in (*tensor_parallel(sheet, layout, row, tokens, loops), *way[:1])
    )
    if reads:
        yield read_bytes(layout, "experts", experts * visited_share(sheet, tokens_per_copy(plan), layout.redundant))
    late = (*way[1:], *expert_tensor(layout, row, tokens / layout.tp, loops))
    yield from (collective_phase(layout, talk) for talk in late)


def pieces(sheet: PlannerModel, kind: int) -> list[tuple[Piece, int]]:
    return [(piece, 1) for piece in sheet["kinds"][kind]["pieces"]]


def ends(sheet: PlannerModel, plan: Plan, stage: int, reads: bool, first: bool) -> Iterator[Slot]:
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
    yield read_bytes(
        layout, "weights", sum(rank_numbers(sheet, layout, sum_by_rule(stored_bits_by_rule(sheet, layout, own)), 8))
    )


def send_onward(sheet: PlannerModel, plan: Plan, stage: int) -> Iterator[Slot]:
    """The stream to the next stage."""
    layout = plan.layout
    tokens = plan.flight * (layout.sequence if layout.job == "prefill" else 1)
    for talk in pipeline_parallel(sheet, layout, *count_sends(layout, stage), tokens, sheet["loops"]):
        yield collective_phase(layout, talk)


def read_bytes(layout: Layout, what: str, size: float) -> Slot:
    return Slot(what, "", size, size / layout.device.bandwidth_bytes)


def products(sheet: PlannerModel, plan: Plan, flops: float) -> Slot:
    """FLOPs of one sequence, uncut -> the products of all that pass together on a rank."""
    mine = flops / (plan.layout.tp * plan.layout.cp) * plan.flight
    return Slot("products", "", mine, mine / peak(plan.layout, sheet))


def collective_phase(layout: Layout, talk: Collective) -> Slot:
    return Slot(talk.operation, talk.axis, talk.bytes, sum(links(layout, [talk])))
