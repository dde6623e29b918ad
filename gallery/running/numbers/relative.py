"""Positions as a bias by distance, vectors kept short, taps of a token's own, a softmax over the depth of the model."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.records import Normal
from cutaway.gallery.running.numbers.attention import softmax
from cutaway.gallery.running.numbers.plain import flat, normalise


def relative(run, node, tensors, r):
    """[heads, query, key]: what a query mixes out of a bank of profiles, one number per distance; 0 beyond."""
    bank = tensors["weight"]
    profiles = np.einsum("qhr,re->hqe", r, bank)
    distance = run.positions[:, None] - run.positions[None, :]
    inside = (distance >= 0) & (distance < bank.shape[1])
    index = np.clip(distance, 0, bank.shape[1] - 1)
    found = np.take_along_axis(profiles, np.broadcast_to(index, (len(profiles), *index.shape)), axis=-1)
    return np.where(inside, found, 0.0)


def l2_clip(run, node, tensors, x):
    """Vectors longer than the limit are shortened to it."""
    length = np.sqrt((x * x).sum(-1, keepdims=True))
    return x * np.minimum(node.facts["limit"] / (length + 1e-6), 1.0)


def log_scale(run, node, tensors, x):
    """x times 1 + alpha · log(position / floor), from the floor on."""
    by = 1 + node.facts["alpha"] * np.log(np.maximum((run.positions + 1) / node.facts["floor"], 1.0))
    return x * by.reshape(-1, *([1] * (x.ndim - 1)))


def dynamic_conv(run, node, tensors, x, taps):
    """Σ over the last tokens of (static + dynamic tap) · x: a static one per channel, a dynamic one per head."""
    x, static, heads = flat(x), tensors["weight"], taps.shape[1]
    out = np.zeros_like(x)
    for lag in range(len(static)):
        weight = static[lag] + np.repeat(taps[:, :, lag], x.shape[1] // heads, axis=1)
        out[lag:] += weight[lag:] * x[: len(x) - lag]
    return out


def attend_depth(run, node, tensors, *states):
    """Token by token: softmax of query · state / √width over normalised states, and their weighted sum."""
    query = tensors["query"].reshape(-1, states[0].shape[-1])[node.facts["row"]]
    stack = normalise(np.stack(states, axis=1), Normal("RMSNorm", node.facts["eps"]))
    weights = softmax(stack @ query / np.sqrt(len(query)))
    return np.einsum("tn,tnd->td", weights, stack)


NUMBERS = {"relative": relative, "l2_clip": l2_clip, "log_scale": log_scale, "dynamic_conv": dynamic_conv,
           "attend_depth": attend_depth}  # fmt: skip
