"""Answers of attention's beats, by logarithms from the stored vectors: the second route to what beats.js says."""

from __future__ import annotations

import numpy as np

from cutaway.explainers.attention import sentences


def _weights(state: dict, head: int) -> np.ndarray:
    """One token's weights in one head, by logarithms, from the vectors that the page has."""
    held, count = sentences.stored(state["text"], state["layer"]), len(sentences.ids_of(state["text"]))
    at = state["at"] if state["at"] >= 0 else count - 1
    keys = held.k[: at + 1 if state["masked"] else count, head // 2]
    scores = keys @ held.q[at, head] / (32**0.5 if state["scaled"] else 1.0)
    return np.exp(scores - np.logaddexp.reduce(scores))


def most(state: dict, data: dict) -> int:
    """Which of looked, Darcy and the comma has the largest score of all; -1 where none has."""
    best = int(_weights(state, state["head"]).argmax())
    return (4, 3, 7).index(best) if best in (4, 3, 7) else -1


def top(state: dict, data: dict) -> float:
    """The largest weight."""
    return float(_weights(state, state["head"]).max())


def other(state: dict, data: dict) -> int:
    """Which of Darcy, the first Mr and itself head 0 attends to most."""
    best = int(_weights(state, 0).argmax())
    return (3, 1, 13).index(best) if best in (3, 1, 13) else -1


answers = {"most": most, "top": top, "other": other}
