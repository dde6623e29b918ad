"""Operations of the RWKV line: the token before, mixtures with it, and the states it is named after."""

from __future__ import annotations

import numpy as np


def previous(run, node, tensors, x):
    """Every token's predecessor; zeros in front of the first."""
    return np.concatenate((np.zeros_like(x[:1]), x[:-1]))


def lerp(run, node, tensors, x, y):
    """x · mix + y · (1 − mix), channel by channel."""
    mix = tensors["mix"].reshape(-1)
    return x * mix + y * (1 - mix)


def blend(run, node, tensors, x, y, share):
    """x moved towards y by a share of its own for every number."""
    return x + (y.reshape(x.shape) - x) * share.reshape(x.shape)


def scale_keys(run, node, tensors, k, a):
    """Keys grow with their learning rate: k · (1 + (a − 1) · weight)."""
    return k * (1 + (a.reshape(k.shape) - 1) * tensors["weight"].reshape(k.shape[1:]))


def bonus(run, node, tensors, r, k, v):
    """The current token once more: (Σ r · k · weight) v, head by head."""
    return (r * k * tensors["weight"]).sum(-1, keepdims=True) * v


def wkv(run, node, tensors, k, v):
    """RWKV-4: a mean of values weighted by exp(key), older ones decaying; the current token has a weight of its own."""
    fade, first = np.exp(tensors["time_decay"]), tensors["time_first"]
    above, below, top = np.zeros(k.shape[1]), np.zeros(k.shape[1]), np.full(k.shape[1], -np.inf)
    out = np.zeros_like(v)
    for t in range(len(k)):
        high = np.maximum(top, k[t] + first)
        old, new = np.exp(top - high), np.exp(k[t] + first - high)
        out[t] = (old * above + new * v[t]) / (old * below + new)
        high = np.maximum(top - fade, k[t])
        old, new = np.exp(top - fade - high), np.exp(k[t] - high)
        above, below, top = old * above + new * v[t], old * below + new, high
    return out


def wkv7(run, node, tensors, r, w, k, v, kappa, a):
    """S ← S (diag(w) − κ ⊗ (a κ)) + v ⊗ k, then o = S·r, one state per head."""
    w, a = w.reshape(k.shape), a.reshape(k.shape)
    state = np.zeros((v.shape[1], v.shape[2], k.shape[2]))
    out = np.zeros_like(v)
    for t in range(len(k)):
        seen = np.einsum("hvk,hk->hv", state, kappa[t])
        state = state * w[t][:, None, :] - np.einsum("hv,hk->hvk", seen, a[t] * kappa[t])
        state = state + np.einsum("hv,hk->hvk", v[t], k[t])
        out[t] = np.einsum("hvk,hk->hv", state, r[t])
    return out


NUMBERS = {
    "previous": previous,
    "lerp": lerp,
    "blend": blend,
    "rated": scale_keys,
    "bonus": bonus,
    "wkv": wkv,
    "wkv7": wkv7,
}
