"""One step of Adam on data-parallel ranks, sharded as ZeRO 0 to 3 and HSDP shard it; what each rank holds, in numbers.

0 all-reduces gradients; 1 and 2 reduce-scatter them, step on a share, and all-gather the new weights; 3 holds weights
in shares too, and gathers them forward and again backward. Over two axes shares stay inside the first, sums cross both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cutaway.gallery.mesh.network import Network

Array = np.ndarray
Vectors = dict[int, Array]  # by rank
STAGES = (0, 1, 2, 3)


def adam(w: Array, g: Array) -> Array:
    """The weights after a first step: learning rate 1/8, decays 0.9 and 0.999."""
    m, v = 0.1 * g, 0.001 * g * g
    return w - 0.125 * (m / 0.1) / (np.sqrt(v / 0.001) + 1e-8)


class Holds(NamedTuple):
    """How many numbers a rank keeps between steps: of weights, gradients, and each of Adam's three."""

    weights: int
    gradients: int
    optimizer: int

    def bytes(self, gradient_bytes: int = 2) -> int:
        """As ZeRO's paper counts them: 2, 2 and 12 bytes for each."""
        return 2 * self.weights + gradient_bytes * self.gradients + 12 * self.optimizer


def count_held(stage: int, numbers: int, n: int) -> Holds:
    """Of `numbers` parameters, on n ranks."""
    share = -(-numbers // n)
    return Holds(*(share if stage >= first else numbers for first in (3, 2, 1)))


def pad_evenly(vector: Array, n: int) -> Array:
    """With zeros behind it, so that n ranks can share it evenly."""
    return np.concatenate((vector, np.zeros(-len(vector) % n)))


def step(net: Network, weights: Vectors, gradients: Vectors, stage: int, axis: str = "dp", copies: str = "") -> Vectors:
    """Each rank's weights before -> whole weights after. `copies`: an axis along which shares are copied (HSDP)."""
    n, size = net.mesh.length(axis), len(next(iter(weights.values())))
    weights = {rank: pad_evenly(w, n) for rank, w in weights.items()}
    gradients = {rank: pad_evenly(g, n) for rank, g in gradients.items()}
    if stage == 3:
        gather(net, weights, axis, "weights, forward")
        gather(net, weights, axis, "weights, backward")
    if stage == 0:
        summed = net.all_reduce(gradients, axis, "gradients")
    else:
        summed = net.reduce_scatter(gradients, axis, "gradients")
    if copies:
        summed = net.all_reduce(summed, copies, "gradients")
    if stage == 0:
        return {rank: adam(weights[rank], g)[:size] for rank, g in summed.items()}
    after = {rank: adam(share(net, weights[rank], rank, axis), g) for rank, g in summed.items()}
    if stage == 3:  # shares are all that stays; what they make together is looked at here, not sent
        return {rank: np.concatenate([after[mate] for mate in net.mesh.group(rank, axis)])[:size] for rank in after}
    return {rank: w[:size] for rank, w in net.all_gather(after, axis, "weights").items()}


def share(net: Network, vector: Array, rank: int, axis: str) -> Array:
    """A rank's part of a vector."""
    return np.split(vector, net.mesh.length(axis))[net.mesh.place(rank, axis)]


def gather(net: Network, weights: Vectors, axis: str, what: str) -> None:
    """Shares on their way to whole weights; they must give what was there."""
    whole = net.all_gather({rank: share(net, w, rank, axis) for rank, w in weights.items()}, axis, what)
    if any(not np.array_equal(whole[rank], weights[rank]) for rank in weights):
        raise AssertionError("The gathered weights are not those that the run used.")
