"""Answers of context-parallel's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from typing import Any

from cutaway.explainers.context_parallel import reference

State = dict[str, Any]


def at(state: State, data: dict) -> dict[str, Any]:
    return reference.compute(state, data)


def times(state: State, data: dict) -> int:
    """How many query heads share one head of keys and values."""
    return at(state, data)["here"]["heads"] // at(state, data)["here"]["kv"]


def all_heads(state: State, data: dict) -> int:
    """What the ring would send if every query head brought keys and values of its own, as in a model with as many."""
    heads, row = at(state, data)["here"]["heads"], reference.find(state["model"], data)
    return reference.formulas(row, {"heads": heads, "kv": heads}, state["sequence"], state["cp"])["ring"]


def furthest(state: State, data: dict) -> int:
    """How many ranks can share the heads: 0 as many as there are KV heads, 1 as many as query heads, 2 any number."""
    own = at(state, data)["here"]
    most = max(n for n in range(1, 2 * own["heads"] + 1) if reference.run.splits(own["heads"], own["kv"], n))
    return 0 if most <= own["kv"] else 1 if most <= own["heads"] else 2


def less(state: State, data: dict) -> int | str:
    """From how many ranks on Ulysses sends less than the ring."""
    curve = at(state, data)["curve"]
    both = zip(reference.CURVE, curve["ring"], curve["ulysses"], strict=True)
    return next((ranks for ranks, ring, ulysses in both if 0 < ulysses < ring), "no number of")


def besides(state: State, data: dict) -> int:
    """What a rank sends of each head besides its output: 0 nothing, 1 one number, 2 more."""
    return min(at(state, data)["decode"]["extra"], 2)


answers = {"all_heads": all_heads, "furthest": furthest, "less": less, "besides": besides, "times": times}
