"""A plan -> the least time that a step can take, and what binds it: products, memory or links.

All four run at the device's full rate and hide each other wholly; latency is left out, experts are visited evenly. So
nothing measured is faster, but where switches sum what they pass on (NVLS), links may be up to 1.8 times as fast.
Training: the slowest stage, and its schedule's bubble, in which stages wait for the quickest at least. Decoding: a
group of sequences passes every stage. Prefill: prompts, in pieces, keep all stages busy, and the slowest counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from cutaway.gallery.counting.products import ASKED, PLAIN
from cutaway.gallery.planning.collective_bytes import Collective
from cutaway.gallery.planning.communication import count_passes, list_collectives, list_once_per_step
from cutaway.gallery.planning.devices import fastest
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.legal_axes import experts_of
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory
from cutaway.gallery.planning.reach import count_chosen
from cutaway.gallery.planning.schedules import bubble
from cutaway.gallery.planning.work import FORTH_AND_BACK, spared_flops, stage_flops

BINDS = ("products", "memory", "links in a node", "links between nodes")


class Bound(NamedTuple):
    """Seconds of one stage, or of a whole step."""

    products: float
    memory: float
    inside: float
    outside: float
    bubble: float = 0.0  # training: idle time over the time of the work, where stages are alike
    apart: float = 0.0  # seconds where no traffic hides behind work: products or memory, then both links
    flow: float = 0.0  # training: of the slowest of the four, what every micro-batch waits for
    idle: float = 0.0  # training: seconds that the pipeline adds to it
    idle_apart: float = 0.0  # the same without overlap
    flows: int = 0  # which of the four it is

    @property
    def seconds(self) -> float:
        return max(*self[:4], self.flow + self.idle)

    @property
    def unhidden(self) -> float:
        """Seconds of the stage that takes longest without overlap; serving, of all stages."""
        return self.apart + self.idle_apart

    @property
    def of_total(self) -> float:
        """The waiting as a share of the whole step; `bubble` is its share of the work of equal stages."""
        return self.idle / self.seconds if self.idle else 0.0

    @property
    def binds(self) -> str:
        return BINDS[self.flows if self.flow + self.idle > max(self[:4]) else self[:4].index(max(self[:4]))]


def product_dtype(layout: Layout, sheet: PlannerModel) -> tuple[str, str]:
    """(format of products, why): the one asked for, or the fastest that an engine runs such weights in."""
    if layout.compute_dtype:
        return layout.compute_dtype, "as asked for"
    if layout.job == "train":
        return PLAIN, "as training does unless FP8 is asked for"
    if layout.weights_dtype:
        return ASKED.get(layout.weights_dtype, PLAIN), f"of weights in {layout.weights_dtype}"
    return sheet["products"], sheet["products_says"]


def peak(layout: Layout, sheet: PlannerModel) -> int:
    """FLOP/s of the products' format on the device."""
    device, (form, _) = layout.device, product_dtype(layout, sheet)
    if layout.compute_dtype and form not in device.peaks:
        raise LayoutError(f"{device.name} has no peak for {form!r}; known are {', '.join(device.peaks)}.")
    return device.peaks[form] if layout.compute_dtype else fastest(device, form)


def visited_share(sheet: PlannerModel, tokens: int, redundant: int = 0) -> float:
    """Share of the experts that so many tokens visit, each choosing its own evenly; of one that stands twice, each copy
    meets half of its tokens."""
    found = [stage_visited_share(moe, tokens, min(redundant, moe["num_experts"])) for moe in experts_of(sheet)]
    return min(found) if found else 0.0


def stage_visited_share(moe: dict[str, Any], tokens: int, redundant: int) -> float:
    many = moe["num_experts"]
    share = min(count_chosen(moe) / many, 1)
    once, twice = 1 - (1 - share) ** tokens, 1 - (1 - share / 2) ** tokens
    return ((many - redundant) * once + 2 * redundant * twice) / (many + redundant)


def links(layout: Layout, found: Iterable[Collective]) -> tuple[float, float]:
    """Seconds on the links inside a node, and on those that leave it."""
    rows = list(found)
    leaving = sum(talk.leaving_bytes for talk in rows)
    stay = sum(talk.bytes for talk in rows) - leaving
    return stay / layout.device.inside_bytes, leaving / layout.outside_bytes


def tokens_per_copy(plan: Plan) -> int:
    """Tokens that one copy of the experts meets: its own share of all that are under way together."""
    layout = plan.layout
    every = layout.batch or plan.here * layout.dp
    groups = layout.pp if layout.job == "decode" else 1
    return -(-every // (groups * layout.edp)) * (layout.sequence if layout.job == "prefill" else 1)


def read_bytes(sheet: PlannerModel, plan: Plan, rank: RankMemory) -> float:
    """Bytes that a step reads of one rank's memory at least."""
    layout = plan.layout
    if layout.job == "train":
        return weights_read(rank, layout) + 2 * rank.optimizer_bytes
    read_once = (
        rank.weights_bytes
        - rank.lookup_bytes
        + rank.experts_bytes * visited_share(sheet, tokens_per_copy(plan), layout.redundant)
    )
    return read_once + (plan.flight * rank.sequence_read_bytes if layout.job == "decode" else 0)


def weights_read(rank: RankMemory, layout: Layout) -> int:
    """Training: bytes of weights that all micro-batches read."""
    return (rank.weights_bytes + rank.experts_bytes) * count_passes(layout) * layout.visits


def stage_bounds(sheet: PlannerModel, plan: Plan) -> list[Bound]:
    """The least time of each stage."""
    return (training_bound if plan.layout.job == "train" else serving_bound)(sheet, plan)


def training_bound(sheet: PlannerModel, plan: Plan) -> list[Bound]:
    """Of a step; the pipeline adds its bubble, in which stages wait for the quickest of them at least."""
    layout, rate, bandwidth = plan.layout, peak(plan.layout, sheet), plan.layout.device.bandwidth_bytes
    times = layout.batch / layout.dp
    share = bubble(layout.runs, layout.pp, layout.chunks, layout.micro_batches)
    again = stage_flops(sheet, layout, head=False) if layout.recompute == "full" else [0.0] * layout.pp
    found, spared = [], spared_flops(sheet, layout)
    for rank, forth, more, less in zip(plan.ranks, stage_flops(sheet, layout), again, spared, strict=True):
        products = (forth * FORTH_AND_BACK - less + more) * times / rate
        memory = weights_read(rank, layout) / bandwidth
        rows, late = list_collectives(sheet, plan, rank.stage), list_once_per_step(sheet, layout, rank)
        near, far = links(layout, rows)
        near_late, far_late = links(layout, late)
        inside, outside, work = near - near_late, far - far_late, max(products, memory)
        whole = Bound(products, read_bytes(sheet, plan, rank) / bandwidth, near, far, share)
        apart = max(whole[:2]) + near + far
        four = (products, memory, inside, outside)
        found.append(
            (whole._replace(apart=apart, flow=max(four), flows=four.index(max(four))), work + inside + outside)
        )
    idle = share * min(one.flow for one, _ in found)
    idle_apart = share * min(alone for _, alone in found)
    return [one._replace(idle=idle, idle_apart=idle_apart) for one, _ in found]


def serving_bound(sheet: PlannerModel, plan: Plan) -> list[Bound]:
    """Of the sequences that pass a stage together."""
    layout, out = plan.layout, []
    for rank, forth in zip(plan.ranks, stage_flops(sheet, layout), strict=True):
        near, far = (
            one * plan.flight / max(plan.here, 1) for one in links(layout, list_collectives(sheet, plan, rank.stage))
        )
        work = forth * plan.flight / peak(layout, sheet), read_bytes(sheet, plan, rank) / layout.device.bandwidth_bytes
        out.append(Bound(*work, near, far, apart=max(work) + near + far))
    return out


def bind_step(sheet: PlannerModel, plan: Plan) -> Bound:
    """The least time of a step: of its slowest stage; decoding, of one token's way through all stages."""
    found = stage_bounds(sheet, plan)
    slowest = max(found, key=lambda one: one.seconds)
    if plan.layout.job == "train":
        return slowest._replace(apart=max(one.apart for one in found))
    apart = sum(one.apart for one in found)
    if plan.layout.job == "prefill":
        return slowest._replace(apart=apart)
    sums = [sum(column) for column in zip(*found, strict=True)]
    return Bound(sums[0], sums[1], sums[2], sums[3], apart=apart)
