"""Answers of mla-numbers' beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.mla_numbers import reference

costs, toy = reference.costs, reference.toy


def compared(state: dict, data: dict) -> int:
    """How the scores of both circuits compare: 0 they differ, 1 nearly equal, 2 equal but for rounding."""
    made = toy.circuits(state["turn"], state["head"])
    [one], [other] = (made[way]["scores"] for way in ("expanded", "absorbed"))
    apart = max(abs(a - b) for a, b in zip(one, other, strict=True))
    return 2 if apart < 1e-9 else 1 if apart < 0.01 else 0


def tera(state: dict, data: dict) -> list[float]:
    """TFLOP of one layer's step with so many new tokens: absorbed, unpacked."""
    size = reference.size_of(state, reference.find(state["model"], data))
    return [flops / 1e12 for flops in costs.both(size, state["context"], state["fresh"])]


def other_less(state: dict, data: dict) -> float:
    """How many times less the model with grouped heads keeps on each GPU."""
    kept = reference.compute(state, data)["gpus"]
    return kept["each"] / kept["other"]["each"]


answers = {
    "compared": compared,
    "absorbed_tera": lambda state, data: tera(state, data)[0],
    "unpacked_tera": lambda state, data: tera(state, data)[1],
    "other_less": other_less,
}
