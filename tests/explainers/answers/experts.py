"""Answers of the experts page's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from math import exp, isclose

from cutaway.explainers.experts import reference, router

HELPED = 5  # the expert of the eight that its bias brings in


def weighed_by(state: dict, data: dict) -> int:
    """What the weight of expert 5 is made of: 0 its score and bias, 1 its score alone, 2 it has none."""
    eight = reference.compute(state, data)["eight"]
    weight, scores = eight["weights"][HELPED], eight["scores"]
    scores = [exp(s) for s in scores] if state["scoring"] == "after" else scores
    alone = scores[HELPED] / sum(scores[i] for i in eight["chosen"]) * eight["scale"]
    return 2 if not weight else 1 if isclose(weight, alone) else 0


def fresh(state: dict, data: dict) -> int:
    """The tokens of an update."""
    return router.BATCH


answers = {"weighed_by": weighed_by, "fresh": fresh}
