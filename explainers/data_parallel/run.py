"""One step of Adam on ranks that share a model in two levels: shards inside a group, copies of the group beside it.

What really moves is a small vector of weights; every rank's gradient depends on the weights it has gathered, so a
wrong gather or sum would show. Numbers are counted here; bytes come from a convention.

Collectives go in two levels, over nodes and inside each: what must leave a node leaves it once, as the planner counts.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from cutaway.gallery.mesh import Mesh, Network

NODE = 8  # GPUs in each
FORWARD, BACKWARD, MEET, STEP, GATHER = range(1, 6)  # moments of a step; 0 is before it


class Ran(NamedTuple):
    """What was counted, per number of the model."""

    away: float  # from the same step on one rank, at most
    sent: dict[int, dict[str, float]]  # moment -> what ("weights", "gradients") the busiest rank sent then
    leaves: dict[str, float]  # what all ranks of a node send to other nodes together, by what
    meetings: int  # how often ranks met


def values(seed: int, rows: int, many: int) -> np.ndarray:
    """Numbers between -1/2 and 1/2 that every language makes alike."""
    place = np.arange(rows * many).reshape(rows, many)
    return (place * 7919 + seed * 104729) % 1009 / 1009 - 0.5


def adam(w: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The weights after a first step: learning rate 1/8, decays 0.9 and 0.999."""
    return w - 0.125 * (0.1 * g / 0.1) / (np.sqrt(0.001 * (g * g) / 0.001) + 1e-8)


@cache
def step(stage: int, shards: int, copies: int) -> Ran:
    """Forward, backward, gradients meet, each steps its share, weights are gathered."""
    d, n = shards * copies, 2 * shards * copies
    net = Network(Mesh({"copy": copies, "shard": shards}, NODE), "hierarchical")
    ranks, place = range(d), net.mesh.place
    w, data = values(11, 1, n)[0], values(12, d, n)
    each = n // shards
    own = [slice(each * place(r, "shard"), each * (place(r, "shard") + 1)) for r in ranks]
    when: list[int] = []

    def gather(moment: int, what: str, parts: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        found = net.all_gather(parts, "shard", what)
        when.extend([moment] * (len(net.log) - len(when)))
        return found

    def summed(grads: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        found = net.reduce_scatter(grads, "shard", "gradients")
        found = net.all_reduce(found, "copy", "gradients")
        if stage == 0:
            found = net.all_gather(found, "shard", "gradients")
        when.extend([MEET] * (len(net.log) - len(when)))
        return found

    mine = {r: w[own[r]] for r in ranks}
    whole = dict.fromkeys(ranks, w)
    forward = gather(FORWARD, "weights", mine) if stage == 3 else whole
    backward = gather(BACKWARD, "weights", mine) if stage == 3 else whole
    met = summed({r: forward[r] * data[r] + backward[r] * 0.5 for r in ranks})
    if stage == 0:
        after = {r: adam(w, met[r] / d) for r in ranks}
    else:
        after = {r: adam(mine[r], met[r] / d) for r in ranks}
        after = after if stage == 3 else gather(GATHER, "weights", after)
    answer = adam(w, (w * data + w * 0.5).sum(0) / d)
    away = max(float(np.abs(after[r] - (answer[own[r]] if stage == 3 else answer)).max()) for r in ranks)
    return Ran(away, *count_log(net, when, n, d))


def count_log(net: Network, when: list[int], n: int, d: int) -> tuple[dict, dict, int]:
    """The log, per number of the model: by moment and tensor of the busiest rank, and what leaves a node."""
    by: dict[tuple[int, str, int], float] = {}
    leaves = {"weights": 0.0, "gradients": 0.0}
    for move, moment in zip(net.log, when, strict=True):
        key = (moment, move.tensor, move.source)
        by[key] = by.get(key, 0.0) + move.bytes / 8 / n
        if move.link == "outside":
            leaves[move.tensor] += move.bytes / 8 / n
    nodes = max(-(-d // NODE), 1)
    sent: dict[int, dict[str, float]] = {}
    for moment, what, _ in by:
        most = max(size for (at, name, _), size in by.items() if (at, name) == (moment, what))
        sent.setdefault(moment, {})[what] = most
    return sent, {what: size / nodes for what, size in leaves.items()}, len(sent)
