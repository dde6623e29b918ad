"""Answers of sparse's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.sparse import reference


def others(state: dict, data: dict) -> int:
    """Tokens beside those that hold most of the attention."""
    return 128 - reference.compute(state, data)["holding"]


def little(state: dict, data: dict) -> float:
    """The share of the attention that the others hold."""
    return 1 - 0.9


def real_holding(state: dict, data: dict) -> int:
    """How many tokens hold most of the attention in the stored head."""
    return reference.compute({**state, "text": "real"}, data)["holding"]


def one_in(state: dict, data: dict) -> float:
    """Tokens for each entry that DSA reads."""
    return state["tokens"] / min(state["tokens"], 2048)


answers = {"others": others, "little": little, "real_holding": real_holding, "one_in": one_in}
