"""Answers of flash's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.flash import reference


def mended(state: dict, data: dict) -> int:
    """What becomes of the first tile's sum and output: 1 both are multiplied by one number, 2 nothing."""
    row = reference.compute(state, data)["row"]
    return 1 if row["second"]["max"] > row["first"]["max"] else 2


answers = {"mended": mended}
