"""Answers of next-token's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

import numpy as np

from cutaway.explainers.next_token import forward, start, tokens
from cutaway.explainers.next_token.look import place
from cutaway.explainers.next_token.run import run, window

OPTIONS = (3, 9, 10)


def _shares(state: dict) -> np.ndarray:
    """All shares at the state's temperature, largest first."""
    logits = run(state["text"])[2].logits[-1] / state["temperature"]
    return np.sort(np.exp(logits - np.logaddexp.reduce(logits)))[::-1]


def best(state: dict, data: dict) -> float:
    """The largest share."""
    return float(_shares(state)[0])


def kept(state: dict, data: dict) -> int:
    """The fewest tokens that hold top_p of the shares among the top_k best."""
    shares = _shares(state)[: state["top_k"] or None]
    reached = np.cumsum(shares / shares.sum()) >= state["top_p"] - 1e-12
    return int(np.argmax(reached)) + 1 if state["top_p"] < 1 else len(shares)


def most(state: dict, data: dict) -> int:
    """Which of the options has the largest of all weights of the head; -1 where none has."""
    ids, _, made = run(state["text"])
    row = made.layers[state["layer"]].weights[state["head"], place(state, len(ids))]
    where = int(row.argmax())
    return OPTIONS.index(where) if where in OPTIONS else -1


def changed(state: dict, data: dict) -> int:
    """How many tokens' keys differ, in the last layer, once one is replaced."""
    ids, _ = window(start.EDITED["text"])
    other = [tokens.encode(start.EDITED["by"])[0] if at == start.EDITED["at"] else one for at, one in enumerate(ids)]
    first, second = (forward.run(forward.load(), one).layers[-1].k for one in (ids, other))
    return int((abs(first - second).max((1, 2)) > 1e-9).sum())


def anew(state: dict, data: dict) -> int:
    """All, from the replaced one on, or only that."""
    ids, _ = window(start.EDITED["text"])
    return 0 if changed(state, data) == len(ids) else 1 if changed(state, data) > 1 else 2


answers = {"best": best, "kept": kept, "most": most, "changed": changed, "anew": anew}
