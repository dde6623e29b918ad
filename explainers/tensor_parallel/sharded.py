"""The layer on t ranks: the same answer as on one, and a log of what the ranks send each other.

Every tensor of the sharded run is compared with its place in the unsharded one (whole.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cutaway.explainers.tensor_parallel import whole
from cutaway.gallery import mesh

Form, unsharded, attend, HEAD, HIDDEN = whole.Form, whole.run_unsharded, whole.attend, whole.HEAD, whole.HIDDEN
matmul, rms_norm = whole.matmul, whole.rms_norm


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
        slots: list[list] = [[block if i == c else None for c in range(self.t)] for i, block in enumerate(blocks)]
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


def slices(form: Any, t: int, rank: int) -> dict[str, Any]:
    """What a rank keeps of every matrix: columns of q, k, v, gate, up; rows of o and down."""
    per, mlp = form.heads // t, 2 * form.heads // t
    heads = slice(HEAD * per * rank, HEAD * per * (rank + 1))
    columns = slice(mlp * rank, mlp * (rank + 1))
    held = kv_of(rank, t, form.kv_heads)
    kv = slice(HEAD * held[0], HEAD * (held[-1] + 1))
    groups = [j * form.kv_heads // form.heads - held[0] for j in range(per * rank, per * (rank + 1))]
    return {"heads": heads, "kv": kv, "mlp": columns, "groups": groups}


class Run:
    """The layer on t ranks; `away` = the largest difference from the unsharded run, step by step."""

    def __init__(self, form: Any, t: int, sp: bool):
        self.form, self.t, self.sp, self.ranks = form, t, sp, Ranks(t)
        self.tokens = t * -(-8 // t)  # at least 8, and each rank can take as many as every other
        self.w, self.whole = unsharded(form, self.tokens)
        self.mine = [slices(form, t, rank) for rank in range(t)]
        self.away: list[float] = []
        stream = [self.whole["x"][self._own(rank)] for rank in range(t)]
        if form.parallel:
            self._both(stream)
        else:
            after = self._leave("attention", stream, self._attention(self._enter("attention", stream, "n1")), "y")
            self._leave("mlp", after, self._mlp(self._enter("mlp", after, "n2")), "z")

    def _both(self, stream: list[np.ndarray]) -> None:
        """Both halves of the same x; their partial sums are added on each rank, and meet once."""
        x = self._enter("mlp", stream, "n1")
        first = self._attention(x)
        for _ in range(2):
            self._compare([sum_partials(first)], [self.whole["y added"]])
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
        full = [self.w.entered(part) for part in stream]
        if self.sp:
            full = self.ranks.all_gather(what, full)
        self._compare(full, [self.whole[name]] * self.t)
        return full

    def _leave(self, what: str, stream: list[np.ndarray], partial: list[np.ndarray], name: str) -> list[np.ndarray]:
        """The partial sums meet, and the residual is added."""
        self._compare([sum_partials(partial)], [self.whole[name + " added"]])
        meet = self.ranks.reduce_scatter if self.sp else self.ranks.all_reduce
        after = [self.w.added(a, b) for a, b in zip(stream, meet(what, partial), strict=True)]
        self._compare(after, [self.whole[name][self._own(rank)] for rank in range(self.t)])
        return after

    def _attention(self, x: list[np.ndarray]) -> list[np.ndarray]:
        w, mine = self.w, self.mine
        q = [w.queries(x[r], m["heads"]) for r, m in enumerate(mine)]
        k, v = zip(*(w.keys_and_values(x[r], m["kv"]) for r, m in enumerate(mine)), strict=True)
        self._columns(q, "q", "heads")
        if self.form.full:
            q, k = self._normed(q, "heads", 0), self._normed(k, "kv", self.t - 1)
        a = [attend(q[r], k[r], v[r], m["groups"]) for r, m in enumerate(mine)]
        self._columns(a, "a", "heads")
        return [matmul(a[r], w.o[m["heads"]]) for r, m in enumerate(mine)]

    def _normed(self, parts: Sequence[np.ndarray], cut: str, after: int) -> list[np.ndarray]:
        """All heads are gathered (copies once), normed, and each rank takes its own."""
        starts = [m[cut].start for m in self.mine]
        own = [part[:, : 0 if starts[r] in starts[:r] else None].T for r, part in enumerate(parts)]
        every = self.ranks.all_gather("norm", own, after)
        return [rms_norm(one.T)[:, m[cut]] for one, m in zip(every, self.mine, strict=True)]

    def _mlp(self, x: list[np.ndarray]) -> list[np.ndarray]:
        w, mine = self.w, self.mine
        up = [matmul(x[r], w.up[:, m["mlp"]]) for r, m in enumerate(mine)]
        self._columns(up, "up", "mlp")
        h = [w.activate(x[r], m["mlp"], up[r]) for r, m in enumerate(mine)]
        self._columns(h, "h", "mlp")
        return [matmul(h[r], w.down[m["mlp"]]) for r, m in enumerate(mine)]


def sum_partials(partial: list[np.ndarray]) -> np.ndarray:
    """Partial sums added up in the order of the ranks."""
    out = partial[0]
    for part in partial[1:]:
        out = out + part
    return out
