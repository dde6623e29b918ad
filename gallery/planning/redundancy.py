"""A sheet and a plan -> what a layout that fits holds more than once, or leaves idle: why, and how many bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.gallery.planning.cache_memory import cache_rows, count_entries
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.stage_weights import sum_by_rule
from cutaway.gallery.planning.stages import count_kinds


class Redundancy(NamedTuple):
    """One thing that is held or done more often than once."""

    field: str  # of Layout: what a change of it would mend
    says: str
    bytes: int  # of the fullest rank, that another layout of the same GPUs would not hold


def redundant_copies(sheet: PlannerModel, plan: Plan) -> Iterator[Redundancy]:
    """Cache that several tensor ranks hold alike: key/value heads that are fewer than they, latents, indexer keys."""
    layout = plan.layout
    if layout.job == "train" or layout.tp == 1:
        return
    rank = plan.fullest
    context = layout.context if layout.job == "decode" else layout.sequence
    kept = cache_rows(sheet, layout.cache_dtype, count_kinds(sheet, rank.layers))
    grown = sum_by_rule(
        (rule, bits * count_entries(context, every, cap, 0)) for rule, bits, every, cap, fixed, _ in kept if not fixed
    )
    for place, bits in grown.items():
        rule = sheet["rules"][place]
        above, below = ratio(rule, layout, layout.dcp)
        times = layout.tp * above // below
        if times > 1:
            on = f"stored on {times} tensor-parallel ranks"
            says = f"A latent or an index that serves all heads is {on}"
            if rule[0] == "heads":
                says = f"{rule[1]} key/value heads are {on} each"
            held = bits * above // (8 * below)
            yield Redundancy("tp", says, plan.here * (held - held // times))


def idle_ranks(sheet: PlannerModel, plan: Plan) -> Iterator[Redundancy]:
    """Parts without a sequence; experts and dense weights that every part holds."""
    layout = plan.layout
    if layout.job == "train":
        return
    if layout.batch and layout.batch % layout.dp:
        parts = layout.dp - layout.batch % layout.dp
        yield Redundancy(
            "dp", f"{layout.batch} sequences on {layout.dp} replicas: {parts} of these have one fewer, or none", 0
        )
    if layout.edp > 1 and plan.fullest.experts_bytes:
        held = plan.fullest.experts_bytes
        yield Redundancy("etp", f"Each expert is stored {layout.edp} times", held - held // layout.edp)


def doubled_stages(plan: Plan) -> Iterator[Redundancy]:
    """Stages that a schedule holds at both ends of the pipeline."""
    layout, row = plan.layout, plan.layout.scheduled
    if row and row.copies > 1:
        says = f"{row.label} stores every stage on {row.copies} ranks of a pipeline: weights, gradients, optimizer"
        yield Redundancy("schedule", says, plan.fullest.states_bytes - plan.fullest.states_bytes // layout.copies)


def list_redundancies(sheet: PlannerModel, plan: Plan) -> list[Redundancy]:
    """All of them, the largest first."""
    return sorted(
        [*redundant_copies(sheet, plan), *idle_ranks(sheet, plan), *doubled_stages(plan)], key=lambda one: -one.bytes
    )
