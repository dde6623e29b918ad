"""Answers of data-parallel's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.data_parallel import reference


def weights(state: dict, data: dict) -> int:
    """Bytes of the model's weights in BF16."""
    return 2 * reference.model_of(state, data)[2]


def how_often(state: dict, data: dict) -> int:
    """0 at every layer, 1 once, 2 never: how often ranks met in the run."""
    shards = state["shard"] or state["dp"]
    return {0: 2, 1: 1}.get(reference.run.step(state["stage"], shards, state["dp"] // shards).meetings, 0)


def dearer(state: dict, data: dict) -> int:
    """Stage 3 over stage 0, by the formulas: 0 as much, 1 half as much again, 2 twice."""
    rows = reference.compute(state, data)["rows"]
    return round(2 * rows[3]["sends"] / rows[0]["sends"]) - 2


def flat(state: dict, data: dict) -> float:
    """What leaves each node with one copy over all ranks."""
    return reference.compute({**state, "shard": 0}, data)["leaves"]


def flat_held(state: dict, data: dict) -> float:
    """What each rank holds of that copy."""
    return reference.compute({**state, "shard": 0}, data)["here"]["bytes"]


answers = {"weights": weights, "how_often": how_often, "dearer": dearer, "flat": flat, "flat_held": flat_held}
