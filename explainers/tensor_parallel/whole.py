"""The copy of a model's layer that runs: its form, its weights, and one pass of it on one rank.

It has the model's own heads (H queries, K keys and values), but each head is 2 numbers wide, the hidden size is 32 and
the MLP is 2 H wide: of a model with experts, two of H whose columns alternate. A latent has 8 numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cutaway.explainers.tensor_parallel import arithmetic

matmul, rms_norm = arithmetic.matmul, arithmetic.rms_norm
HIDDEN, HEAD, LATENT = 32, 2, 8


class Form(NamedTuple):
    """What of a model's layer runs."""

    heads: int
    kv_heads: int
    gated: bool = True
    parallel: bool = False  # both halves read x
    full: bool = False  # one norm over the queries of all heads, one over the keys
    after: bool = False  # norms stand behind the halves
    expert: bool = False  # each token visits one of two experts
    latent: int = 0  # 1: keys and values of all heads come out of one latent; 2: queries, too


class Weights:
    """The layer's matrices at the size that runs."""

    def __init__(self, form: Form):
        self.form = form
        wide, mlp, kv = HEAD * form.heads, 2 * form.heads, HEAD * form.kv_heads
        make = arithmetic.numbers
        self.q, self.o = make(1, LATENT if form.latent == 2 else HIDDEN, wide), make(4, wide, HIDDEN) / 4
        self.k, self.v = make(2, HIDDEN, kv), make(3, HIDDEN, kv)
        self.gate, self.up, self.down = make(5, HIDDEN, mlp), make(6, HIDDEN, mlp), make(7, mlp, HIDDEN) / 4
        self.router = make(9, HIDDEN, 2)
        self.q_a, self.kv_a, self.kv_b = (
            make(10, HIDDEN, LATENT),
            make(11, HIDDEN, LATENT + 1),
            make(12, LATENT, 3 * kv // 2),
        )

    def queries(self, x: np.ndarray, mine: slice) -> np.ndarray:
        """Of some heads: out of x, or of its latent."""
        return matmul(rms_norm(matmul(x, self.q_a)) if self.form.latent == 2 else x, self.q[:, mine])

    def keys_and_values(self, x: np.ndarray, mine: slice) -> tuple[np.ndarray, np.ndarray]:
        """Of some heads. Out of a latent comes one number of each key; the other is the same for all heads."""
        if not self.form.latent:
            return matmul(x, self.k[:, mine]), matmul(x, self.v[:, mine])
        kept = matmul(x, self.kv_a)
        both = matmul(rms_norm(kept[:, :LATENT]), self.kv_b[:, 3 * mine.start // 2 : 3 * mine.stop // 2])
        both = both.reshape(len(x), -1, 3)
        shared = np.broadcast_to(kept[:, None, LATENT:], (*both.shape[:2], 1))
        keys = np.concatenate([both[:, :, :1], shared], axis=2)
        return keys.reshape(len(x), -1), both[:, :, 1:].reshape(len(x), -1)

    def activate(self, x: np.ndarray, mine: slice, up: np.ndarray) -> np.ndarray:
        """silu(x gate) * up, or silu(up) where the model has no gate; columns of the expert not chosen are 0."""
        h = arithmetic.silu(matmul(x, self.gate[:, mine])) * up if self.form.gated else arithmetic.silu(up)
        if not self.form.expert:
            return h
        weights = arithmetic.softmax(matmul(x, self.router))
        weights = np.where(weights == weights.max(-1, keepdims=True), weights, 0.0)
        return h * weights[:, np.arange(up.shape[1]) % 2]

    def added(self, stream: np.ndarray, half: np.ndarray) -> np.ndarray:
        """What a half gives, normed where its norm stands behind it, goes into the stream."""
        return stream + (rms_norm(half) if self.form.after else half)

    def entered(self, stream: np.ndarray) -> np.ndarray:
        """What a half reads."""
        return stream if self.form.after else rms_norm(stream)


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, groups: list[int]) -> np.ndarray:
    """Causal attention; groups[j] is the KV head that query head j reads. Sums keep the order of the written loops."""
    n, (q, k, v) = len(q), (x.reshape(len(x), -1, HEAD).transpose(1, 0, 2) for x in (q, k, v))
    k, v = k[groups], v[groups]
    scores = np.zeros((len(groups), n, n))
    for d in range(HEAD):
        scores = scores + q[:, :, d, None] * k[:, None, :, d]
    p = arithmetic.softmax(np.where(np.tri(n, dtype=bool), scores / np.sqrt(float(HEAD)), -np.inf))
    out = np.zeros_like(q)
    for i in range(n):
        out = out + p[:, :, i, None] * v[:, i, None, :]
    return out.transpose(1, 0, 2).reshape(n, -1)


@lru_cache(maxsize=64)
def run_unsharded(form: Form, tokens: int) -> tuple[Weights, dict[str, np.ndarray]]:
    """The layer's weights, and every tensor of one pass over these many tokens."""
    w, x, every = Weights(form), tokens_in(tokens), slice(0, HEAD * form.heads)
    n1 = w.entered(x)
    q, (k, v) = w.queries(n1, every), w.keys_and_values(n1, slice(0, HEAD * form.kv_heads))
    normed = (rms_norm(q), rms_norm(k)) if form.full else (q, k)
    a = attend(*normed, v, [j * form.kv_heads // form.heads for j in range(form.heads)])
    out = matmul(a, w.o)
    y = w.added(x, out)
    n2 = n1 if form.parallel else w.entered(y)
    up = matmul(n2, w.up)
    h = w.activate(n2, every, up)
    down = matmul(h, w.down)
    added = out + down if form.parallel else down
    z = w.added(x if form.parallel else y, added)
    attention = {"n1": n1, "q": q, "a": a, "y added": out, "y": y}
    return w, {"x": x, **attention, "n2": n2, "up": up, "h": h, "z added": added, "z": z}


def tokens_in(n: int) -> np.ndarray:
    """What enters the layer."""
    return 2 * arithmetic.numbers(8, n, HIDDEN)
