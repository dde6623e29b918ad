"""Five ways to write a key and a value into a fixed state: each step by step, and each in chunks. float64, loops.

State S is d_k x d_v; reading with a query q gives S'q. One step of every rule is

    S <- Diag(a) S;   S <- S + k u',   with u = v, or u = b (v - S'k) where the rule is a delta rule.

The decay a is one number per channel, or one per token and channel. Beside the rules stands what they replace:
softmax attention, which keeps every pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# name -> what people call it, the step in symbols, LaTeX, does it decay, is it a delta rule, source
RULES: tuple[dict[str, Any], ...] = (
    {
        "name": "linear",
        "label": "Linear attention",
        "formula": "S ← S + k vᵀ",
        "decay": "none",
        "delta": False,
        "who": "the first of its kind",
        "source": "Katharopoulos et al., arXiv 2006.16236",
    },
    {
        "name": "decay",
        "label": "Decay",
        "formula": "S ← α S + k vᵀ",
        "decay": "scalar",
        "delta": False,
        "who": "Mamba-2: Nemotron 3, Granite 4, Falcon-H1",
        "source": "Dao and Gu, arXiv 2405.21060; in this form in arXiv 2412.06464",
    },
    {
        "name": "delta",
        "label": "DeltaNet",
        "formula": "S ← (I − β k kᵀ) S + β k vᵀ",
        "decay": "none",
        "delta": True,
        "who": "research models",
        "source": "Schlag et al., arXiv 2102.11174; Yang et al., arXiv 2406.06484",
    },
    {
        "name": "gated",
        "label": "Gated DeltaNet",
        "formula": "S ← (I − β k kᵀ) α S + β k vᵀ",
        "decay": "scalar",
        "delta": True,
        "who": "Qwen3-Next, Qwen3.5, OLMo-Hybrid",
        "source": "Yang et al., arXiv 2412.06464; transformers 5.23.0 modeling_qwen3_next.py",
    },
    {
        "name": "kda",
        "label": "KDA",
        "formula": "S ← (I − β k kᵀ) Diag(α) S + β k vᵀ",
        "decay": "channel",
        "delta": True,
        "who": "Kimi Linear, Kimi K3",
        "source": "Kimi Linear report, arXiv 2510.26692",
    },
)
BY_NAME = {rule["name"]: rule for rule in RULES}


def decays(rule: str, decay: float, channels: np.ndarray) -> np.ndarray:
    """The decay of every key channel under a rule."""
    kind = BY_NAME[rule]["decay"]
    if kind == "channel":
        return channels
    return np.full(len(channels), decay if kind == "scalar" else 1.0)


def recurrent(rule: str, q, k, v, alpha: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Token by token: (the state after every step, 0 to T; what each query read)."""
    alpha = np.broadcast_to(alpha, k.shape)
    state = np.zeros((k.shape[1], v.shape[1]))
    states, outputs = [state], np.zeros((len(k), v.shape[1]))
    for t in range(len(k)):
        state = alpha[t][:, None] * state
        written = v[t]
        if BY_NAME[rule]["delta"]:
            written = beta * (v[t] - state.T @ k[t])  # only what this key does not read back already
        state = state + np.outer(k[t], written)
        states.append(state)
        outputs[t] = state.T @ q[t]
    return np.array(states), outputs


def run_chunks(rule: str, q, k, v, alpha: np.ndarray, beta: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """`size` tokens at a time, as matrices: (the last state; what each query read). How it is trained on GPUs."""
    alpha = np.broadcast_to(alpha, k.shape)
    state = np.zeros((k.shape[1], v.shape[1]))
    outputs = np.zeros((len(k), v.shape[1]))
    for start in range(0, len(k), size):
        part = slice(start, start + size)
        state, outputs[part] = one_chunk(rule, state, q[part], k[part], v[part], alpha[part], beta)
    return state, outputs


def one_chunk(rule: str, state, q, k, v, alpha, beta) -> tuple[np.ndarray, np.ndarray]:
    """One chunk from the state before it: solve for what each token writes, then read and update by matrices."""
    n = len(k)
    faded = np.cumprod(alpha, axis=0)  # decay from before the chunk to token i, per channel
    ratio = np.array([[alpha[j + 1 : i + 1].prod(axis=0) for j in range(n)] for i in range(n)])  # from token j to i
    written = v
    if BY_NAME[rule]["delta"]:
        overlap = np.einsum("id,ijd,jd->ij", k, ratio, k)
        system = np.eye(n) + beta * np.tril(overlap, -1)  # token i corrects what tokens before it wrote
        written = np.linalg.solve(system, beta * (v - (faded * k) @ state))
    seen = np.tril(np.einsum("id,ijd,jd->ij", q, ratio, k))
    outputs = (faded * q) @ state + seen @ written
    after = faded[-1][:, None] * state + (ratio[n - 1] * k).T @ written
    return after, outputs


def attend(q, k, v, sharp: float) -> np.ndarray:
    """Softmax attention of queries over all pairs: the mean of the values, weighted by e^(sharp q'k); 0 over none."""
    if not len(k):
        return np.zeros((len(q), v.shape[1]))
    weights = np.exp(sharp * (q @ k.T))
    return weights / weights.sum(axis=1, keepdims=True) @ v
