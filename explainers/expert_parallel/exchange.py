"""Tokens, and the slots they go to -> the exchange on a mesh: out to the experts, and the sums back; all of it counted.

Two all-to-alls out: one between GPUs of one number on all nodes, then one inside each node. A token is sent to a node
once, and to a GPU once, however many of its experts are there. Two back, with sums instead of copies. A copy is a row
[token, number] here; it stands for the bytes that a model sends. Twin of exchange.js.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from cutaway.gallery.mesh import Mesh, Network

PER_NODE = 8
ROW = np.zeros((1, 2), np.int64).nbytes
Held = dict[int, dict[int, int]]  # rank -> token -> number
Goals = Callable[[int, int], list[int]]  # (rank, token) -> places along an axis


def table(rows: Iterable[tuple[int, int]]) -> np.ndarray:
    return np.array(list(rows), np.int64).reshape(-1, 2)


def value(token: int) -> int:
    """A token's own number, which stands for its vector."""
    return token + 1


def answer(expert: int, number: int) -> int:
    """What an expert makes of it."""
    return (expert + 1) * number


class Exchange:
    """One layer's tokens on so many nodes. `where` [tokens, k] are slots, `fits` whether the choice is kept."""

    def __init__(self, nodes: int, slots: list[int], where: np.ndarray, fits: np.ndarray):
        self.ranks = range(nodes * PER_NODE)
        self.network = Network(Mesh({"node": nodes, "gpu": PER_NODE}, PER_NODE))
        self.slots, self.each = slots, len(where) // len(self.ranks)
        per = len(slots) // len(self.ranks)
        self.goals = [[(s // per, s) for s, ok in zip(row, mask, strict=True) if ok]
                      for row, mask in zip(where.tolist(), fits.tolist(), strict=True)]  # fmt: skip
        self.gpus = [sorted({gpu for gpu, _ in goals}) for goals in self.goals]  # of each token
        self.nodes = [sorted({gpu // PER_NODE for gpu in gpus}) for gpus in self.gpus]

    def pass_on(self, axis: str, name: str, held: Held, to: Goals, back: bool = False) -> Held:
        """Every row to the places along an axis that `to(rank, token)` names; what meets is added where `back`."""
        mesh, parts = self.network.mesh, {}
        for rank in self.ranks:
            box: list[list[tuple[int, int]]] = [[] for _ in range(mesh.length(axis))]
            for token, number in held[rank].items():
                for place in to(rank, token):
                    box[place].append((token, number))
            parts[rank] = [table(rows) for rows in box]
        come = self.network.all_to_all(parts, axis, name)
        made: Held = {rank: {} for rank in self.ranks}
        for rank, arrays in come.items():
            for token, number in (row for part in arrays for row in part.tolist()):
                made[rank][token] = made[rank].get(token, 0) * back + number
        return made

    def run(self) -> Held:
        """Out, through the experts, and back: every token's sum, where the token is."""
        own = {rank: {t: value(t) for t in range(rank * self.each, (rank + 1) * self.each)} for rank in self.ranks}
        node = lambda gpu: gpu // PER_NODE  # noqa: E731
        home = lambda token: token // self.each  # noqa: E731
        at_door = self.pass_on("node", "out, network", own, lambda r, t: self.nodes[t])
        wanted = lambda r, t: [g % PER_NODE for g in self.gpus[t] if node(g) == node(r)]  # noqa: E731
        there = self.pass_on("gpu", "out, inside", at_door, wanted)
        made = {
            rank: {t: sum(answer(self.slots[s], x) for g, s in self.goals[t] if g == rank) for t, x in rows.items()}
            for rank, rows in there.items()
        }
        summed = self.pass_on("gpu", "back, inside", made, lambda r, t: [home(t) % PER_NODE], back=True)
        return self.pass_on("node", "back, network", summed, lambda r, t: [node(home(t))], back=True)

    def counted(self) -> dict[str, int]:
        """Copies of tokens in the log, by where they went: {"out, network": 3540, ...}."""
        out = dict.fromkeys(("out, network", "out, inside", "back, inside", "back, network"), 0)
        for move in self.network.log:
            out[move.tensor] += move.bytes // ROW
        return out

    def busiest(self) -> int:
        """The most copies that one GPU sends over the network on the way out."""
        sent = [0] * len(self.ranks)
        for move in self.network.log:
            if move.tensor == "out, network":
                sent[move.source] += move.bytes // ROW
        return max(sent)

    def wrong(self, sums: Held, choice: np.ndarray, fits: np.ndarray) -> int:
        """How many tokens have another sum than one GPU with all experts would give them."""
        whole = ((choice + 1) * fits).sum(axis=1) * (np.arange(len(choice)) + 1)
        return sum(sums[t // self.each].get(t, 0) != int(whole[t]) for t in range(len(choice)))
