"""State spaces, token after token: the step size, the scan over a state, matrices that stand apart for each head."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.plain import flat, softplus


def step(run, node, tensors, x):
    """Δ = softplus(x + bias), within its limits."""
    x = flat(x) + tensors["bias"].reshape(-1) if "bias" in tensors else flat(x)
    low, high = node.facts.get("limits") or (0.0, np.inf)
    return np.clip(softplus(x), low, high)


def scan(run, node, tensors, x, delta, b, c):
    """h ← exp(Δ A) h + Δ B ⊗ x, y = C·h + D x; a state [channels, state_size] per head, B and C per group of heads."""
    facts, tokens = node.facts, len(x)
    heads, size, groups = facts["heads"], facts["state_size"], facts["groups"]
    x, delta = x.reshape(tokens, heads, -1), delta.reshape(tokens, heads, -1)
    b, c = (np.repeat(one.reshape(tokens, groups, 1, size), heads // groups, axis=1) for one in (b, c))
    a = -np.exp(tensors["A_log"]).reshape(heads, -1, size if facts["per_state"] else 1)
    d = tensors["D"].reshape(heads, -1)
    state, out = np.zeros((heads, x.shape[2], size)), np.zeros_like(x)
    for t in range(tokens):
        by = delta[t][:, :, None]
        state = np.exp(by * a) * state + by * b[t] * x[t][:, :, None]
        out[t] = (state * c[t]).sum(-1) + d * x[t]
    return flat(out)


def per_head(run, node, tensors, x):
    """x W' (+ b) with a matrix of its own for each head, stored as it is or turned: [tokens, heads, width]."""
    weight = tensors["weight"]
    x = x.reshape(len(x), len(weight), -1)
    out = np.einsum("thi,hio->tho" if node.facts.get("turned") else "thi,hoi->tho", x, weight)
    return out + tensors["bias"] if "bias" in tensors else out


def rg_lru(run, node, tensors, x, taken, kept):
    """h ← a h + √(1 − a²) (i × x), a = exp(−8 r softplus(λ)); the first token is taken in whole."""
    x, taken, kept = flat(x), flat(taken), flat(kept)
    a = np.exp(-8 * kept * softplus(tensors["rate"]))
    state, out = np.zeros(x.shape[1]), np.zeros_like(x)
    for t in range(len(x)):
        new = taken[t] * x[t]
        state = a[t] * state + np.sqrt(1 - a[t] ** 2) * new if t else new
        out[t] = state
    return out


NUMBERS = {"step": step, "scan": scan, "per_head": per_head, "rg_lru": rg_lru}
