"""One draft's place -> both models' probabilities there, and what the rule makes of them: exactly, and counted.

Twin of places.js.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.explainers.hash32 import hash32
from cutaway.explainers.next_token import tokens
from cutaway.explainers.speculative import speculate

SHOWN, SAMPLES, SAMPLED = 8, 2000, 1 << 30  # rows of a place; draws that are counted; where their numbers begin


def token_of(token: int) -> dict[str, Any]:
    """A token by its number and name."""
    return {"id": int(token), "name": tokens.name_of(int(token))}


def look(step: speculate.Step, place: int) -> dict[str, Any]:
    """Both models' probabilities at one draft's place, and what the rule makes of them: exactly, and counted."""
    p = step.p[place]
    q = step.q[place] if step.drafts else np.zeros(len(p))
    left, both = speculate.residual(p, q), np.minimum(p, q)
    alpha = float(both.sum())
    order = np.lexsort((np.arange(len(p)), -np.maximum(p, q)))[:SHOWN]
    drafted = step.drafts[place] if step.drafts else None
    if drafted is not None and drafted not in order:
        order[-1] = drafted
    counted = np.bincount(sample(p, q, left), minlength=len(p)) / SAMPLES
    rows = [
        {
            **token_of(x),
            "p": float(p[x]),
            "q": float(q[x]),
            "both": float(both[x]),
            "left": float(left[x]),
            "out": float(both[x] + (1 - alpha) * left[x]),
            "naive": float(both[x] + (1 - alpha) * p[x]),
            "counted": float(counted[x]),
        }
        for x in order
    ]
    at = None if drafted is None else [row["id"] for row in rows].index(drafted)
    naive = float(abs((1 - alpha) * p + both - p).sum() / 2)
    return {"place": place, "rows": rows, "drafted": at, "alpha": alpha, "rejected": 1 - alpha, "naive_off": naive}


def sample(p: np.ndarray, q: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The rule applied 2,000 times at one place: the tokens that come out."""
    numbers = hash32(SAMPLED + np.arange(3 * SAMPLES)).reshape(SAMPLES, 3) / 2**32

    def draw(shares: np.ndarray, u: np.ndarray) -> np.ndarray:
        at = np.searchsorted(np.cumsum(shares / shares.sum()), u, side="right")
        return np.asarray(np.minimum(at, len(shares) - 1))

    if not q.any():
        return draw(p, numbers[:, speculate.LAST])
    drafts = draw(q, numbers[:, speculate.DRAFT])
    accepted = numbers[:, speculate.ACCEPT] < np.minimum(1.0, p[drafts] / q[drafts])
    rejected = ~accepted
    drafts[rejected] = draw(left, numbers[:, speculate.LAST])[rejected]
    return drafts
