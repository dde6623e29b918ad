"""Answers of paged-cache's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.paged_cache import reference


def kept(state: dict, data: dict) -> int:
    """How many requests are never preempted."""
    return sum(1 for row in reference.compute(state, data)["rows"] if "x" not in row["lane"])


def static_end(state: dict, data: dict) -> int:
    """Steps with static batching."""
    return reference.compute({**state, "batching": "static"}, data)["end"]


answers = {"kept": kept, "static_end": static_end}
