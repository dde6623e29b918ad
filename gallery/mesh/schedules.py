"""A collective, an algorithm and a number of ranks -> who sends which chunk to whom, step by step.

ring          only to the next rank
tree          distances 1, 2, 4, ...: about log2(n) steps (an all-to-all: Bruck's)
direct        straight from whoever has it to whoever needs it, one message at a time
hierarchical  `local` ranks share a node: what leaves it leaves once, and is passed on inside

Every rank has n slots, and sends what they held when the step began. Places are modulo n, for any n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cutaway.gallery.mesh.steps import Schedule, Send, Step, distances, doubling_pairs, send_all_chunks
from cutaway.gallery.mesh.two_levels import (
    broadcast_two_levels,
    exchange_two_levels,
    gather_two_levels,
    scatter_two_levels,
)

OPERATIONS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")
ALGORITHMS = ("ring", "tree", "direct", "hierarchical")


@cache
def schedule(op: str, algorithm: str, n: int, root: int = 0, local: int = 0) -> Schedule:
    """All steps of one collective among n ranks; `local` of them share a node. It is shared: do not change it."""
    if op not in OPERATIONS or algorithm not in ALGORITHMS:
        raise ValueError(f"There is no {algorithm} {op}: {', '.join(OPERATIONS)}; {', '.join(ALGORITHMS)}.")
    if algorithm == "hierarchical":
        if not local or n % local:
            raise ValueError(f"{n} ranks in equal parts on nodes were looked for, to go from node to node.")
        return HIERARCHICAL[op](n, local, root)
    return FLAT[op, algorithm](n, root)


# ---------------------------------------------------------------- reduce-scatter: rank i ends with the sum of chunk i


def reduce_scatter_ring(n: int, root: int = 0) -> Schedule:
    """The partial sum of chunk c starts behind rank c and walks the whole ring to it."""
    return Schedule(list(scatter_two_levels(n, 1)))


def reduce_scatter_tree(n: int, root: int = 0) -> Schedule:
    """Recursive halving: hand over the sums the other half is responsible for, farthest first."""
    steps = []
    for d in reversed(distances(n)):
        pairs = [(i, (i + d) % n, (i + d + k) % n) for i in range(n) for k in range(min(d, n - d))]
        steps.append(Step("reduce-scatter", [Send(i, to, c, c, True) for i, to, c in pairs], frees=True))
    return Schedule(steps)


def reduce_scatter_direct(n: int, root: int = 0) -> Schedule:
    """Everyone sends chunk c to rank c."""
    owners = [[(i, (i + d) % n) for i in range(n)] for d in range(1, n)]
    return Schedule([Step("reduce-scatter", [Send(i, o, o, o, True) for i, o in row], frees=True) for row in owners])


# ---------------------------------------------------------------- all-gather: chunk i of rank i reaches everyone


def all_gather_ring(n: int, root: int = 0) -> Schedule:
    """In step j rank i passes on chunk i - j, the one it has just received."""
    return Schedule(list(gather_two_levels(n, 1)))


def all_gather_tree(n: int, root: int = 0) -> Schedule:
    """Bruck: after distances 1, 2, 4 everyone has 2, 4, 8 chunks."""
    steps = []
    for d in distances(n):
        moves = [(i, (i - d) % n, (i + k) % n) for i in range(n) for k in range(min(d, n - d))]
        steps.append(Step("all-gather", [Send(i, to, c, c) for i, to, c in moves]))
    return Schedule(steps)


def all_gather_direct(n: int, root: int = 0) -> Schedule:
    """Everyone sends its chunk to everyone."""
    return Schedule([Step("all-gather", [Send(i, (i + d) % n, i, i) for i in range(n)]) for d in range(1, n)])


# ---------------------------------------------------------------- all-reduce: the sum of everything reaches everyone


def all_reduce_ring(n: int, root: int = 0) -> Schedule:
    """Reduce-scatter, then all-gather."""
    return Schedule([*scatter_two_levels(n, 1), *gather_two_levels(n, 1)])


def all_reduce_tree(n: int, root: int = 0) -> Schedule:
    """Sum whole arrays down a binomial tree to rank 0, then send the sum back up."""
    steps = []
    for d in distances(n):
        pairs = [(i, i - d) for i in range(d, n, 2 * d)]
        steps.append(Step("reduce to rank 0", [Send(a, b, c, c, True) for a, b in pairs for c in range(n)], frees=True))
    return Schedule(steps + broadcast_tree(n, 0).steps)


def all_reduce_direct(n: int, root: int = 0) -> Schedule:
    """Everyone sends its whole array to everyone; everyone adds."""
    rounds = [[Send(i, (i + d) % n, c, c, True) for i in range(n) for c in range(n)] for d in range(1, n)]
    return Schedule([Step("everyone to everyone", sends, first=True) for sends in rounds])


# ---------------------------------------------------------------- broadcast: root's array reaches everyone


def broadcast_ring(n: int, root: int) -> Schedule:
    """Cut into n chunks, so that a rank passes on the first while the second is coming in."""
    steps = []
    for t in range(2 * n - 2):
        hops = [(h, t - h) for h in range(n - 1) if 0 <= t - h < n]
        steps.append(Step("broadcast", [Send((root + h) % n, (root + h + 1) % n, c, c) for h, c in hops]))
    return Schedule(steps)


def broadcast_tree(n: int, root: int) -> Schedule:
    """Whoever has it sends it on: 1, 2, 4, 8 ranks have it."""
    return Schedule([send_all_chunks(pairs, n) for pairs in doubling_pairs(n, root)])


def broadcast_direct(n: int, root: int) -> Schedule:
    """Root sends the whole array to one rank after the other."""
    return Schedule([send_all_chunks([(root, (root + d) % n)], n) for d in range(1, n)])


# ---------------------------------------------------------------- all-to-all: slot j of rank i ends in slot i of rank j


def all_to_all_ring(n: int, root: int = 0) -> Schedule:
    """Everything for others goes to the next rank, which keeps its own chunk and passes on the rest."""
    steps = []
    for t in range(n - 1):  # the chunks that left rank i - t and have not arrived: for ranks i + 1, ..., i + n - 1 - t
        sends = []
        for i in range(n):
            to = (i + 1) % n
            goals = [(i + k) % n for k in range(1, n - t)]
            sends += [Send(i, to, goal, (i - t) % n if goal == to else goal) for goal in goals]
        steps.append(Step("pass on", sends, frees=True))  # arrived: its slot is its sender's number
    return Schedule(steps)


def all_to_all_tree(n: int, root: int = 0) -> Schedule:
    """Bruck: a chunk that must travel d ranks rides along in the steps of d's binary digits."""
    steps = []
    for hop in distances(n):
        far = [d for d in range(1, n) if d & hop]
        sends = [Send(i, (i + hop) % n, (i + d) % n, (i + hop + d) % n) for i in range(n) for d in far]
        steps.append(Step("exchange", sends, frees=True))
    return Schedule(steps, n)


def all_to_all_direct(n: int, root: int = 0) -> Schedule:
    """Everyone sends each chunk straight to its rank; the slot it leaves takes the chunk that comes in."""
    return Schedule(list(exchange_two_levels(n, n)), n)


FLAT: dict[tuple[str, str], Callable[[int, int], Schedule]] = {
    ("all-reduce", "ring"): all_reduce_ring,
    ("all-reduce", "tree"): all_reduce_tree,
    ("all-reduce", "direct"): all_reduce_direct,
    ("all-gather", "ring"): all_gather_ring,
    ("all-gather", "tree"): all_gather_tree,
    ("all-gather", "direct"): all_gather_direct,
    ("reduce-scatter", "ring"): reduce_scatter_ring,
    ("reduce-scatter", "tree"): reduce_scatter_tree,
    ("reduce-scatter", "direct"): reduce_scatter_direct,
    ("all-to-all", "ring"): all_to_all_ring,
    ("all-to-all", "tree"): all_to_all_tree,
    ("all-to-all", "direct"): all_to_all_direct,
    ("broadcast", "ring"): broadcast_ring,
    ("broadcast", "tree"): broadcast_tree,
    ("broadcast", "direct"): broadcast_direct,
}
HIERARCHICAL: dict[str, Callable[[int, int, int], Schedule]] = {
    "all-reduce": lambda n, local, root: Schedule([*scatter_two_levels(n, local), *gather_two_levels(n, local)]),
    "all-gather": lambda n, local, root: Schedule(list(gather_two_levels(n, local))),
    "reduce-scatter": lambda n, local, root: Schedule(list(scatter_two_levels(n, local))),
    "all-to-all": lambda n, local, root: Schedule(list(exchange_two_levels(n, local)), local),
    "broadcast": lambda n, local, root: Schedule(list(broadcast_two_levels(n, local, root))),
}
