"""Operations that rewrite a state with every token: delta rules, linear attention, matrix memories, RWKV."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.plain import flat, sigmoid, softplus


def decay(run, node, tensors, a):
    """[tokens, heads, 1 or channels] what is left of the state: exp(-exp(A) · softplus(a + dt)), or with a lower
    bound of its logarithm."""
    rate = np.exp(tensors["A_log"]).reshape(-1, 1)
    x = (flat(a) + tensors["dt_bias"]).reshape(len(a), len(rate), -1)
    lower = node.facts.get("lower", 0.0)
    return np.exp(lower * sigmoid(rate * x) if lower else -rate * softplus(x))


def delta(run, node, tensors, q, k, v, beta, alpha):
    """S ← α S + β k ⊗ (v − k·αS), then o = scale · q·S, one state per value head."""
    share = v.shape[1] // k.shape[1]
    q, k = np.repeat(q, share, axis=1) * node.facts["scale"], np.repeat(k, share, axis=1)
    state = np.zeros((v.shape[1], k.shape[2], v.shape[2]))
    out = np.zeros_like(v)
    for t in range(len(v)):
        state = state * alpha[t][:, :, None]
        missing = v[t] - np.einsum("hk,hkv->hv", k[t], state)
        state = state + np.einsum("hk,hv->hkv", k[t], beta[t].reshape(-1, 1) * missing)
        out[t] = np.einsum("hk,hkv->hv", q[t], state)
    return out


def lightning(run, node, tensors, q, k, v):
    """S ← λ S + k ⊗ v with a λ per head that never changes, then o = scale · q·S. Its slopes are ALiBi's for a power of
    two of heads, and shrink from layer to layer."""
    facts, heads = node.facts, q.shape[1]
    depth = 1 - (run.layer - facts["first"]) / (facts["layers"] - 1 + 1e-5) + 1e-5
    own = 1 + facts.get("heads_from", 0) + np.arange(heads)  # which of all heads these are
    left = np.exp(-depth * 2 ** (-8 * own / facts.get("heads_of", heads)))[:, None, None]
    state = np.zeros((v.shape[1], k.shape[2], v.shape[2]))
    out = np.zeros_like(v)
    for t in range(len(v)):
        state = left * state + np.einsum("hk,hv->hkv", k[t], v[t])
        out[t] = np.einsum("hk,hkv->hv", q[t], state)
    return out * node.facts["scale"]


def mlstm(run, node, tensors, q, k, v, i, f):
    """C ← f C + i k ⊗ v, n ← f n + i k, then C·q / max(|n·q|, 1); a running maximum m keeps the exponents small."""
    heads, dk, dv = q.shape[1], q.shape[2], v.shape[2]
    matrix, total, top = np.zeros((heads, dk, dv)), np.zeros((heads, dk)), np.zeros(heads)
    q = q * dk**-0.5
    out = np.zeros_like(v)
    for t in range(len(v)):
        forget = -softplus(-f[t]) + top
        top = np.maximum(forget, i[t])
        kept, new = np.exp(forget - top)[:, None], np.exp(i[t] - top)[:, None]
        matrix = kept[:, :, None] * matrix + new[:, :, None] * k[t][:, :, None] * v[t][:, None, :]
        total = kept * total + new * k[t]
        size = np.maximum(np.abs((total * q[t]).sum(-1)), np.exp(-top)) + node.facts["eps"]
        out[t] = np.einsum("hk,hkv->hv", q[t], matrix) / size[:, None]
    return out


NUMBERS = {"decay": decay, "delta": delta, "lightning": lightning, "mlstm": mlstm}
