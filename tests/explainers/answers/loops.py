"""Answers of the beats on loops and streams, from the reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.loops import reference


def louder(state: dict, data: dict) -> int:
    """How loud four streams become beside free mixing: 0 about half as loud, 1 as at the start, 2 nearly silent."""
    gain = reference.compute(state, data)["mixing"]["gain"]
    return 2 if gain < 0.5 else 1 if 0.95 < gain < 1.05 else 0


answers = {"louder": louder}
