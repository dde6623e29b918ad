"""Collectives on taped values: each goes forth over the network, and its gradient goes back over it.

Along the tensor axis a value that every rank has whole has the same gradient everywhere; what only a share of the
ranks' work reads has a gradient that is summed where it `enter`s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.gallery.mesh.lanes import Lanes, places_in
from cutaway.gallery.mesh.network import Network
from cutaway.gallery.mesh.tape import Tape, Taped, data_of

Array = np.ndarray
Parts = dict[int, Any]  # by rank: a taped value, or a plain array
Arrays = dict[int, Array]


class Collectives:
    """A network whose ranks hold values of one tape."""

    def __init__(self, net: Network, tape: Tape) -> None:
        self.net, self.tape, self.mesh = net, tape, net.mesh

    def through(self, parts: Parts, there: Callable[[Arrays], Arrays], back: Callable[[Arrays], Arrays]) -> Parts:
        """All ranks' values at once: one row of the tape. Plain arrays only go forth."""
        made = there({rank: data_of(part) for rank, part in parts.items()})
        if not all(isinstance(part, Taped) for part in parts.values()):
            return dict(made)
        givers, takers = list(parts), list(made)

        def walk(given: list[Array]) -> list[Array]:
            found = back(dict(zip(takers, given, strict=True)))
            return [found[rank] for rank in givers]

        out = self.tape.record([parts[rank] for rank in givers], [made[rank] for rank in takers], walk)
        return dict(zip(takers, out, strict=True))

    # ------------------------------------------------------------ along the tensor axis

    def enter(self, parts: Parts, name: str) -> Parts:
        """Nothing is sent; gradients of the ranks' shares of the work are summed on the way back."""
        return self.through(parts, dict, lambda given: self.net.all_reduce(given, "tp", f"{name} gradient"))

    def meet(self, parts: Parts, name: str) -> Parts:
        """Partial sums become the sum, on everyone."""
        return self.through(parts, lambda x: self.net.all_reduce(x, "tp", name), dict)

    def meet_rows(self, parts: Parts, name: str, axis: str = "tp") -> Parts:
        """The same, each rank its own rows."""
        return self.through(
            parts,
            lambda x: self.net.reduce_scatter(x, axis, name),
            lambda given: self.net.all_gather(given, axis, f"{name} gradient"),
        )

    def enter_rows(self, parts: Parts, name: str, axis: str = "tp") -> Parts:
        """Everyone's rows, for a share of the work each."""
        return self.through(
            parts,
            lambda x: self.net.all_gather(x, axis, name),
            lambda given: self.net.reduce_scatter(given, axis, f"{name} gradient"),
        )

    def all_rows(self, parts: Parts, name: str) -> Parts:
        """Everyone's rows, for work that every rank does: its gradient is the same everywhere."""
        return self.through(parts, lambda x: self.net.all_gather(x, "tp", name), self.cut_rows)

    def own_rows(self, parts: Parts, name: str) -> Parts:
        """A rank's share of rows that everyone has."""
        return self.through(parts, self.cut_rows, lambda given: self.net.all_gather(given, "tp", f"{name} gradient"))

    def cut_rows(self, arrays: Arrays) -> Arrays:
        """Rows dealt out along the tensor axis."""
        t = self.mesh.length("tp")
        return {rank: np.split(x, t)[self.mesh.place(rank, "tp")] for rank, x in arrays.items()}

    def gather_lanes(self, parts: Parts, lanes: Lanes, shape: tuple[int, ...], name: str) -> Parts:
        """All lanes, on everyone; of lanes that several hold, the first one's."""
        first: list[Array] = []
        for own in lanes:
            first.append(np.setdiff1d(own, np.concatenate(first)) if first else own)

        def there(arrays: Arrays) -> Arrays:
            sent = {r: x.reshape(len(x), -1)[:, self.firsts(r, lanes, first)] for r, x in arrays.items()}
            out = {}
            for rank, found in self.net.all_gather_parts(sent, "tp", name).items():
                every = np.concatenate(found, axis=1)
                whole = np.empty(every.shape)
                whole[:, np.concatenate(first)] = every
                out[rank] = whole.reshape(len(whole), *shape)
            return out

        def back(given: Arrays) -> Arrays:
            out = {}
            for rank, g in given.items():
                own, mine = lanes[self.mesh.place(rank, "tp")], first[self.mesh.place(rank, "tp")]
                flat = np.zeros((len(g), len(own)))
                flat[:, places_in(own, mine)] = g.reshape(len(g), -1)[:, mine]
                out[rank] = flat.reshape(np.shape(data_of(parts[rank])))
            return out

        return self.through(parts, there, back)

    def firsts(self, rank: int, lanes: Lanes, first: list[Array]) -> Array:
        """Where the lanes that a rank sends stand among its own."""
        place = self.mesh.place(rank, "tp")
        return places_in(lanes[place], first[place])

    # ------------------------------------------------------------ among experts

    def exchange(self, parts: dict[int, list[Any]], axis: str, name: str) -> dict[int, list[Any]]:
        """A rank's part j to the group's rank j; gradients go the same way back."""
        n = self.mesh.length(axis)
        if n == 1:
            return parts
        sent = self.net.all_to_all({r: [data_of(x) for x in own] for r, own in parts.items()}, axis, name)
        order = list(sent)

        def walk(given: list[Array]) -> list[Array]:
            theirs = {rank: given[n * i : n * i + n] for i, rank in enumerate(order)}
            back = self.net.all_to_all(theirs, axis, f"{name} gradient")
            return [x for rank in parts for x in back[rank]]

        flat = [x for own in parts.values() for x in own]
        made = self.tape.record(flat, [x for own in sent.values() for x in own], walk)
        return {rank: made[n * i : n * i + n] for i, rank in enumerate(order)}

    # ------------------------------------------------------------ along the context axis, and from stage to stage

    def gather_context(self, parts: Parts, order: Array, name: str) -> Parts:
        """Rows of the whole sequence, in its order; every rank's gradient is a part of the sum."""
        back_order = np.argsort(order)

        def there(arrays: Arrays) -> Arrays:
            return {rank: x[back_order] for rank, x in self.net.all_gather(arrays, "cp", name).items()}

        def back(given: Arrays) -> Arrays:
            turned = {rank: g[order] for rank, g in given.items()}
            return self.net.reduce_scatter(turned, "cp", f"{name} gradient")

        return self.through(parts, there, back)

    def send(self, parts: Parts, to: dict[int, int], name: str) -> Parts:
        """From each rank of a stage to its counterpart; the gradient comes back."""
        home = {there: here for here, there in to.items()}
        return self.through(
            parts,
            lambda x: self.net.send(x, to, "pp", name),
            lambda given: self.net.send(given, home, "pp", f"{name} gradient"),
        )
