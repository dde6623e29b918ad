"""Logits -> shares by temperature, what top-k and top-p leave of them, and the token that a number draws."""

from __future__ import annotations

import numpy as np

from cutaway.explainers.hash32 import hash32
from cutaway.explainers.next_token.forward import softmax


def softmax_of(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Shares of logits at a temperature."""
    return softmax(logits / temperature)


def rank(logits: np.ndarray) -> np.ndarray:
    """Token ids, the largest logit first; of equal ones the smaller id."""
    return np.argsort(-logits, kind="stable")


def cut(shares: np.ndarray, top_k: int, top_p: float) -> tuple[int, int]:
    """Of sorted shares: how many top-k leaves, and how many of those top-p leaves, at least one.

    top_k 0 leaves all. top-p sums the shares of those that top-k left, as vLLM and transformers do.
    """
    by_k = min(top_k or len(shares), len(shares))
    left = shares[:by_k] / shares[:by_k].sum()
    before = np.concatenate(([0.0], np.cumsum(left)[:-1]))
    return by_k, max(1, int((before < top_p).sum())) if top_p < 1 else by_k


def number_of(draw: int, position: int) -> float:
    """The number from 0 to 1 that draw `draw` has at a position of the text."""
    return float(hash32(np.array([draw * 65536 + position]))[0]) / 2**32


def pick(shares: np.ndarray, u: float) -> int:
    """Which of some shares, laid one after another, the number u falls on."""
    ends = np.cumsum(shares / shares.sum())
    return min(int((ends <= u).sum()), len(shares) - 1)


def choose(logits: np.ndarray, temperature: float, top_k: int, top_p: float, draw: int, position: int) -> int:
    """The next token: the likeliest where draw is 0, else a drawn one."""
    order = rank(logits)
    if not draw:
        return int(order[0])
    shares = softmax_of(logits[order], temperature)
    _, kept = cut(shares, top_k, top_p)
    return int(order[pick(shares[:kept], number_of(draw, position))])
