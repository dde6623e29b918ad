"""Models x jobs x GPUs x axes -> what gallery.planning says of each layout: one axis alone, the rest at 1."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from cutaway.gallery import catalog
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import Plan, plan
from cutaway.gallery.planning.layout import Layout, devices
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.planner_model import PlannerModel, make_planner_model
from cutaway.gallery.planning.seconds import bind_step

MODELS = ("meta-llama/Llama-3.1-70B", "Qwen/Qwen3-235B-A22B", "deepseek-ai/DeepSeek-V3", "google/gemma-3-27b-it")
GPUS = (2, 4, 8, 16, 32)
AXES = ("dp", "zero", "tp", "pp", "cp", "ep")
PARTS = {
    "train": ["weights", "experts", "gradients", "optimizer", "activations"],
    "decode": ["weights", "experts", "cache"],
}
DEVICE, NODE = "h100_sxm", 8
SEQUENCE, BATCH = 8_192, 64  # training: tokens of a sequence, sequences of a step
CONTEXT, READERS = 131_072, 8  # decoding: tokens that each sequence has kept, sequences in all
NO_EXPERTS = "This model has no experts to distribute."
NO_COPY = "With this many tensor-parallel ranks, no head is stored twice, so there is no copy to split."
NO_ZERO = "Serving has neither gradients nor optimizer state to shard."
SHORT = {"has no experts": NO_EXPERTS, "splits copies of the cache": NO_COPY}  # words of the planner's


def uncut_layout(job: str, gpus: int) -> Layout:
    """So many GPUs, nothing cut; what an engine holds itself is left out."""
    device, nodes, each = devices(f"{DEVICE}:{max(gpus // NODE, 1)}x{min(gpus, NODE)}")
    batch = BATCH if job == "train" else READERS
    return Layout(
        device, nodes, each, job=job, sequence=SEQUENCE, context=CONTEXT, batch=batch, zero=0, framework_bytes=0
    )


def layouts(job: str, axis: str, gpus: int, model: PlannerModel) -> list[tuple[str, Layout]]:
    """The layouts that put all GPUs on one axis, the one to take first; each with what it is called."""
    base = uncut_layout(job, gpus)
    experts = any(kind["experts"] for kind in model["kinds"])
    if axis == "tp":
        return [(f"tp {gpus}", replace(base, tp=gpus, etp=gpus if experts else 1))]
    if axis == "cp" and job == "decode":
        several = [gpus >> shift for shift in range(gpus.bit_length() - 1)]
        etp = gpus if experts else 1
        return [(f"tp {gpus}, dcp {n}", replace(base, tp=gpus, etp=etp, dcp=n)) for n in several]
    if axis == "ep":
        return [(f"ep {gpus} over dp {gpus}", replace(base, ep=gpus))]
    named = {"dp": f"dp {gpus}", "zero": f"dp {gpus}, ZeRO 3"}
    changes: dict[str, dict[str, Any]] = {"zero": {"zero": 3}, "dp": {}}
    return [(named.get(axis, f"{axis} {gpus}"), replace(base, **changes.get(axis, {axis: gpus})))]


def held_bytes(found: Plan, job: str) -> list[int]:
    """Bytes by part, each of the rank that holds most of it: a pipeline's stages differ."""
    return [max(getattr(rank, f"{part}_bytes") for rank in found.ranks) for part in PARTS[job]]


def busiest(model: PlannerModel, found: Plan) -> tuple[int, int]:
    """(bytes sent, of these to other nodes) of the stage that sends most: the ends of a pipeline have one neighbour."""
    stages = (list_collectives(model, found, rank.stage) for rank in found.ranks)
    return max((sum(one.bytes for one in met), sum(one.leaving_bytes for one in met)) for met in stages)


def cell(model: PlannerModel, job: str, axis: str, gpus: int) -> list | str:
    """[name, bytes by part, bytes of the fullest rank, sent in a step, of these to other nodes, ms], or why not."""
    if (axis, job) == ("zero", "decode"):
        return NO_ZERO
    options = layouts(job, axis, gpus, model)
    legal = next(((name, one) for name, one in options if not problem(model, one)), None)
    if legal is None:
        said = problem(model, options[0][1])
        return next((short for word, short in SHORT.items() if word in said), said)
    found = plan(model, legal[1])
    least = round(1000 * bind_step(model, found).seconds, 3)
    return [legal[0], held_bytes(found, job), found.fullest.total_bytes, *busiest(model, found), least]


def row(slug: str) -> dict[str, Any]:
    """One model, on one GPU and on every number of them."""
    model = make_planner_model(catalog.spec(slug))
    return {
        "slug": slug,
        "title": catalog.BY_SLUG[slug].title,
        "one": {job: held_bytes(plan(model, uncut_layout(job, 1)), job) for job in PARTS},
        "plans": {job: {str(gpus): [cell(model, job, axis, gpus) for axis in AXES] for gpus in GPUS} for job in PARTS},
    }


@cache
def data() -> dict[str, Any]:
    """The table, and what it was made for."""
    room = devices(DEVICE)[0].memory_bytes
    return {
        "models": [row(slug) for slug in MODELS], "gpus": list(GPUS), "axes": list(AXES), "parts": PARTS, "room": room,
        "readers": READERS, "batch": BATCH, "tokens": {"train": SEQUENCE, "decode": CONTEXT},
    }  # fmt: skip
