"""`cutaway plan`: what was typed -> a layout, and its plan as JSON; plan_words.py says it to people."""

from __future__ import annotations

import argparse
from typing import Any

from gallery.command.arguments import UsageError
from gallery.command.plan_words import PARTS, notes, time_words, verdict
from gallery.planning.asked import laid_out
from gallery.planning.fits import Plan, plan
from gallery.planning.holdings import Holding
from gallery.planning.layout import Layout, LayoutError
from gallery.planning.seconds import bound, peak
from gallery.planning.sheet import Sheet
from gallery.planning.talks import talks
from gallery.planning.work import training_flops


def layout_of(args: argparse.Namespace) -> Layout:
    """The layout that the arguments name; what they leave out follows from the rest."""
    return laid_out({name: value for name, value in vars(args).items() if value is not None})


def made(model: Sheet, args: argparse.Namespace) -> Plan:
    """The plan; UsageError with one sentence for what cannot be."""
    try:
        layout = layout_of(args)
        peak(layout, model)
        return plan(model, layout)
    except LayoutError as problem:
        raise UsageError(str(problem)) from None
    except ValueError as problem:  # an unknown cache dtype: the message lists the known ones
        raise UsageError(str(problem)) from None


AXES = ("nodes", "per_node", "gpus", "tp", "pp", "chunks", "cp", "dp", "ep", "etp", "edp", "zero", "job")
SIZES = ("sequence", "context", "batch", "micro_batch", "recompute", "redundant", "gradient_bytes", "weights_dtype",
         "cache_dtype", "compute_dtype", "used", "split", "cp_kind", "dp_shard", "order", "weight_bytes",
         "optimizer_bytes", "dispatch_dtype", "dcp", "imbalance", "framework_bytes")  # fmt: skip


def as_json(model: Sheet, found: Plan) -> dict[str, Any]:
    """The plan for programs; CONTRIBUTING.md has the keys."""
    layout = found.layout
    return {
        "plan": {
            "device": layout.device.name,
            "schedule": layout.runs,
            **{name: getattr(layout, name) for name in AXES + SIZES},
        },
        "fits": {
            "label": "extrapolated" if layout.job == "train" else "computed",
            "fits": found.fits,
            "says": verdict(found),
            "memory_bytes": layout.device.memory_bytes,
            "room_bytes": found.room_bytes,
            "fullest": found.fullest.stage,
            "emptiest": found.emptiest.stage,
            "sequences": found.sequences,
            "longest_context": found.longest_context,
        },
        "ranks": [rank_json(rank, layout) for rank in found.ranks],
        "communicators": [
            {"label": "computed", "stage": rank.stage, **talk._asdict()}
            for rank in found.ranks
            for talk in talks(model, found, rank.stage)
        ],
        "step": step_json(model, found),
        "notes": [list(note) for note in notes(model, found)],
    }


def step_json(model: Sheet, found: Plan) -> dict[str, Any]:
    """The least time of a step, and of each thing that it waits for."""
    least = bound(model, found)
    if not found.timed:
        return {"label": "bounded", "says": time_words(found, least), "seconds": None}
    each = zip(("products", "memory", "inside", "outside"), least[:4], strict=True)
    per_token = training_flops(model, found.layout.sequence) if found.layout.job == "train" else None
    return {
        "label": "bounded",
        "says": time_words(found, least),
        "seconds": least.seconds,
        **{f"{word}_seconds": seconds for word, seconds in each},
        "bubble": least.bubble,
        "binds": least.binds,
        "training_flops_per_token": per_token,
    }


def rank_json(rank: Holding, layout: Layout) -> dict[str, Any]:
    """One rank of a stage; `label` is that of all but the activations, which are extrapolated."""
    sizes = {name: getattr(rank, name) for name, _ in PARTS}
    more = {"sequence_cache_bytes": rank.sequence_cache_bytes, "total_bytes": rank.total_bytes}
    head = {"label": "computed", "stage": rank.stage, "layers": list(rank.layers), "alike": layout.gpus // layout.pp}
    return {**head, **sizes, **more}
