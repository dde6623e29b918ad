"""A plan -> the least time that a step can take, and what binds it: products, memory or links.

All four run at the device's full rate and hide each other wholly; latency is left out, experts are visited evenly. So
nothing measured is faster. Training: the slowest stage, and its schedule's bubble. Serving: a token passes every stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gallery.planning.devices import fastest
from gallery.planning.fits import Plan
from gallery.planning.holdings import Holding
from gallery.planning.layout import Layout, LayoutError
from gallery.planning.legal_axes import experts_of
from gallery.planning.meetings import Talk
from gallery.planning.schedules import bubble
from gallery.planning.sheet import Sheet
from gallery.planning.talks import talks
from gallery.planning.work import FORTH_AND_BACK, stage_flops

BINDS = ("products", "memory", "links in a node", "links between nodes")


class Bound(NamedTuple):
    """Seconds of one stage, or of a whole step."""

    products: float
    memory: float
    inside: float
    outside: float
    bubble: float = 0.0  # share of the slowest that is added
    apart: float = 0.0  # seconds where no traffic hides behind work: products or memory, then both links

    @property
    def seconds(self) -> float:
        return max(self[:4]) * (1 + self.bubble)

    @property
    def unhidden(self) -> float:
        """Seconds of the stage that takes longest if nothing hides; serving, of all stages."""
        return self.apart * (1 + self.bubble)

    @property
    def of_total(self) -> float:
        """The bubble as a share of the whole step; `bubble` is its share of the work."""
        return self.bubble / (1 + self.bubble)

    @property
    def binds(self) -> str:
        return BINDS[self[:4].index(max(self[:4]))]


def peak(layout: Layout, sheet: Sheet) -> int:
    """FLOP/s of the products' format: the one asked for, or the fastest that the weights' own format allows."""
    peaks = layout.device.peaks
    if layout.compute_dtype:
        if layout.compute_dtype not in peaks:
            known = ", ".join(peaks)
            raise LayoutError(f"{layout.device.name} has no peak for {layout.compute_dtype!r}; known are {known}.")
        return peaks[layout.compute_dtype]
    if layout.job == "train":
        return peaks["bfloat16"]
    return fastest(layout.device, layout.weights_dtype or sheet["element"])


def visited(sheet: Sheet, tokens: int) -> float:
    """Share of the experts that so many tokens visit, each choosing its own evenly."""
    rests = [(1 - min(moe["num_experts_per_tok"] / moe["num_experts"], 1)) ** tokens for moe in experts_of(sheet)]
    return 1 - max(rests) if rests else 0.0


def links(layout: Layout, found: Iterable[Talk]) -> tuple[float, float]:
    """Seconds on the links inside a node, and on those that leave it."""
    rows = list(found)
    leaving = sum(talk.leaving_bytes for talk in rows)
    stay = sum(talk.bytes for talk in rows) - leaving
    return stay / layout.device.inside_bytes, leaving / layout.device.outside_bytes


def met(plan: Plan) -> int:
    """Tokens that one copy of the experts meets: its own share of all."""
    layout = plan.layout
    return -(-plan.here * layout.dp // layout.edp) * (layout.sequence if layout.job == "prefill" else 1)


def read(sheet: Sheet, plan: Plan, rank: Holding) -> float:
    """Bytes that a step reads of one rank's memory at least."""
    layout = plan.layout
    if layout.job == "train":
        weights = (rank.weights_bytes + rank.experts_bytes) * 2 * layout.visits
        return weights + 2 * rank.optimizer_bytes
    read_once = rank.weights_bytes - rank.lookup_bytes + rank.experts_bytes * visited(sheet, met(plan))
    return read_once + (rank.cache_bytes if layout.job == "decode" else 0)


def stage_bounds(sheet: Sheet, plan: Plan) -> list[Bound]:
    """The least time of each stage."""
    layout, rate = plan.layout, peak(plan.layout, sheet)
    train = layout.job == "train"
    times = layout.batch / layout.dp * FORTH_AND_BACK if train else plan.here
    idle = bubble(layout.runs, layout.pp, layout.chunks, layout.micro_batches) if train else 0.0
    twice = train and layout.recompute == "full"
    again = stage_flops(sheet, layout, head=False) if twice else [0.0] * layout.pp
    out = []
    for rank, once, more in zip(plan.ranks, stage_flops(sheet, layout), again, strict=True):
        work = once * times + more * layout.batch / layout.dp
        near, far = links(layout, talks(sheet, plan, rank.stage))
        times_of = work / rate, read(sheet, plan, rank) / layout.device.bandwidth_bytes
        out.append(Bound(*times_of, near, far, idle, max(times_of) + near + far))
    return out


def bound(sheet: Sheet, plan: Plan) -> Bound:
    """The least time of a step: training its slowest stage's; serving one token's, or one prompt's, way through all."""
    found = stage_bounds(sheet, plan)
    slowest = max(found, key=lambda one: one.seconds)
    if plan.layout.job == "train":
        return slowest._replace(apart=max(one.apart for one in found))
    sums = [sum(one[place] for one in found) for place in range(4)]
    return Bound(sums[0], sums[1], sums[2], sums[3], apart=sum(one.apart for one in found))
