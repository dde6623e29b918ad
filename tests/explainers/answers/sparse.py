"""Answers of sparse's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.sparse import reference


def nearest(state: dict, data: dict) -> int:
    """Which of the window, HCA and DSA has the smallest error."""
    rows = reference.compute(state, data)["of"]
    errors = [rows[key]["error"] for key in ("window", "hca", "dsa")]
    return errors.index(min(errors))


def one_in(state: dict, data: dict) -> float:
    """Tokens for each entry that DSA reads."""
    return state["tokens"] / min(state["tokens"], 2048)


answers = {"nearest": nearest, "one_in": one_in}
