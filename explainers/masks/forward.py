"""Masks as matrices, attention under them, who can know about whom after several layers: executed, nothing clever.

A mask is queries x keys, True where a query may look.
"""

from __future__ import annotations

import numpy as np


def mask(kind: str, tokens: int, window: int = 0, first: int = 0) -> np.ndarray:
    """The mask of one layer, written cell by cell from its definition."""
    seen = np.zeros((tokens, tokens), dtype=bool)
    for query in range(tokens):
        for key in range(query + 1):
            near = {
                "causal": True,
                "window": key > query - window,  # transformers: sliding_window_overlay, the query itself counts
                "chunked": window > 0 and key // window == query // window,
            }[kind]
            seen[query, key] = near or key < first
    return seen


def knows(masks: list[np.ndarray]) -> list[np.ndarray]:
    """After each layer: which tokens can have left a trace at which position (the residual keeps a token's own)."""
    reach = np.eye(len(masks[0]), dtype=bool)
    found = []
    for one in masks:
        reach = reach | (one @ reach)
        found.append(reach)
    return found


def softmax_with_sink(scores: np.ndarray, sink: np.ndarray | None) -> np.ndarray:
    """Softmax over heads x queries x keys with one more logit per head, whose share then goes nowhere."""
    if sink is not None:
        extra = np.broadcast_to(sink[:, None, None], (*scores.shape[:2], 1))
        scores = np.concatenate([scores, extra], axis=-1)
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = shifted / shifted.sum(axis=-1, keepdims=True)
    return weights if sink is None else weights[..., :-1]


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, seen: np.ndarray, sink: np.ndarray | None = None) -> np.ndarray:
    """Attention of heads x tokens x width under a mask, with or without a sink logit per head."""
    scores = np.einsum("hqd,hkd->hqk", q, k) * q.shape[-1] ** -0.5
    return np.einsum("hqk,hkd->hqd", softmax_with_sink(np.where(seen, scores, -np.inf), sink), v)


def decode_window(q: np.ndarray, k: np.ndarray, v: np.ndarray, window: int) -> np.ndarray:
    """A sliding window decoded token by token from a ring of `window` slots: what a cache really holds."""
    heads, tokens, width = k.shape
    ring_k, ring_v = np.zeros((heads, window, width)), np.zeros((heads, window, v.shape[-1]))
    out = np.empty((heads, tokens, v.shape[-1]))
    for t in range(tokens):
        ring_k[:, t % window], ring_v[:, t % window] = k[:, t], v[:, t]
        held = min(t + 1, window)
        everything = np.ones((1, held), dtype=bool)
        out[:, t : t + 1] = attend(q[:, t : t + 1], ring_k[:, :held], ring_v[:, :held], everything)
    return out
