"""A sheet and a plan -> what a layout that fits holds more than once, or leaves idle: why, and how many bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.gallery.planning.cuts import ratio
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.holdings import by_rule, entries, kept_of
from cutaway.gallery.planning.sheet import Sheet
from cutaway.gallery.planning.stages import counted


class Waste(NamedTuple):
    """One thing that is held or done more often than once."""

    field: str  # of Layout: what a change of it would mend
    says: str
    bytes: int  # of the fullest rank, that another layout of the same GPUs would not hold


def copies(sheet: Sheet, plan: Plan) -> Iterator[Waste]:
    """Cache that several tensor ranks hold alike: key/value heads that are fewer than they, latents, indexer keys."""
    layout = plan.layout
    if layout.job == "train" or layout.tp == 1:
        return
    rank = plan.fullest
    context = layout.context if layout.job == "decode" else layout.sequence
    kept = kept_of(sheet, layout.cache_dtype, counted(sheet, rank.layers))
    grown = by_rule(
        (rule, bits * entries(context, every, cap, 0)) for rule, bits, every, cap, fixed, _ in kept if not fixed
    )
    for place, bits in grown.items():
        rule = sheet["rules"][place]
        above, below = ratio(rule, layout, layout.dcp)
        times = layout.tp * above // below
        if times > 1:
            heads = rule[0] == "heads"
            what = f"{rule[1]} key/value heads" if heads else "A latent or an index that serves all heads"
            word = "stand" if heads else "stands"
            held = bits * above // (8 * below)
            yield Waste("tp", f"{what} {word} on {times} tensor ranks", plan.here * (held - held // times))


def idle(sheet: Sheet, plan: Plan) -> Iterator[Waste]:
    """Parts without a sequence; experts and dense weights that every part holds."""
    layout = plan.layout
    if layout.job == "train":
        return
    if layout.batch and layout.batch % layout.dp:
        parts = layout.dp - layout.batch % layout.dp
        yield Waste("dp", f"{layout.batch} sequences on {layout.dp} parts: {parts} of these have one less, or none", 0)
    if layout.edp > 1 and plan.fullest.experts_bytes:
        held = plan.fullest.experts_bytes
        yield Waste("etp", f"Each expert stands {layout.edp} times", held - held // layout.edp)


def twice(plan: Plan) -> Iterator[Waste]:
    """Stages that a schedule holds at both ends of the pipeline."""
    layout, row = plan.layout, plan.layout.scheduled
    if row and row.copies > 1:
        says = f"{row.label} holds every stage on {row.copies} ranks of a pipeline: weights, gradients, optimizer"
        yield Waste("schedule", says, plan.fullest.states_bytes - plan.fullest.states_bytes // layout.copies)


def wastes(sheet: Sheet, plan: Plan) -> list[Waste]:
    """All of them, the largest first."""
    return sorted([*copies(sheet, plan), *idle(sheet, plan), *twice(plan)], key=lambda one: -one.bytes)
