"""Three small machines -> their numbers: scores of one head with and without QK-norm, a soft ceiling, drafts that are
accepted or not. Twin of small.js."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt, tanh

import numpy as np

from cutaway.explainers.experts.draw import normal
from cutaway.explainers.hash32 import hash32

TOKENS, EPS = 8, 1e-6
FIRST_SCORES, FIRST_DRAFTS, STEPS, MANY, MOST_DRAFTS = 3_000_000, 4_500_000, 12, 4096, 7
APART = 10  # of the two scores that the ceiling is shown on


# ---------------------------------------------------------------- QK-norm


@lru_cache(maxsize=8)
def drawn(head: int) -> tuple[np.ndarray, np.ndarray]:
    """Eight queries and eight keys of one head; the first key points as the first query does."""
    both = normal(np.arange(FIRST_SCORES, FIRST_SCORES + 2 * TOKENS), head)
    q, k = both[:TOKENS], both[TOKENS:].copy()
    k[0] = q[0]
    return q, k


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS)


def row(scores: np.ndarray) -> dict:
    """The sizes of all scores, the largest, and the largest softmax weight of each query on average."""
    e = np.exp(scores - scores.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    return {
        "all": np.abs(scores).ravel().tolist(),
        "top": float(np.abs(scores).max()),
        "peak": float(weights.max(1).mean()),
    }


def scores(state: dict) -> dict:
    """The same queries and keys, as they are and normalised."""
    head, grown = state["head"], state["grown"]
    q, k = (x * grown for x in drawn(head))
    return {
        "bound": sqrt(head),
        "plain": row(q @ k.T / sqrt(head)),
        "normed": row(unit(q) @ unit(k).T / sqrt(head)),
        "pairs": TOKENS * TOKENS,
    }


# ---------------------------------------------------------------- a soft ceiling


def cap_score(x: float, cap: float) -> float:
    return cap * tanh(x / cap) if cap else float(x)


def ceiling(state: dict) -> dict:
    """A score under the cap, and one that was ten less."""
    score, cap = state["score"], state["cap"]
    less = max(score - APART, 0)
    return {
        "score": score, "less": less, "apart": score - less, "out": cap_score(score, cap), "less_out": cap_score(less,
        cap),
        "left": cap_score(score, cap) - cap_score(less, cap), "lost": score - cap_score(score, cap),
    }  # fmt: skip


# ---------------------------------------------------------------- drafts


@lru_cache(maxsize=1)
def luck() -> np.ndarray:
    """[step, draft] even draws from 0 to 1."""
    at = np.arange(MANY * MOST_DRAFTS, dtype=np.uint64) + FIRST_DRAFTS
    return hash32(at).astype(np.float64).reshape(MANY, MOST_DRAFTS) / 2**32


@lru_cache(maxsize=64)
def count_accepted(drafts: int, accept: float) -> np.ndarray:
    """How many drafts of each step stand: those before the first that is refused."""
    return np.cumprod(luck()[:, :drafts] < accept, axis=1).sum(1).astype(int)


def drafted_tokens(state: dict) -> dict:
    """Tokens a step: as expected, and as drawn."""
    drafts, accept = state["drafts"], state["accept"]
    good = count_accepted(drafts, accept)
    expected = sum(accept**i for i in range(drafts + 1))
    return {
        "tape": good[:STEPS].tolist(), "steps": STEPS, "tokens": int(good[:STEPS].sum()) + STEPS,
        "checked": STEPS * (drafts + 1),
        "expected": expected, "many": MANY, "measured": float(good.mean()) + 1, "wasted": 1 - expected / (drafts + 1),
        "end": 1 / (1 - accept),
    }  # fmt: skip
