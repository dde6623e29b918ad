"""Answers of activations' beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.activations import feedback


def weights_get(state: dict, data: dict) -> int:
    """Whether GPTQ leaves all layers’ weights nearer to what they were (0) or farther off (2); 1: layers differ."""
    every = [feedback.both(seed, int(state["loud"]), state["shared"]) for seed in data["seeds"]]
    farther = {one["gptq"]["weights"] < one["nearest"]["weights"] for one in every}
    return 1 if len(farther) > 1 else 2 if farther.pop() else 0


answers = {"weights_get": weights_get}
