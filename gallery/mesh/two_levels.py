"""Collectives in two levels: over a ring of nodes, and inside each node.

Rank i is place i % local of node i // local; so is slot i. With one rank on each node they are the plain ring.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.gallery.mesh.steps import Send, Step, doubling_pairs, send_all_chunks


def place_in_node(n: int, local: int, node: int, place: int) -> int:
    """The rank, or the slot, of a place in a node."""
    return node % (n // local) * local + place % local


def gather_two_levels(n: int, local: int) -> Iterable[Step]:
    """All-gather: a ring of nodes with one chunk, then a ring inside each node with one chunk of every node."""
    nodes, ranks = n // local, [divmod(i, local) for i in range(n)]
    for j in range(nodes - 1):
        rows = [
            (place_in_node(n, local, a, b), place_in_node(n, local, a + 1, b), place_in_node(n, local, a - j, b))
            for a, b in ranks
        ]
        yield Step("all-gather", [Send(i, to, c, c) for i, to, c in rows])
    for j in range(local - 1):
        rows = [
            (place_in_node(n, local, a, b), place_in_node(n, local, a, b + 1), place_in_node(n, local, x, b - j))
            for a, b in ranks
            for x in range(nodes)
        ]
        yield Step("all-gather", [Send(i, to, c, c) for i, to, c in rows])


def scatter_two_levels(n: int, local: int) -> Iterable[Step]:
    """Reduce-scatter: the same way back, adding."""
    nodes, ranks = n // local, [divmod(i, local) for i in range(n)]
    for j in range(local - 1):
        rows = [
            (place_in_node(n, local, a, b), place_in_node(n, local, a, b + 1), place_in_node(n, local, x, b - j - 1))
            for a, b in ranks
            for x in range(nodes)
        ]
        yield Step("reduce-scatter", [Send(i, to, c, c, True) for i, to, c in rows], frees=True)
    for j in range(nodes - 1):
        rows = [
            (place_in_node(n, local, a, b), place_in_node(n, local, a + 1, b), place_in_node(n, local, a - j - 1, b))
            for a, b in ranks
        ]
        yield Step("reduce-scatter", [Send(i, to, c, c, True) for i, to, c in rows], frees=True)


def exchange_two_levels(n: int, local: int) -> Iterable[Step]:
    """All-to-all: to one's counterpart in every other node all that goes there, then everyone's inside the node."""
    nodes, ranks = n // local, [divmod(i, local) for i in range(n)]
    for d in range(1, nodes):
        sends = [
            Send(
                place_in_node(n, local, a, b),
                place_in_node(n, local, a + d, b),
                place_in_node(n, local, a + d, y),
                place_in_node(n, local, a + 2 * d, y),
            )
            for a, b in ranks
            for y in range(local)
        ]
        yield Step("exchange", sends, frees=True)
    for d in range(1, local):
        sends = [
            Send(
                place_in_node(n, local, a, b),
                place_in_node(n, local, a, b + d),
                place_in_node(n, local, x, b + d),
                place_in_node(n, local, x, b + 2 * d),
            )
            for a, b in ranks
            for x in range(nodes)
        ]
        yield Step("exchange", sends, frees=True)


def broadcast_two_levels(n: int, local: int, root: int) -> Iterable[Step]:
    """To one's counterpart in every node, by doubling, then to everyone in the node."""
    node, place = divmod(root, local)
    for pairs in doubling_pairs(n // local, node):
        yield send_all_chunks(
            [(place_in_node(n, local, a, place), place_in_node(n, local, b, place)) for a, b in pairs], n
        )
    for pairs in doubling_pairs(local, place):
        yield send_all_chunks(
            [
                (place_in_node(n, local, x, a), place_in_node(n, local, x, b))
                for x in range(n // local)
                for a, b in pairs
            ],
            n,
        )
