"""Answers of attention's beats, from the model's own run in full precision: the second route to what beats.js says."""

from __future__ import annotations

import numpy as np

from cutaway.explainers.attention import sentences
from cutaway.explainers.next_token import forward


def _last(state: dict, head: int, root: float) -> np.ndarray:
    """The last token's weights in one head, its scores divided by `root`."""
    layer = forward.run(forward.load(), sentences.ids_of(state["text"])).layers[state["layer"]]
    scores = layer.k[:, head // 2] @ layer.q[-1, head] / root
    return np.exp(scores - np.logaddexp.reduce(scores))


def most(state: dict, data: dict) -> int:
    """Which of looked, Darcy and the comma has the largest score of all; -1 where none has."""
    best = int(_last(state, state["head"], 32**0.5).argmax())
    return (4, 3, 7).index(best) if best in (4, 3, 7) else -1


def top(state: dict, data: dict) -> float:
    """The largest weight."""
    return float(_last(state, state["head"], 32**0.5 if state["scaled"] else 1.0).max())


def other(state: dict, data: dict) -> int:
    """Which of Darcy, the first Mr and itself head 0 attends to most."""
    best = int(_last(state, 0, 32**0.5).argmax())
    return (3, 1, 13).index(best) if best in (3, 1, 13) else -1


answers = {"most": most, "top": top, "other": other}
