"""Answers of position's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.position import reference


def moved(state: dict, data: dict) -> int:
    """Query and key 100 tokens further on: 0 the score falls, 1 it stays, 2 it rises."""
    further = {key: state[key] + 100 for key in ("query", "key")}
    before, after = (reference.compute(one, data)["score"] for one in (state, {**state, **further}))
    return 1 if abs(after - before) < 1e-9 else 2 if after > before else 0


def still(state: dict, data: dict) -> int:
    """How many numbers of a head do not turn."""
    row = reference.find(state["model"], data)
    return row["head"] - row["dims"]


answers = {"moved": moved, "still": still}
