"""Five collectives, three algorithms each: what is sent in every step, executed on a Machine.

ring   only to the next rank
tree   distances 1, 2, 4, ...: about log2(n) steps
naive  straight from whoever has it to whoever needs it, one message at a time
Indices are modulo n throughout; every algorithm works for any n, not only for powers of two.
"""

from __future__ import annotations


def _distances(n: int) -> list[int]:
    """1, 2, 4, ... below n."""
    return [2**k for k in range((n - 1).bit_length())]


# ---------------------------------------------------------------- reduce-scatter: rank i ends with the sum of chunk i


def reduce_scatter_ring(m) -> None:
    """The partial sum of chunk c starts behind rank c and walks the whole ring to it."""
    n = m.n
    for j in range(n - 1):
        chunks = [(i - j - 1) % n for i in range(n)]
        m.step("reduce-scatter", [(i, (i + 1) % n, c, c, "add") for i, c in enumerate(chunks)], move=True)


def reduce_scatter_tree(m) -> None:
    """Recursive halving: hand over the sums the other half is responsible for, farthest first."""
    n = m.n
    for d in reversed(_distances(n)):
        moves = []
        for i in range(n):
            to = (i + d) % n
            moves += [(i, to, (to + k) % n, (to + k) % n, "add") for k in range(min(d, n - d))]
        m.step("reduce-scatter", moves, move=True)


def reduce_scatter_naive(m) -> None:
    """Everyone sends chunk c to rank c."""
    n = m.n
    for d in range(1, n):
        owners = [(i + d) % n for i in range(n)]
        m.step("reduce-scatter", [(i, o, o, o, "add") for i, o in enumerate(owners)], move=True)


# ---------------------------------------------------------------- all-gather: chunk i of rank i reaches everyone


def all_gather_ring(m) -> None:
    """In step j rank i passes on chunk i - j, the one it has just received."""
    n = m.n
    for j in range(n - 1):
        chunks = [(i - j) % n for i in range(n)]
        m.step("all-gather", [(i, (i + 1) % n, c, c, "copy") for i, c in enumerate(chunks)])


def all_gather_tree(m) -> None:
    """Bruck: after distances 1, 2, 4 everyone has 2, 4, 8 chunks."""
    n = m.n
    for d in _distances(n):
        moves = []
        for i in range(n):
            moves += [(i, (i - d) % n, (i + k) % n, (i + k) % n, "copy") for k in range(min(d, n - d))]
        m.step("all-gather", moves)


def all_gather_naive(m) -> None:
    """Everyone sends its chunk to everyone."""
    n = m.n
    for d in range(1, n):
        m.step("all-gather", [(i, (i + d) % n, i, i, "copy") for i in range(n)])


# ---------------------------------------------------------------- all-reduce: the sum of everything reaches everyone


def all_reduce_ring(m) -> None:
    """Reduce-scatter, then all-gather."""
    reduce_scatter_ring(m)
    all_gather_ring(m)


def all_reduce_tree(m) -> None:
    """Sum whole arrays down a binomial tree to rank 0, then send the sum back up."""
    n = m.n
    for d in _distances(n):
        pairs = [(i, i - d) for i in range(d, n, 2 * d)]
        m.step("reduce to rank 0", [(a, b, c, c, "add") for a, b in pairs for c in range(n)], move=True)
    broadcast_tree(m, 0)


def all_reduce_naive(m) -> None:
    """Everyone sends its whole array to everyone; everyone adds."""
    n, source = m.n, m.held.copy()
    for d in range(1, n):
        moves = [(i, (i + d) % n, c, c, "add") for i in range(n) for c in range(n)]
        m.step("everyone to everyone", moves, source=source)


# ---------------------------------------------------------------- broadcast: root's array reaches everyone


def broadcast_ring(m, root: int) -> None:
    """Cut into n chunks, so that a rank passes on the first while the second is coming in."""
    n = m.n
    for t in range(2 * n - 2):
        hops = [(h, t - h) for h in range(n - 1) if 0 <= t - h < n]
        m.step("broadcast", [((root + h) % n, (root + h + 1) % n, c, c, "copy") for h, c in hops])


def broadcast_tree(m, root: int) -> None:
    """Whoever has it sends it on: 1, 2, 4, 8 ranks have it."""
    n = m.n
    for d in reversed(_distances(n)):
        pairs = [((root + i) % n, (root + i + d) % n) for i in range(0, n - d, 2 * d)]
        m.step("broadcast", [(a, b, c, c, "copy") for a, b in pairs for c in range(n)])


def broadcast_naive(m, root: int) -> None:
    """Root sends the whole array to one rank after the other."""
    n = m.n
    for d in range(1, n):
        m.step("broadcast", [(root, (root + d) % n, c, c, "copy") for c in range(n)])


# ---------------------------------------------------------------- all-to-all: slot j of rank i ends in slot i of rank j


def all_to_all_ring(m) -> None:
    """Everything for others goes to the next rank, which keeps its own chunk and passes on the rest."""
    n = m.n
    for t in range(n - 1):  # the chunks that left rank i - t and have not arrived: for ranks i + 1, ..., i + n - 1 - t
        moves = []
        for i in range(n):
            to = (i + 1) % n
            for k in range(1, n - t):
                goal = (i + k) % n
                into = (i - t) % n if goal == to else goal  # arrived: its slot is its sender's number
                moves.append((i, to, goal, into, "copy"))
        m.step("pass on", moves, move=True)


def all_to_all_tree(m) -> None:
    """Bruck: a chunk that must travel d ranks rides along in the steps of d's binary digits."""
    n = m.n
    for hop in _distances(n):
        far = [d for d in range(1, n) if d & hop]
        moves = [(i, (i + hop) % n, (i + d) % n, (i + hop + d) % n, "copy") for i in range(n) for d in far]
        m.step("exchange", moves, move=True)
    m.reorder(lambda i, slot: (2 * i - slot) % n)


def all_to_all_naive(m) -> None:
    """Everyone sends each chunk straight to its rank; the slot it leaves takes the chunk that comes in."""
    n = m.n
    for d in range(1, n):
        m.step("exchange", [(i, (i + d) % n, (i + d) % n, (i + 2 * d) % n, "copy") for i in range(n)], move=True)
    m.reorder(lambda i, slot: (2 * i - slot) % n)


RUNS = {
    ("all-reduce", "ring"): all_reduce_ring,
    ("all-reduce", "tree"): all_reduce_tree,
    ("all-reduce", "naive"): all_reduce_naive,
    ("all-gather", "ring"): all_gather_ring,
    ("all-gather", "tree"): all_gather_tree,
    ("all-gather", "naive"): all_gather_naive,
    ("reduce-scatter", "ring"): reduce_scatter_ring,
    ("reduce-scatter", "tree"): reduce_scatter_tree,
    ("reduce-scatter", "naive"): reduce_scatter_naive,
    ("all-to-all", "ring"): all_to_all_ring,
    ("all-to-all", "tree"): all_to_all_tree,
    ("all-to-all", "naive"): all_to_all_naive,
    ("broadcast", "ring"): broadcast_ring,
    ("broadcast", "tree"): broadcast_tree,
    ("broadcast", "naive"): broadcast_naive,
}
