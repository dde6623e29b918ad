"""Logits and a way of sampling -> the best tokens with their shares, what is kept of all, and what is taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.explainers.next_token import sampling, tokens

SHOWN = 10


def next_token(state: dict[str, Any], logits: np.ndarray, position: int) -> dict[str, Any]:
    """The ten best tokens with their shares, what is kept of all, and what is taken."""
    order = sampling.rank(logits)
    plain, tempered = (sampling.softmax_of(logits[order], t) for t in (1.0, state["temperature"]))
    by_k, kept = sampling.cut(tempered, state["top_k"], state["top_p"])
    left = tempered[:kept] / tempered[:kept].sum()
    u = sampling.number_of(state["draw"], position) if state["draw"] else 0.0
    taken = sampling.pick(left, u) if state["draw"] else 0
    rows = [
        {
            "id": int(order[i]),
            "name": tokens.name_of(int(order[i])),
            "logit": float(logits[order[i]]),
            "plain": float(plain[i]),
            "share": float(tempered[i]),
            "kept": float(left[i]) if i < kept else 0.0,
            "cut": "" if i < kept else "top-p" if i < by_k else "top-k",
        }
        for i in range(SHOWN)
    ]
    return {
        "rows": rows,
        "by_k": by_k,
        "kept": kept,
        "held": float(tempered[:kept].sum()),
        "u": u,
        "taken": {
            "id": int(order[taken]),
            "name": tokens.name_of(int(order[taken])),
            "share": float(left[taken]),
            "rank": taken + 1,
            "from": float(left[:taken].sum()),
        },
    }
