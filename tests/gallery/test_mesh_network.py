"""The mesh: its groups and links, its collectives against numpy on whole arrays, its log against the formulas."""

from collections import Counter
from math import ceil, log2

import numpy as np
import pytest

from cutaway.gallery.mesh import ALGORITHMS, OPERATIONS, Mesh, Network, schedule

FLAT = ALGORITHMS[:3]


def arrays(n: int, *shape: int) -> dict[int, np.ndarray]:
    """Whole numbers that no two ranks share, so that every sum is exact and telling."""
    size = int(np.prod(shape))
    return {rank: (np.arange(size, dtype=float) + 1).reshape(shape) * 8.0**rank for rank in range(n)}


def network(n: int, algorithm: str = "ring", local: int = 0) -> Network:
    return Network(Mesh({"tp": n}, local or n), algorithm)


def sent(net: Network, by: str = "source") -> Counter:
    """Bytes by rank."""
    found: Counter = Counter()
    for move in net.log:
        found[getattr(move, by)] += move.bytes
    return found


GRID = [(n, a, n) for n in range(1, 10) for a in FLAT]
GRID += [(n, "hierarchical", local) for n in range(1, 13) for local in range(1, n + 1) if n % local == 0]


@pytest.mark.parametrize(("n", "algorithm", "local"), GRID)
def test_every_collective_equals_numpy_on_whole_arrays(n, algorithm, local):
    """All-gather, reduce-scatter, all-reduce, all-to-all and broadcast by every algorithm, for 1 to 12 ranks."""
    net, x = network(n, algorithm, local), arrays(n, n, 3)
    total = sum(x.values())
    for dim in (0, 1):
        got = net.all_gather(x, "tp", "x", dim)
        assert all(np.array_equal(part, np.concatenate(list(x.values()), dim)) for part in got.values())
    got = net.reduce_scatter(x, "tp", "x")
    assert all(np.array_equal(part, total[rank : rank + 1]) for rank, part in got.items())
    assert all(np.array_equal(part, total) for part in net.all_reduce(x, "tp", "x").values())
    uneven = {r: [np.full((r * j) % 3, 10.0 * r + j) for j in range(n)] for r in range(n)}
    for rank, parts in net.all_to_all(uneven, "tp", "x", algorithm).items():
        assert [part.tolist() for part in parts] == [uneven[r][rank].tolist() for r in range(n)]
    for root in range(n):
        assert all(np.array_equal(part, x[root]) for part in net.broadcast(x, "tp", "x", root).values())


def test_reduce_scatter_shares_any_dim():
    """Rank i keeps the i-th share of the sum along the dim that was asked for."""
    x = arrays(3, 2, 6)
    got = network(3).reduce_scatter(x, "tp", "x", 1)
    assert all(np.array_equal(part, sum(x.values())[:, 2 * r : 2 * r + 2]) for r, part in got.items())
    with pytest.raises(ValueError, match=r"5 along dim 1 .* are no 3 equal parts"):
        network(3).reduce_scatter(arrays(3, 2, 5), "tp", "x", 1)


@pytest.mark.parametrize("n", range(2, 10))
def test_the_ring_sends_what_the_formulas_say(n):
    """Each rank sends and receives (n-1)/n of the whole: twice for an all-reduce; an all-to-all's parts go straight."""
    whole = n * n * 3 * 8
    share = (n - 1) * whole // n
    for op, times in (("all_gather", 1), ("reduce_scatter", 1), ("all_reduce", 2)):
        net = network(n)
        getattr(net, op)(arrays(n, *((n, 3) if op == "all_gather" else (n * n, 3))), "tp", "x")
        assert sent(net) == sent(net, "destination") == dict.fromkeys(range(n), times * share)
        assert net.time == max(move.time for move in net.log) == times * (n - 1)
    net = network(n)
    net.all_to_all({r: list(np.split(a, n)) for r, a in arrays(n, n * n, 3).items()}, "tp", "x")
    assert sent(net) == dict.fromkeys(range(n), share)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize(("nodes", "local"), [(2, 2), (2, 4), (3, 2), (4, 3)])
def test_two_levels_leave_a_node_as_seldom_as_can_be(op, nodes, local):
    """Through a node's door goes what its ranks have to give the others once, not once for each of them."""
    n = nodes * local
    net = network(n, "hierarchical", local)
    x = arrays(n, n, 3)
    if op == "all-to-all":
        net.all_to_all({r: list(np.split(a, n)) for r, a in x.items()}, "tp", "x", "hierarchical")
    else:
        getattr(net, op.replace("-", "_"))({r: a[:1] for r, a in x.items()} if op == "all-gather" else x, "tp", "x")
    chunk = 3 * 8
    out = sum(move.bytes for move in net.log if move.link == "outside")
    once = (nodes - 1) * chunk
    assert out == {
        "all-gather": n * once,
        "reduce-scatter": n * once,
        "all-reduce": 2 * n * once,
        "all-to-all": n * local * once,
        "broadcast": n * once,
    }[op]  # fmt: skip
    assert all((move.link == "inside") == (move.source // local == move.destination // local) for move in net.log)
    if op != "broadcast":
        assert {move.source % local for move in net.log if move.link == "outside"} == set(range(local))


def test_trees_take_logarithms_of_steps():
    """ceil(log2 n) steps, twice for an all-reduce."""
    for n in range(1, 17):
        steps = ceil(log2(n))
        for op in OPERATIONS:
            assert len(schedule(op, "tree", n).steps) == steps * (2 if op == "all-reduce" else 1)


def test_ranks_are_numbered_as_megatron_numbers_them():
    """tp innermost, then cp, dp and pp; experts fold the ranks of a stage as edp, ep, etp."""
    mesh = Mesh({"pp": 2, "dp": 2, "cp": 2, "tp": 2}, 8, {"edp": 2, "ep": 2, "etp": 2})
    assert mesh.size == 16 and mesh.ranks == list(range(16))
    assert mesh.group(5, "tp") == [4, 5]
    assert mesh.group(5, "cp") == [5, 7]
    assert mesh.group(5, "dp") == [1, 5]
    assert mesh.group(5, "pp") == [5, 13]
    assert mesh.group(13, "ep") == [13, 15] and mesh.group(13, "edp") == [9, 13] and mesh.group(13, "etp") == [12, 13]
    assert mesh.groups("cp") == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]]
    assert [mesh.place(13, axis) for axis in ("pp", "dp", "cp", "tp", "edp", "ep", "etp")] == [1, 1, 0, 1, 1, 0, 1]
    assert (mesh.link(0, 7), mesh.link(7, 8), mesh.node(8)) == ("inside", "outside", 1)
    assert mesh.group(3, "sp") == [3] and mesh.length("sp") == 1


def test_a_mesh_that_cannot_be_is_refused():
    """Folds of unequal size, axes of none, axes that are not there, groups that are not whole."""
    with pytest.raises(ValueError, match="pp 2 x dp 4 are 8 ranks, pp 2 x ep 3 are 6"):
        Mesh({"pp": 2, "dp": 4}, 8, {"ep": 3})
    with pytest.raises(ValueError, match="at least 1 rank"):
        Mesh({"tp": 0}, 8)
    with pytest.raises(KeyError, match="no axis ep; it has dp, tp"):
        Mesh({"dp": 2, "tp": 2}, 8).stride("ep")
    with pytest.raises(ValueError, match=r"Ranks \[1\] of tp do not take part"):
        network(2).all_reduce({0: np.zeros(2)}, "tp", "x")
    with pytest.raises(ValueError, match="There is no gossip all-reduce"):
        network(2).all_reduce(arrays(2, 2), "tp", "x", "gossip")
    with pytest.raises(ValueError, match="6 ranks in equal parts on nodes"):
        Network(Mesh({"tp": 6}, 4), "hierarchical").all_reduce(arrays(6, 6), "tp", "x")


def test_groups_of_an_axis_go_at_once():
    """Two rings of two take one step each way, at the same time, and never meet."""
    net = Network(Mesh({"dp": 2, "tp": 2}, 2))
    got = net.all_reduce(arrays(4, 2), "tp", "y")
    assert {move.time for move in net.log} == {1, 2} and net.time == 2
    assert got[0].tolist() == [9.0, 18.0] and got[3].tolist() == [576.0, 1152.0]
    assert {(move.source, move.destination) for move in net.log} == {(0, 1), (1, 0), (2, 3), (3, 2)}
    net.all_reduce(arrays(4, 2), "dp", "g")
    late = net.log[8:]
    assert {move.link for move in late} == {"outside"} and {move.axis for move in late} == {"dp"}
    assert {move.time for move in late} == {3, 4} and {move.tensor for move in late} == {"g"}


def test_sends_take_one_step_and_nothing_is_sent_to_oneself():
    """Everyone passes its array to the next stage; the last one's stays."""
    net = Network(Mesh({"pp": 3}, 2))
    got = net.send(arrays(3, 2), {0: 1, 1: 2, 2: 2}, "pp", "stream")
    assert sorted(got) == [1, 2] and got[1].tolist() == [1.0, 2.0]
    assert [(m.time, m.source, m.destination, m.bytes, m.link) for m in net.log] == [
        (1, 0, 1, 16, "inside"),
        (1, 1, 2, 16, "outside"),
    ]


def test_the_gallery_does_not_import_the_mesh():
    """Reading and counting a model needs no numpy."""
    import subprocess
    import sys

    code = (
        "import sys; from cutaway import gallery; print(sorted(set(sys.modules) & {'numpy', 'cutaway.gallery.mesh'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
