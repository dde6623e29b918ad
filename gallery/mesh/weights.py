"""Tensors of a model -> each rank's part of them as leaves of a tape; their gradients -> each rank's, once they met."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from cutaway.gallery.graph import Tensor
from cutaway.gallery.mesh.network import Network
from cutaway.gallery.mesh.tape import Tape, Taped
from cutaway.gallery.running.state import State

Array = np.ndarray
Key = tuple[int | None, str]  # the layer that holds a tensor, and its name


class Held(NamedTuple):
    """What a rank uses of a tensor in one place of the graph."""

    leaf: Taped
    ids: Array  # which numbers of the tensor
    shared: bool  # every tensor rank does the same work with it: gradients are equal, not to be summed


class Weights:
    """Each rank's parts, made when they are first asked for."""

    def __init__(self, state: State, tape: Tape, net: Network) -> None:
        self.state, self.tape, self.net = state, tape, net
        self.held: dict[Key, dict[int, dict[tuple, Held]]] = {}
        self.dealt: set[Key] = set()  # experts, dealt out over ranks that have other tokens

    def get(self, rank: int, tensor: Tensor, layer: int | None, cutters: tuple, place: int, shared: bool) -> Any:
        """A tensor's part on a rank; whole where nothing cuts it."""
        key = (layer if tensor.of is None else tensor.of, tensor.name)
        full = self.state.get(tensor.name, key[0])
        if full.dtype.kind != "f":
            return full
        same = cutters and full.size == prod(tensor.shape)
        ids = np.arange(full.size).reshape(tensor.shape if same else full.shape)
        for axis, lanes in cutters:
            ids = np.take(ids, lanes[place], axis)
        own = self.held.setdefault(key, {}).setdefault(rank, {})
        mark = (ids.tobytes(), shared)
        if mark not in own:
            own[mark] = Held(self.tape.leaf(full.ravel()[ids]), ids, shared)
        return own[mark].leaf

    def sizes(self, rank: int) -> dict[Key, int]:
        """How many numbers of each tensor a rank holds, each once."""
        return {
            key: len(distinct([one.ids for one in by_rank[rank].values()]))
            for key, by_rank in self.held.items()
            if rank in by_rank
        }

    def gradients(self, found: dict[int, Array]) -> dict[Key, dict[int, tuple[Array, Array]]]:
        """(which numbers, their gradients) of every tensor on every rank: summed over ranks that hold them too, over
        the tensor axis first, then over copies of the model."""
        return {key: self.met(key, by_rank, found) for key, by_rank in self.held.items()}

    def met(self, key: Key, by_rank: dict[int, dict[tuple, Held]], found: dict[int, Array]) -> dict:
        """One tensor's."""
        size = self.state.get(key[1], key[0]).size
        partial, equal, ids = {}, {}, {}
        for rank, own in by_rank.items():
            partial[rank], equal[rank] = np.zeros(size), np.zeros(size)
            for one in own.values():
                into = equal if one.shared else partial
                if one.leaf.number in found:
                    np.add.at(into[rank], one.ids.ravel(), found[one.leaf.number].ravel())
            ids[rank] = distinct([one.ids for one in own.values()])
        some = {rank: partial[rank][ids[rank]] for rank in by_rank}
        some = self.over_copies(some, ids, key, all(one.shared for own in by_rank.values() for one in own.values()))
        whole = {rank: some[rank] + equal[rank][ids[rank]] for rank in by_rank}
        return {rank: (ids[rank], g) for rank, g in self.over_data(whole, ids, key).items()}

    def over_copies(self, some: dict[int, Array], ids: dict[int, Array], key: Key, shared: bool) -> dict[int, Array]:
        """Over the tensor ranks that hold the same numbers; nothing is sent where all did the same work."""
        mesh = self.net.mesh
        if shared or mesh.length("tp") == 1 or key in self.dealt:
            return some
        lines = {tuple(mesh.group(rank, "tp")) for rank in some}
        line, nothing = next(iter(lines)), np.array([], int)
        out = {rank: own.copy() for rank, own in some.items()}
        for places, numbers in holders([ids.get(rank, nothing) for rank in line]):
            groups = [[one[place] for place in places] for one in sorted(lines)]
            at = {rank: np.searchsorted(ids[rank], numbers) for group in groups for rank in group}
            sent = {rank: some[rank][own] for rank, own in at.items()}
            for rank, own in self.net.all_reduce(sent, "tp", f"{name_of(key)} gradient", groups=groups).items():
                out[rank][at[rank]] = own
        return out

    def over_data(self, whole: dict[int, Array], ids: dict[int, Array], key: Key) -> dict[int, Array]:
        """Over the ranks that work on other tokens with the same numbers."""
        for axis in ("edp",) if key in self.dealt else ("cp", "dp"):
            if self.net.mesh.length(axis) > 1:
                whole = self.net.all_reduce(whole, axis, f"{name_of(key)} gradient")
        return self.over_stages(whole, key)

    def over_stages(self, whole: dict[int, Array], key: Key) -> dict[int, Array]:
        """Over the stages that use a tensor each: the first and the last, where the head is the embedding."""
        lines = {tuple(r for r in self.net.mesh.group(rank, "pp") if r in whole) for rank in whole}
        groups = [list(line) for line in sorted(lines) if len(line) > 1]
        return self.net.all_reduce(whole, "pp", f"{name_of(key)} gradient", groups=groups) if groups else whole


def distinct(several: list[Array]) -> Array:
    """Which numbers occur in some of these, each once and in order; by flags: sorting took ten times longer."""
    flags = np.zeros(1 + max((int(own.max()) for own in several if own.size), default=-1), bool)
    for own in several:
        flags[own.ravel()] = True
    return np.flatnonzero(flags)


def holders(several: list[Array]) -> list[tuple[tuple[int, ...], Array]]:
    """[(who, what)]: numbers that the same two or more hold, together."""
    every = distinct(several)
    sets = sum((np.isin(every, own, kind="table").astype(int) << place for place, own in enumerate(several)), 0)
    found = []
    for one in distinct([np.asarray(sets)]).tolist():
        if len(who := tuple(place for place in range(len(several)) if one >> place & 1)) > 1:
            found.append((who, every[sets == one]))
    return found


def name_of(key: Key) -> str:
    """ "layer3:self_attn.q_proj.weight", or the name alone."""
    return key[1] if key[0] is None else f"layer{key[0]}:{key[1]}"
