"""Collectives over several nodes: hierarchical runs, bytes over each kind of link from the log, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway.gallery import mesh
from cutaway.gallery.planning.devices import DEVICES
from tests.explainers.test_collectives import reference, state

NODES = [(n, local) for n in range(2, 17) for local in range(1, n) if n % local == 0]


def test_hierarchical_runs_equal_the_unsharded_answer(verified):
    """5 collectives on 2 to 16 ranks in every number of equal nodes, from every root: each number equals numpy's."""
    checked = wrong = 0
    for op in reference.OPS:
        for n, local in NODES:
            for root in range(n) if op == "broadcast" else (0,):
                wrong += reference.execute(op, "hierarchical", n, root, local)[1]
                checked += n * (1 if op == "reduce-scatter" else n) * reference.machine.WIDTH
    verified("collectives: values after hierarchical collectives", checked, wrong, "the unsharded result in numpy")


@pytest.mark.whole
def test_bytes_over_each_kind_of_link_equal_the_formulas(verified):
    """Steps, the busiest rank's chunks and those to other nodes, counted in the log, equal closed forms."""
    checked, wrong = 0, []
    for op in reference.OPS:
        for algorithm in reference.ALGORITHMS:
            for n, local in NODES:
                out, _ = reference._run_collective(op, algorithm, n, 0, local)
                assert out["counted"]["inside"] + out["counted"]["outside"] >= out["counted"]["busiest"]
                known = [key for key, text in out["written"].items() if text]
                checked += len(known)
                wrong += [(op, algorithm, n, local, k) for k in known if out["counted"][k] != out["formula"][k]]
    assert wrong == []
    verified(
        "collectives: bytes sent inside and between nodes", checked, len(wrong), "closed-form formulas in n, k and l"
    )


def test_the_networks_log_says_the_same():
    """Moves of gallery.mesh over real arrays: bytes that leave a node are ours, for every algorithm."""
    for algorithm in reference.ALGORITHMS:
        net = mesh.Network(mesh.Mesh({"tp": 8}, per_node=4), algorithm)
        net.all_reduce({rank: np.ones(16, np.float32) for rank in range(8)}, "tp", "x")
        out = reference.compute(state("all-reduce", algorithm, 8, per_node=4))
        leaves = sum(move.bytes for move in net.log if move.link == "outside")
        assert leaves == out["crossing"] * 8
        assert net.time == out["counted"]["steps"]


def test_crossing_once():
    """128 MiB on two nodes of 4: 32 MiB from each rank cross, not 224 MiB; an all-to-all crosses with 64 MiB anyway."""
    ring, two = (reference.compute(state("all-reduce", a, 8, per_node=4)) for a in ("ring", "hierarchical"))
    assert (ring["words"]["outside"], two["words"]["outside"]) == ("224.0 MiB", "32.0 MiB")
    assert two["fastest"] == "hierarchical"
    straight, two = (reference.compute(state("all-to-all", a, 8, per_node=4)) for a in ("direct", "hierarchical"))
    assert straight["bytes"]["outside"] == two["bytes"]["outside"] == 64 * 2**20
    assert (straight["counted"]["steps"], two["counted"]["steps"]) == (7, 4)


@pytest.mark.parametrize(("n", "local"), NODES)
def test_what_all_ports_send_together(n, local):
    """All-reduce: 2(k - 1) S by nodes, 2k(n - 1)/n S on the ring, by one port a node; all-to-all: as much as direct."""
    k = n // local
    ring, two = (reference._run_collective("all-reduce", name, n, 0, local)[0] for name in ("ring", "hierarchical"))
    assert (ring["crossing"], two["crossing"]) == (2 * k * (n - 1), 2 * (k - 1) * n)
    assert [ring["counted"]["outside"] * k, two["counted"]["outside"] * n] == [ring["crossing"], two["crossing"]]
    ring, straight, two = (
        reference._run_collective("all-to-all", name, n, 0, local)[0]["crossing"]
        for name in ("ring", "direct", "hierarchical")
    )
    assert two == straight <= ring
    assert (straight == ring) == (n == 2)


def test_a_step_waits_for_its_slowest_message():
    """6 steps inside and 2 across: 6 x 5 us + 192 MiB / 450 GB/s + 2 x 10 us + 32 MiB / 50 GB/s."""
    out = reference.compute(state("all-reduce", "hierarchical", 8, per_node=4))
    assert out["time_us"] == pytest.approx(30 + 192 * 2**20 / 450e3 + 20 + 32 * 2**20 / 50e3)
    assert (out["cost"]["inside"]["steps"], out["cost"]["outside"]["steps"]) == (6, 2)
    ring = reference.compute(state("all-reduce", "ring", 8, per_node=4))
    assert ring["time_us"] == pytest.approx(14 * 10 + 224 * 2**20 / 50e3)
    slow = reference.compute(state("all-reduce", "ring", 8, per_node=4, alpha=100.0, message=10))
    assert slow["cost"]["inside"]["steps"] == 14
    alike = reference.compute(state("all-reduce", "ring", 8, per_node=4, net_alpha=5.0, net_bandwidth=450.0))
    assert (alike["cost"]["inside"]["steps"], alike["cost"]["outside"]["steps"]) == (14, 0)
    alone = reference.compute(state("all-reduce", "ring", 8))
    assert (alone["nodes"], alone["cost"]["outside"]["steps"]) == (1, 0)
    assert set(alone["counted"]) == {"steps", "busiest", "serial"}


def test_the_next_step_says_where_it_goes():
    """Inside, then across, then inside: each step of a hierarchical all-reduce uses one kind of link."""
    said = [
        reference.compute(state("all-reduce", "hierarchical", 8, per_node=4, step=k))["at"]["where"] for k in range(9)
    ]
    assert said == ["inside the nodes"] * 3 + ["between the nodes"] * 2 + ["inside the nodes"] * 3 + [""]
    flat = reference.compute(state("all-reduce", "ring", 8, per_node=4))["at"]["where"]
    assert flat == "inside and between the nodes"
    assert reference.compute(state("all-reduce", "ring", 8))["at"]["where"] == ""


def test_nodes_of_unequal_size_are_refused_for_hierarchical():
    """The sentence lists what is legal; flat algorithms take any nodes, and say no formula that does not hold."""
    sentence = "Hierarchical needs several nodes of equal size: for 6 ranks, 1 or 2 or 3 in a node."
    for per_node in (4, 6, 16):
        assert reference.check(state("all-reduce", "hierarchical", 6, per_node=per_node)) == sentence
    assert reference.check(state("all-reduce", "hierarchical", 6, per_node=3)) == ""
    out = reference.compute(state("all-gather", "direct", 6, per_node=4))
    assert (out["nodes"], out["written"]["outside"], out["counted"]["outside"]) == (2, "", 4)
    assert "hierarchical" not in out["times_us"]
    assert "a whole number from 1 to 16" in reference.check(state("all-reduce", "ring", 4, per_node=0))
    assert "between nodes goes from 0" in reference.check(state("all-reduce", "ring", 4, net_alpha=-1))
    assert "between nodes goes from 1" in reference.check(state("all-reduce", "ring", 4, net_bandwidth=0))


def test_the_links_are_an_h100s():
    """Both bandwidths at the start are the planner's rows."""
    h100 = DEVICES["h100_sxm"]
    start = reference.STATE
    assert [start["bandwidth"] * 1e9, start["net_bandwidth"] * 1e9] == [h100.inside_bytes, h100.outside_bytes]
