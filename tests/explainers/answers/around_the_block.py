"""Answers of the beats around the block, from the reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.around_the_block import reference

CHANGES = ({"gate": "numbers"}, {"norm": "sandwich"}, {"parallel": True})


def saver(state: dict, data: dict) -> int:
    """Which of three changes leaves fewest meetings: 0 a gate, 1 norms behind the halves, 2 halves side by side."""
    plain = {**state, "norm": "pre", "parallel": False}
    meetings = [reference.compute({**plain, **one}, data)["cost"]["meetings"] for one in CHANGES]
    return meetings.index(min(meetings))


def louder(state: dict, data: dict) -> int:
    """How loud four streams become beside free mixing: 0 about half as loud, 1 as at the start, 2 nearly silent."""
    gain = reference.compute(state, data)["mixing"]["gain"]
    return 2 if gain < 0.5 else 1 if 0.95 < gain < 1.05 else 0


answers = {"saver": saver, "louder": louder}
