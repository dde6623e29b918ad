"""Attention run in plain numpy, one token or many: what the drawings claim, executed.

Shapes: x is tokens x width; q, k, v are heads x tokens x width. `seen` is queries x keys, True where a query may look.
"""

from __future__ import annotations

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Rows that sum to one; -inf weighs nothing."""
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def causal(tokens: int) -> np.ndarray:
    """Query i sees keys 0 to i."""
    return np.tri(tokens, dtype=bool)


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, seen: np.ndarray, scale: float) -> np.ndarray:
    """softmax(q kᵀ scale) v, head by head."""
    scores = np.where(seen, np.einsum("hqd,hkd->hqk", q, k) * scale, -np.inf)
    return np.einsum("hqk,hkd->hqd", softmax(scores), v)


def rope(x: np.ndarray, positions: np.ndarray, theta: float = 10_000.0) -> np.ndarray:
    """Turn pairs (i, i + half) of the last axis by position x theta^(-2i/width)."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * theta ** (-np.arange(half) / half)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def heads_of(x: np.ndarray, weight: np.ndarray, heads: int) -> np.ndarray:
    """x W, cut into heads."""
    return (x @ weight).reshape(len(x), heads, -1).swapaxes(0, 1)


def gqa(x: np.ndarray, w: dict[str, np.ndarray], heads: int, kv_heads: int) -> np.ndarray:
    """Grouped attention as drawn: query head i reads key/value head i // (heads / kv_heads)."""
    at = np.arange(len(x))
    q = rope(heads_of(x, w["q"], heads), at)
    k = rope(heads_of(x, w["k"], kv_heads), at)
    v = heads_of(x, w["v"], kv_heads)
    out = np.empty((heads, len(x), v.shape[-1]))
    for head in range(heads):
        group = head * kv_heads // heads
        one = slice(head, head + 1), slice(group, group + 1)
        out[head] = attend(q[one[0]], k[one[1]], v[one[1]], causal(len(x)), q.shape[-1] ** -0.5)[0]
    return out


def mha(x: np.ndarray, w: dict[str, np.ndarray], heads: int) -> np.ndarray:
    """Every query head with a key/value head of its own, all at once."""
    at = np.arange(len(x))
    q, k = (rope(heads_of(x, w[name], heads), at) for name in "qk")
    return attend(q, k, heads_of(x, w["v"], heads), causal(len(x)), q.shape[-1] ** -0.5)


def repeat_heads(weight: np.ndarray, kv_heads: int, times: int) -> np.ndarray:
    """A key or value matrix whose heads are each written `times` times: GQA spelled as MHA."""
    width = weight.shape[1] // kv_heads
    return np.repeat(weight.reshape(len(weight), kv_heads, width), times, axis=1).reshape(len(weight), -1)


def mla_cache(x: np.ndarray, w: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """What MLA keeps of each token: the latent c, and one RoPE key for all heads. (The norm on c is left out.)"""
    return x @ w["kv_a"], rope(x @ w["k_rope"], np.arange(len(x)))


def mla_query(x: np.ndarray, w: dict[str, np.ndarray], heads: int, nope: int) -> tuple[np.ndarray, np.ndarray]:
    """The content part and the turned part of every query head."""
    q = heads_of(x, w["q"], heads)
    return q[..., :nope], rope(q[..., nope:], np.arange(len(x)))


def mla_expanded(x: np.ndarray, w: dict[str, np.ndarray], heads: int) -> np.ndarray:
    """Rebuild keys and values of every head from the latent, then attend as MHA does."""
    c, k_rope = mla_cache(x, w)
    uk, uv = w["uk"], w["uv"]  # heads x nope x rank, heads x rank x v
    k_nope = np.einsum("tr,hnr->htn", c, uk)
    q_nope, q_rope = mla_query(x, w, heads, uk.shape[1])
    k = np.concatenate([k_nope, np.broadcast_to(k_rope, (heads, *k_rope.shape))], axis=-1)
    q = np.concatenate([q_nope, q_rope], axis=-1)
    return attend(q, k, np.einsum("tr,hrv->htv", c, uv), causal(len(x)), q.shape[-1] ** -0.5)


def mla_absorbed(x: np.ndarray, w: dict[str, np.ndarray], heads: int) -> np.ndarray:
    """Fold W_uk into the query and W_uv behind the sum: attention runs on the latents themselves."""
    c, k_rope = mla_cache(x, w)
    uk, uv = w["uk"], w["uv"]
    q_nope, q_rope = mla_query(x, w, heads, uk.shape[1])
    folded = np.einsum("htn,hnr->htr", q_nope, uk)
    scores = (folded @ c.T + q_rope @ k_rope.T) * (uk.shape[1] + k_rope.shape[1]) ** -0.5
    weights = softmax(np.where(causal(len(x)), scores, -np.inf))
    return np.einsum("htr,hrv->htv", weights @ c, uv)


def random_mla(seed: int, tokens: int, width: int, heads: int, rank: int, nope: int, rot: int, v: int):
    """Inputs and weights of a small MLA layer."""
    rng = np.random.default_rng(seed)
    sizes = {"q": (width, heads * (nope + rot)), "kv_a": (width, rank), "k_rope": (width, rot)}
    w = {name: rng.standard_normal(size) / width**0.5 for name, size in sizes.items()}
    w["uk"] = rng.standard_normal((heads, nope, rank)) / rank**0.5
    w["uv"] = rng.standard_normal((heads, rank, v)) / rank**0.5
    return rng.standard_normal((tokens, width)), w
