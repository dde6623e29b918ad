"""Training layouts by the ten thousand -> which of them fit, and their least times: what no axis touches is done once.

Bytes, messages and work of everything but routed experts follow from tp, pp, chunks and cp; those of routed experts
from pp, chunks, ep and etp; a layout is one of each. Stages that hold the same and send the same are one.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import replace
from math import ceil, inf
from typing import NamedTuple

from cutaway.gallery.planning.activation_memory import Fold, dense_activations, routed_activations
from cutaway.gallery.planning.candidates import dense, folds
from cutaway.gallery.planning.collective_bytes import Collective, sent_bytes
from cutaway.gallery.planning.communication import (
    context_parallel,
    count_passes,
    data_parallel,
    expert_route,
    gathered_tokens,
    list_once_per_step,
    pipeline_parallel,
    tensor_parallel,
)
from cutaway.gallery.planning.distinct_stages import DistinctStage, distinct_stages
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal_axes import experts_of
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory, state_bytes
from cutaway.gallery.planning.schedules import bubble
from cutaway.gallery.planning.seconds import peak
from cutaway.gallery.planning.stage_weights import rank_numbers
from cutaway.gallery.planning.work import FORTH_AND_BACK, frozen_flops, head_flops, kind_flops

ALIKE = 1.02  # times further apart than this differ in their first three digits


class Dense(NamedTuple):
    """All but routed experts, of one part: under one tp, pp, chunks, cp."""

    bytes: int
    seconds: float  # of the products
    read: float  # bytes of weights that all micro-batches read
    optimizer: float  # bytes of it, read twice
    inside: float  # bytes sent in a step, for micro-batches
    outside: float
    late_inside: float  # and once
    late_outside: float


class Routed(NamedTuple):
    """Routed experts of one part, under one ep and etp."""

    bytes: int
    weights: int
    optimizer: int
    inside: float  # bytes sent once in a step
    outside: float
    inside_token: float  # bytes sent for each token of a rank
    outside_token: float


class Found(NamedTuple):
    """One legal layout that fits."""

    seconds: float
    unhidden: float
    bytes: int  # of its fullest rank
    base: Layout
    ep: int
    etp: int

    @property
    def layout(self) -> Layout:
        return replace(self.base, ep=self.ep, etp=self.etp)


def sum_links(found: Iterable[Collective]) -> tuple[int, int]:
    """Bytes that stay in a node, and that leave it."""
    total = leaving = 0
    for talk in found:
        total, leaving = total + talk.bytes, leaving + talk.leaving_bytes
    return total - leaving, leaving


class Side(NamedTuple):
    """What dense_side needs of all layouts alike."""

    each: list[float]  # FLOPs of each kind of layer
    head: float
    frozen: list[float]  # of these, what weights without gradients spare on the way back
    frozen_head: float
    rate: int


def dense_side(sheet: PlannerModel, layout: Layout, side: Side, own: list[DistinctStage]) -> list[Dense]:
    """Each part of a layout, without routed experts and without the meetings of tensor ranks."""
    many, out = layout.visits * sheet["loops"], []
    tokens = layout.sequence * layout.micro_batch / layout.cp
    ranks = layout.tp * layout.cp * layout.copies
    for part in own:
        numbers = rank_numbers(sheet, layout, part.sums)[0]
        adapters = rank_numbers(sheet, layout, part.adapters)[0]
        weights, gradients, optimizer = state_bytes(numbers, layout, layout.shard, adapters)
        forth = spared = 0.0
        some = RankMemory(part.stage, (), 0, 0, numbers=numbers, adapters=adapters)
        for kind, times in part.counts.items():
            forth += times * side.each[kind]
            spared += times * side.frozen[kind]
        work = (forth + (side.head if part.last else 0.0)) * FORTH_AND_BACK
        work -= spared + (side.frozen_head if part.last else 0.0)
        work += forth if layout.recompute == "full" else 0.0
        saved = ceil(dense_activations(sheet, layout, part.stage, part.counts))
        sent = sum_links((
            *context_parallel(layout, part.kinds, many),
            *pipeline_parallel(sheet, layout, *part.sends, tokens, many),
        ))  # fmt: skip
        late = sum_links(list_once_per_step(sheet, layout, some))
        size = weights + gradients + optimizer + saved + (layout.framework_bytes or 0)
        seconds = work / ranks * layout.batch / layout.dp / side.rate
        out.append(Dense(size, seconds, weights * count_passes(layout) * layout.visits, 2 * optimizer, *sent, *late))
    return out


def add_collectives(sheet: PlannerModel, layout: Layout, base: list[Dense], own: list[DistinctStage]) -> list[Dense]:
    """The same with the meetings of tensor ranks, which depend on how experts are cut."""
    if layout.tp == 1:
        return base
    tokens = layout.sequence * layout.micro_batch / layout.cp
    visits, out = layout.visits * sheet["loops"], []
    for one, part in zip(base, own, strict=True):
        inside, outside = sum_links(tensor_parallel(sheet, layout, part.kinds, tokens, visits))
        out.append(one._replace(inside=one.inside + inside, outside=one.outside + outside))
    return out


def routed_side(sheet: PlannerModel, layout: Layout, own: list[DistinctStage]) -> list[Routed]:
    """Routed experts of each part."""
    out = []
    for part in own:
        numbers = rank_numbers(sheet, layout, part.sums)[1]
        adapters = rank_numbers(sheet, layout, part.adapters)[1]
        weights, gradients, optimizer = state_bytes(numbers, layout, layout.expert_shard, adapters)
        some = RankMemory(
            part.stage, (), 0, 0, numbers=numbers, adapters=adapters, expert_numbers=numbers, expert_adapters=adapters
        )
        way = expert_route(layout, part.kinds) if layout.ep > 1 else None
        there, away = (way.there + way.back, way.away_there + way.away_back) if way else (0.0, 0.0)
        seen, seen_away = sent_bytes(layout, "etp", layout.etp, gathered_tokens(layout, part.kinds), 2)
        there, away = there + seen, away + seen_away
        size = weights + gradients + optimizer
        out.append(Routed(size, weights, optimizer, *sum_links(data_parallel(layout, some)), there - away, away))
    return out


def least_times(
    layout: Layout, base: list[Dense], experts: list[Routed], read_often: int, many: float, share: float
) -> tuple[float, float]:
    """(at least, nothing hides) of the slowest stage, as seconds.py has it; `many` tokens of a rank in a step, `share`:
    the bubble."""
    _, _, bandwidth, _, inside_bytes, *_ = layout.device
    outside_bytes = layout.outside_bytes
    slowest = apart = slowest_flow = 0.0
    least_flow = least_apart = inf
    for (_, work, read, optimizer, near, far, late_near, late_far), more in zip(base, experts, strict=True):
        _, weights, their_optimizer, in_all, out_all, in_token, out_token = more
        reads = read + weights * read_often
        memory, whole = reads / bandwidth, (reads + optimizer + 2 * their_optimizer) / bandwidth
        here, here_whole = (memory if memory > work else work), (whole if whole > work else work)
        inside, outside = (near + many * in_token) / inside_bytes, (far + many * out_token) / outside_bytes
        inside_whole = inside + (late_near + in_all) / inside_bytes
        outside_whole = outside + (late_far + out_all) / outside_bytes
        flow, alone = max(here, inside, outside), here + inside + outside
        slowest = max(here_whole, inside_whole, outside_whole, slowest)
        apart = max(here_whole + inside_whole + outside_whole, apart)
        slowest_flow, least_flow, least_apart = max(flow, slowest_flow), min(flow, least_flow), min(alone, least_apart)
    return max(slowest, slowest_flow + share * least_flow), apart + share * least_apart


class Base(NamedTuple):
    """One tp, pp, chunks and cp, and all ways to deal out its experts."""

    least: tuple[float, float]  # what no experts take less than
    layout: Layout
    own: list[DistinctStage]
    sides: list[tuple[int, int, list[Routed]]]
    plain: list[Dense]  # without the meetings of tensor ranks
    share: float  # the bubble
    busy: Side


NOTHING = Routed(0, 0, 0, 0, 0, 0.0, 0.0)


def bases(sheet: PlannerModel, layout: Layout) -> list[Base]:
    """Every legal tp, pp, chunks and cp."""
    rate, head = peak(layout, sheet), head_flops(sheet, layout)
    even, busy = (
        Side(kind_flops(sheet, some), head, *frozen_flops(sheet, some), rate)
        for some in (replace(layout, ep=ep) for ep in (1, 2))
    )
    splits: dict[tuple, tuple[list[DistinctStage], list[tuple[int, int, list[Routed]]]]] = {}
    out = []
    for made in dense(sheet, layout):
        # stage 2 sums as often as there are micro-batches; who deals over some ranks alone, does so by their number
        key: tuple[int, ...] = (made.pp, made.chunks, made.visits if made.zero > 1 else 0, made.replicas)
        key += () if made.order.endswith("pp") else (made.tp, made.cp)
        if key not in splits:
            own = distinct_stages(sheet, made)
            fold = [(ep, etp, replace(made, ep=ep, etp=etp)) for ep, etp in folds(sheet, made)]
            splits[key] = own, [(ep, etp, routed_side(sheet, one, own)) for ep, etp, one in fold]
        own, sides = splits[key]
        if not experts_of(sheet):
            sides = [(1, made.tp, sides[0][2])]
        plain = dense_side(sheet, made, even, own)
        share = bubble(made.runs, made.pp, made.chunks, made.micro_batches)
        alone = least_times(made, plain, [NOTHING] * len(own), 0, 0.0, share)
        out.append(Base(alone, made, own, sides, plain, share, busy))
    return out


def fit_within(sheet: PlannerModel, base: Base, room: int) -> list[tuple[int, int, int, list[Dense], list[Routed]]]:
    """(ep, etp, bytes of the fullest rank, its sides) of every way that fits."""
    made, out = base.layout, []
    kinds: dict[tuple[bool, bool], list[Dense]] = {}
    saved: dict[Fold, list[int]] = {}
    for ep, etp, experts in base.sides:
        busy = ep > 1 and made.imbalance > 1
        kind = (ep == 1 and etp == made.tp, busy)  # cut as dense, busy
        fold = Fold(etp, made.imbalance if busy else 1.0)
        if kind not in kinds:
            some = made if made.tp == 1 and not busy else replace(made, ep=ep, etp=etp)
            plain = dense_side(sheet, some, base.busy, base.own) if busy else base.plain
            kinds[kind] = add_collectives(sheet, some, plain, base.own)
        if fold not in saved:
            saved[fold] = [ceil(routed_activations(sheet, made, one.stage, one.counts, fold)) for one in base.own]
        sides = zip(kinds[kind], experts, saved[fold], strict=True)
        size = max([one[0] + more[0] + held for one, more, held in sides])
        if size <= room:
            out.append((ep, etp, size, kinds[kind], experts))
    return out


def search_fitting(
    sheet: PlannerModel, layout: Layout, order: int = 0, own: float = 0.0, best: int = 10
) -> tuple[int, int, list[Found]]:
    """(how many are legal, how many fit, the fast ones of them) of all ways to lay a training job over the same GPUs.

    Fast: at most `own` seconds, or near the best ten, by the order (0: at least, 1: nothing hides).
    """
    room, fits = int(layout.device.memory_bytes * layout.used), 0
    found: list[Found] = []
    fastest: list[float] = []  # the best ten so far
    every = sorted(bases(sheet, layout), key=lambda base: base.least[order])
    for base in every:
        made, some = base.layout, fit_within(sheet, base, room)
        fits += len(some)
        if len(fastest) == best and base.least[order] > max(own, fastest[-1]) * ALIKE:
            continue
        often = count_passes(made) * made.visits
        many = made.sequence * made.micro_batch / made.cp / made.tp * often * sheet["loops"]
        for ep, etp, size, one, experts in some:
            tokens = 0.0 if ep == 1 and etp == made.tp else many
            seconds, apart = least_times(made, one, experts, often, tokens, base.share)
            found.append(Found(seconds, apart, size, made, ep, etp))
            insort(fastest, apart if order else seconds)
            del fastest[best:]
    return sum(len(base.sides) for base in every), fits, found
