"""Answers of the beats on norms and gates, from the reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.norms import reference

CHANGES = ({"gate": "numbers"}, {"norm": "sandwich"}, {"parallel": True})


def saver(state: dict, data: dict) -> int:
    """Which of three changes leaves fewest meetings: 0 a gate, 1 norms behind the halves, 2 halves side by side."""
    plain = {**state, "norm": "pre", "parallel": False}
    meetings = [reference.compute({**plain, **one}, data)["cost"]["meetings"] for one in CHANGES]
    return meetings.index(min(meetings))


answers = {"saver": saver}
