"""A sheet and a layout -> layouts near it that can be and fit: nearest legal ones, and the cheapest changes that fit.

One change at a time, then two; what costs least time first. What a change takes along: etp, where nobody set it apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from cutaway.gallery.planning.candidates import MOST, MOST_CHUNKS, dense, divisors, folds
from cutaway.gallery.planning.fits import make_plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import mend_layout, problem, problems
from cutaway.gallery.planning.legal_axes import experts_of
from cutaway.gallery.planning.lora import adapter_rows
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import state_bytes
from cutaway.gallery.planning.search import Row, digits, row
from cutaway.gallery.planning.search_batched import search_fitting
from cutaway.gallery.planning.stage_weights import NUMBERS, per_stage, stored_bits_by_rule

Change = tuple[str, Any]  # a field of Layout, and its new value
MOST_NODES = 4_096


class Fix(NamedTuple):
    """A layout near the one that was asked for, and what follows from it."""

    changes: tuple[Change, ...]
    row: Row


def change_layout(layout: Layout, *changes: Change) -> Layout:
    """The layout with some values changed; an etp that follows from the others follows."""
    made = replace(layout, **dict(changes))
    whole = min(made.tp, made.pp, made.cp, made.ep, made.gpus) > 0 and made.dp > 0
    follows = layout.etp == layout.usual_etp and whole and "etp" not in dict(changes)
    return replace(made, etp=made.usual_etp) if follows else made


def list_moves(sheet: PlannerModel, layout: Layout) -> Iterator[Change]:
    """What may be changed by itself: axes on the same GPUs, then what the job can do without, then more nodes."""
    axes = {"tp": MOST, "pp": MOST} | ({"ep": layout.gpus} if experts_of(sheet) else {})
    axes |= {"cp": MOST, "chunks": MOST_CHUNKS} if layout.job == "train" else {}
    for name, most in axes.items():
        values = range(1, most + 1) if name == "chunks" else divisors(layout.gpus, most)
        yield from ((name, value) for value in values if value != getattr(layout, name))
    if layout.job == "train":
        yield from (("zero", stage) for stage in range(layout.zero + 1, 4))
        yield from (("recompute", how) for how in ("parts", "full") if layout.recompute == "none")
        yield from (("micro_batch", size) for size in divisors(layout.micro_batch, layout.micro_batch - 1))
    else:
        yield from (("dcp", size) for size in divisors(layout.tp, 8) if size > layout.dcp and layout.job == "decode")
        yield from (("cache_dtype", name) for name in ("float8_e4m3fn",) if layout.cache_dtype == "bfloat16")
        yield from (("weights_dtype", name) for name in ("fp8",) if sheet["element"] == layout.weights_dtype == "")
    yield from (("nodes", layout.nodes * times) for times in (2, 4, 8) if layout.nodes * times <= MOST_NODES)


def try_layout(sheet: PlannerModel, layout: Layout, *changes: Change) -> Fix | None:
    """The changed layout, where it is legal and fits."""
    made = change_layout(layout, *changes)
    if problem(sheet, made) or not make_plan(sheet, made, ends=False).fits:
        return None
    found = row(sheet, made, ends=False)
    return Fix(changes, found) if found else None


def cost(fix: Fix) -> tuple[Any, ...]:
    """What fixes are sorted by: GPUs that are added, time, how many changes; then their words."""
    words = ", ".join(f"{name} {value}" for name, value in fix.changes)
    return (fix.row.layout.gpus, digits(fix.row.seconds), len(fix.changes), digits(fix.row.unhidden), words)


def fixes(sheet: PlannerModel, layout: Layout, most: int = 3) -> list[Fix]:
    """The cheapest changes of a legal layout that fit: single ones, and pairs where no single one helps."""
    single = list(list_moves(sheet, layout))
    found = [fix for change in single if (fix := try_layout(sheet, layout, change))]
    if not found:
        pairs = ((one, two) for at, one in enumerate(single) for two in single[at + 1 :] if one[0] != two[0])
        found = [fix for pair in pairs if (fix := try_layout(sheet, layout, *pair))]
    return sorted(found, key=cost)[:most]


def nearest_legal(sheet: PlannerModel, layout: Layout) -> list[Fix]:
    """What an illegal layout might have meant: each nearest legal value in place, those that fit first."""
    out = []
    for one in problems(sheet, layout):
        for made in mend_layout(sheet, layout, one):
            if not problem(sheet, made) and (found := row(sheet, made, ends=False)):
                field = "nodes" if one.field == "gpus" else one.field
                out.append(Fix(((field, getattr(made, field)),), found))
    return sorted(out, key=lambda fix: not fix.row.plan.fits)


def fits_anywhere(sheet: PlannerModel, layout: Layout) -> bool:
    """Whether any legal layout of the same GPUs holds the job."""
    if layout.job == "train":
        return search_fitting(sheet, layout)[1] > 0
    return any(
        make_plan(sheet, replace(made, ep=ep, etp=etp), ends=False).fits
        for made in dense(sheet, layout)
        for ep, etp in reversed(folds(sheet, made))
    )


def mean_bytes(sheet: PlannerModel, layout: Layout) -> float:
    """Memory per GPU at least on average, if nothing stood twice: the fullest holds no less."""
    own = per_stage(sheet, replace(layout, tp=1, pp=1, chunks=1, split=""))[0]
    if layout.job == "train":
        numbers = sum(piece[NUMBERS] * times for piece, times in own)
        total = float(sum(state_bytes(numbers, layout, 1, sum(many for _, many in adapter_rows(layout, own)))))
    else:
        total = sum(bits for _, bits in stored_bits_by_rule(sheet, layout, own)) / 8
    return (layout.framework_bytes or 0) + total / layout.gpus


def fewest_nodes(sheet: PlannerModel, layout: Layout) -> int | None:
    """The fewest nodes, of powers of two, that hold the job in any layout; None: none of up to 4,096 do."""
    room, nodes = layout.device.memory_bytes * layout.used, 1
    while nodes <= MOST_NODES:
        made = replace(layout, nodes=nodes)
        if mean_bytes(sheet, made) <= room and fits_anywhere(sheet, made):
            return nodes
        nodes *= 2
    return None
