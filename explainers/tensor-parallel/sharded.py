"""One layer, on one rank and on t ranks: the same answer, and a log of what the ranks send each other.

The copy that runs has the model's own heads (H queries, K keys and values), but each head is 2 numbers wide, the hidden
size is 32 and the MLP is 2 H wide. Every tensor of the sharded run is compared with its place in the unsharded one.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from explainers import load_file
from gallery import mesh

arithmetic = load_file(Path(__file__).with_name("arithmetic.py"))
matmul = arithmetic.matmul
HIDDEN, HEAD = 32, 2


class Weights:
    """The layer's matrices at the size that runs."""

    def __init__(self, heads: int, kv_heads: int, gated: bool):
        self.heads, self.kv_heads, self.gated = heads, kv_heads, gated
        wide, mlp = HEAD * heads, 2 * heads
        make = arithmetic.numbers
        self.q, self.o = make(1, HIDDEN, wide), make(4, wide, HIDDEN) / 4
        self.k, self.v = make(2, HIDDEN, HEAD * kv_heads), make(3, HIDDEN, HEAD * kv_heads)
        self.gate, self.up, self.down = make(5, HIDDEN, mlp), make(6, HIDDEN, mlp), make(7, mlp, HIDDEN) / 4


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


def activate(x: np.ndarray, gate: np.ndarray, up: np.ndarray, gated: bool) -> np.ndarray:
    """silu(x gate) * up, or silu(up) where the model has no gate; `up` is already multiplied."""
    return arithmetic.silu(matmul(x, gate)) * up if gated else arithmetic.silu(up)


@lru_cache(maxsize=64)
def unsharded(
    heads: int, kv_heads: int, gated: bool, tokens: int, parallel: bool = False
) -> tuple[Weights, dict[str, np.ndarray]]:
    """The layer's weights, and every tensor of one pass over these many tokens; `parallel`: both halves read x."""
    w, x = Weights(heads, kv_heads, gated), tokens_in(tokens)
    n1 = arithmetic.rms_norm(x)
    q, k, v = matmul(n1, w.q), matmul(n1, w.k), matmul(n1, w.v)
    a = attend(q, k, v, [j * w.kv_heads // w.heads for j in range(w.heads)])
    out = matmul(a, w.o)
    n2 = n1 if parallel else arithmetic.rms_norm(x + out)
    up = matmul(n2, w.up)
    h = activate(n2, w.gate, up, w.gated)
    down = matmul(h, w.down)
    attention = {"n1": n1, "q": q, "a": a, "y added": out, "y": x + out}
    added = out + down if parallel else down
    z = (x if parallel else x + out) + added
    return w, {"x": x, **attention, "n2": n2, "up": up, "h": h, "z added": added, "z": z}


def tokens_in(n: int) -> np.ndarray:
    """What enters the layer."""
    return 2 * arithmetic.numbers(8, n, HIDDEN)


class Ranks:
    """t ranks in a ring of the mesh; `log` keeps [what, step, src, dst, first row, rows, bytes]."""

    def __init__(self, t: int):
        self.t = t
        self.log: list[list] = []

    def _run(self, op: str, what: str, slots: list[list], after: int = 0) -> None:
        """One ring, logged; it begins `after` so many steps."""

        def seen(step: mesh.Step, sent: list) -> None:
            nonlocal after
            after += 1
            for send, part in zip(step.sends, sent, strict=True):
                rows = [send.chunk * len(part), len(part), part.nbytes]
                self.log.append([what, after, send.source, send.destination, *rows])

        mesh.carry_out(mesh.schedule(op, "ring", self.t), slots, seen)

    def reduce_scatter(self, what: str, parts: list[np.ndarray]) -> list[np.ndarray]:
        """Rank i gets the sum of everybody's i-th block of rows."""
        slots = [np.split(part, self.t) for part in parts]
        self._run("reduce-scatter", what, slots)
        return [slots[i][i] for i in range(self.t)]

    def all_gather(self, what: str, blocks: list[np.ndarray], after: int = 0) -> list[np.ndarray]:
        """Everybody gets all blocks, in order."""
        slots = [[block if i == c else None for c in range(self.t)] for i, block in enumerate(blocks)]
        self._run("all-gather", what, slots, after)
        return [np.concatenate(own) for own in slots]

    def all_reduce(self, what: str, parts: list[np.ndarray]) -> list[np.ndarray]:
        """Reduce-scatter, then all-gather."""
        return self.all_gather(what, self.reduce_scatter(what, parts), self.t - 1)


def kv_of(rank: int, t: int, kv_heads: int) -> list[int]:
    """The KV heads a rank holds: its share, or a copy of one when there are more ranks than heads."""
    if kv_heads >= t:
        return list(range(rank * kv_heads // t, (rank + 1) * kv_heads // t))
    return [rank * kv_heads // t]


def slices(w: Weights, t: int, rank: int) -> dict[str, Any]:
    """What a rank keeps of every matrix: columns of q, k, v, gate, up; rows of o and down."""
    per, mlp = w.heads // t, 2 * w.heads // t
    heads = slice(HEAD * per * rank, HEAD * per * (rank + 1))
    columns = slice(mlp * rank, mlp * (rank + 1))
    held = kv_of(rank, t, w.kv_heads)
    kv = slice(HEAD * held[0], HEAD * (held[-1] + 1))
    groups = [j * w.kv_heads // w.heads - held[0] for j in range(per * rank, per * (rank + 1))]
    return {"heads": heads, "kv": kv, "mlp": columns, "groups": groups}


class Run:
    """The layer on t ranks; `away` = the largest difference from the unsharded run, step by step."""

    def __init__(self, heads: int, kv_heads: int, gated: bool, t: int, sp: bool, parallel: bool = False):
        self.t, self.sp, self.ranks = t, sp, Ranks(t)
        self.tokens = t * -(-8 // t)  # at least 8, and each rank can take as many as every other
        self.w, self.whole = unsharded(heads, kv_heads, gated, self.tokens, parallel)
        self.mine = [slices(self.w, t, rank) for rank in range(t)]
        self.away: list[float] = []
        stream = [self.whole["x"][self._own(rank)] for rank in range(t)]
        if parallel:
            self._both(stream)
        else:
            after = self._leave("attention", stream, self._attention(self._enter("attention", stream, "n1")), "y")
            self._leave("mlp", after, self._mlp(self._enter("mlp", after, "n2")), "z")

    def _both(self, stream: list[np.ndarray]) -> None:
        """Both halves of the same x; their partial sums are added on each rank, and meet once."""
        x = self._enter("mlp", stream, "n1")
        first = self._attention(x)
        for _ in range(2):
            self._compare([summed(first)], [self.whole["y added"]])
        self._compare(x, [self.whole["n2"]] * self.t)
        second = self._mlp(x)
        self._leave("mlp", stream, [a + b for a, b in zip(first, second, strict=True)], "z")

    def _own(self, rank: int) -> slice:
        """The tokens whose residual stream a rank keeps: its share with sequence parallelism, else all."""
        n = self.tokens // self.t
        return slice(rank * n, rank * n + n) if self.sp else slice(None)

    def _compare(self, parts: list[np.ndarray], places: list[np.ndarray]) -> None:
        assert [a.shape for a in parts] == [b.shape for b in places]
        self.away.append(max(float(np.abs(a - b).max()) for a, b in zip(parts, places, strict=True)))

    def _columns(self, parts: list[np.ndarray], name: str, cut: str) -> None:
        self._compare(parts, [self.whole[name][:, m[cut]] for m in self.mine])

    def _enter(self, what: str, stream: list[np.ndarray], name: str) -> list[np.ndarray]:
        """The normed input on every rank; with sequence parallelism it is gathered here."""
        full = [arithmetic.rms_norm(part) for part in stream]
        if self.sp:
            full = self.ranks.all_gather(what, full)
        self._compare(full, [self.whole[name]] * self.t)
        return full

    def _leave(self, what: str, stream: list[np.ndarray], partial: list[np.ndarray], name: str) -> list[np.ndarray]:
        """The partial sums meet, and the residual is added."""
        self._compare([summed(partial)], [self.whole[name + " added"]])
        meet = self.ranks.reduce_scatter if self.sp else self.ranks.all_reduce
        after = [a + b for a, b in zip(stream, meet(what, partial), strict=True)]
        self._compare(after, [self.whole[name][self._own(rank)] for rank in range(self.t)])
        return after

    def _attention(self, x: list[np.ndarray]) -> list[np.ndarray]:
        w, mine = self.w, self.mine
        q = [matmul(x[r], w.q[:, m["heads"]]) for r, m in enumerate(mine)]
        k = [matmul(x[r], w.k[:, m["kv"]]) for r, m in enumerate(mine)]
        v = [matmul(x[r], w.v[:, m["kv"]]) for r, m in enumerate(mine)]
        self._columns(q, "q", "heads")
        a = [attend(q[r], k[r], v[r], m["groups"]) for r, m in enumerate(mine)]
        self._columns(a, "a", "heads")
        return [matmul(a[r], w.o[m["heads"]]) for r, m in enumerate(mine)]

    def _mlp(self, x: list[np.ndarray]) -> list[np.ndarray]:
        w, mine = self.w, self.mine
        up = [matmul(x[r], w.up[:, m["mlp"]]) for r, m in enumerate(mine)]
        self._columns(up, "up", "mlp")
        h = [activate(x[r], w.gate[:, m["mlp"]], up[r], w.gated) for r, m in enumerate(mine)]
        self._columns(h, "h", "mlp")
        return [matmul(h[r], w.down[m["mlp"]]) for r, m in enumerate(mine)]


def summed(partial: list[np.ndarray]) -> np.ndarray:
    """Partial sums added up in the order of the ranks."""
    out = partial[0]
    for part in partial[1:]:
        out = out + part
    return out
