"""Collectives: every run against the unsharded answer, every logged byte against the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.collectives import reference
from cutaway.gallery.mesh import Schedule, Send, Step, schedule

GRID = [(op, a, n) for op in reference.OPS for a in reference.ALGORITHMS for n in range(2, 17)]


def state(op, algorithm, n, **more):
    return {**reference.STATE, "op": op, "algorithm": algorithm, "ranks": n, **more}


@pytest.mark.whole
def test_every_run_equals_the_unsharded_answer(verified):
    """5 collectives x 3 algorithms x 2 to 16 ranks x every root: each number equals numpy's on the whole arrays."""
    checked = wrong = 0
    for op, algorithm, n in GRID:
        for root in range(n) if op == "broadcast" else (0,):
            wrong += reference.execute(op, algorithm, n, root)[1]
            checked += n * (1 if op == "reduce-scatter" else n) * reference.machine.WIDTH
    verified(
        "collectives: values after each collective", checked, wrong, f"the unsharded result, numpy {np.__version__}"
    )


def test_a_wrong_run_is_noticed():
    """Adding one rank twice shows up as mismatches, so the check can fail."""
    again = Step("again", [Send(0, 1, 2, 2, adds=True)])
    plan = Schedule([*schedule("all-reduce", "ring", 4).steps, again])
    m = reference.machine.Run(reference.start("all-reduce", 4, 0), plan)
    answer, where = reference.expected_answer("all-reduce", reference.start("all-reduce", 4, 0), 0)
    assert (m.held != answer)[where].sum() == 2


@pytest.mark.whole
def test_logged_steps_and_bytes_equal_the_formulas(verified):
    """Steps, the busiest rank's bytes and the bytes one after the other equal their closed forms everywhere."""
    wrong = []
    for op, algorithm, n in GRID:
        out = reference.compute(state(op, algorithm, n))
        wrong += [(op, algorithm, n, key) for key in out["counted"] if out["counted"][key] != out["formula"][key]]
    assert wrong == []
    verified(
        "collectives: number of steps and bytes sent",
        3 * len(GRID),
        len(wrong),
        "the formulas of nccl-tests and Bruck's algorithm",
    )


def test_bytes_sent_by_every_rank_on_the_ring():
    """All-reduce: every rank sends and receives 2(n-1)/n of S; all-gather and reduce-scatter half of that."""
    for n in range(2, 17):
        for op, times in (("all-reduce", 2), ("all-gather", 1), ("reduce-scatter", 1)):
            out = reference.compute(state(op, "ring", n))
            assert out["sent"] == out["received"] == [times * (n - 1)] * n


def test_128_mib_over_four_ranks_sends_192():
    """The figure everybody quotes: 128 MiB all-reduced on a ring of 4 makes each rank send 192 MiB."""
    assert reference.compute(reference.STATE)["bytes"]["busiest"] == 192 * 2**20


@pytest.mark.whole
def test_nobody_sends_two_messages_in_a_step():
    """One port out and one port in per rank: the alpha-beta time counts one message per rank and step."""
    for op, algorithm, n in GRID:
        pairs = {(step, src, dst) for step, src, dst, *_ in reference.compute(state(op, algorithm, n))["log"]}
        assert len({(step, src) for step, src, _ in pairs}) == len(pairs)
        assert len({(step, dst) for step, _, dst in pairs}) == len(pairs)


def test_the_ring_only_talks_to_its_neighbour():
    """Every ring message goes from rank i to rank i + 1."""
    for op, algorithm, n in GRID:
        if algorithm == "ring":
            assert all(dst == (src + 1) % n for _, src, dst, *_ in reference.compute(state(op, algorithm, n))["log"])


def test_all_reduce_is_reduce_scatter_then_all_gather():
    """The ring's log of an all-reduce is the two other logs, one after the other."""
    for n in range(2, 17):
        both = [reference.compute(state(op, "ring", n))["log"] for op in ("reduce-scatter", "all-gather")]
        joined = both[0] + [[row[0] + n - 1, *row[1:]] for row in both[1]]
        assert reference.compute(state("all-reduce", "ring", n))["log"] == joined


@pytest.mark.whole
def test_first_number_tells_who_is_summed():
    """Each frame's first numbers are sums of distinct powers of two: nobody is ever added twice."""
    for op, algorithm, n in GRID:
        for frame in reference.compute(state(op, algorithm, n))["frames"]:
            for rank in frame:
                assert all(0 <= x < 2**n for x in rank[:: reference.machine.WIDTH])


def test_alpha_beta_time():
    """6 start-ups of 5 us and 192 MiB at 450 GB/s: 30 us + 447.4 us."""
    assert reference.compute(reference.STATE)["time_us"] == pytest.approx(30 + 192 * 2**20 / 450e3)


def test_crossover_is_where_ring_and_tree_take_equally_long():
    """At the printed size both times are the same; 3 ranks take as many steps either way, so there is none."""
    assert reference.compute(state("all-reduce", "ring", 3))["crossover"] == 0
    for n in range(4, 17):
        s = state("all-reduce", "ring", n)
        s["message"] = float(np.log2(reference.compute(s)["crossover"]))
        times = reference.compute(s)["times_us"]
        assert times["ring"] == pytest.approx(times["tree"])


def test_bus_bandwidth_is_at_most_the_link():
    """The ring's bus bandwidth tends to the link's and never passes it."""
    for op in ("all-reduce", "all-gather", "reduce-scatter"):
        out = reference.compute(state(op, "ring", 8, message=34))
        assert 440 < out["bus_gbs"] < 450


def test_refusals_say_what_is_legal():
    """Each refusal is a sentence with what works."""
    assert "2 to 16" in reference.check(state("all-reduce", "ring", 17))
    assert "2 to 16" in reference.check(state("all-reduce", "ring", "many"))
    assert "0 to 3" in reference.check(state("broadcast", "ring", 4, root=4))
    assert "there is no “gossip”" in reference.check(state("gossip", "ring", 4))
    assert "there is no “star”" in reference.check(state("all-reduce", "star", 4))
    assert "16 GiB" in reference.check(state("all-reduce", "ring", 4, message=float("inf")))
    assert reference.check(reference.STATE) == ""


def test_an_old_link_means_the_same_run():
    """?algorithm=naive was what is called direct now: the link opens the same picture, and says nothing."""
    check, settle = explainers.checker("collectives"), explainers.settler("collectives")
    old, new = (
        permalink.read_address(reference.STATE, f"?op=all-gather&algorithm={word}&ranks=6", check, settle)
        for word in ("naive", "direct")
    )
    assert old == new
    assert old[0]["algorithm"] == "direct" and old[1] == []


@pytest.mark.parametrize(
    ("goal", "changes", "says"),
    [
        ("small_fast", {}, "needs an all-reduce of 64 KiB on 4 ranks of one node"),
        ("small_fast", {"message": 16}, "The ring takes 30.2 µs; 30.0 µs of that is start-up."),
        ("large_fast", {}, "needs an all-reduce of 128 MiB on 16 ranks of one node"),
        ("large_fast", {"ranks": 16}, "With ring it takes 709.2 µs; 150.0 µs of that is start-up."),
    ],
)
def test_goals_name_near_misses(goal, changes, says, of_beats):
    """What is not reached says how far one is, or what the goal needs."""
    [made] = of_beats("collectives", "goals", goal, [{**reference.STATE, **changes}])
    assert not made["reached"]
    assert says in made["says"]


def test_goals_are_reached_where_the_reference_says_so(of_beats):
    """64 KiB on 4 ranks under 25 µs, 128 MiB on 16 under 600 µs: by every algorithm, on many wires."""
    small = [state("all-reduce", algorithm, 4, message=16) for algorithm in ("ring", "tree", "direct")]
    wires = [{"alpha": alpha, "bandwidth": speed} for alpha in (1, 5, 20) for speed in (225, 450, 560, 900, 2000)]
    large = [state("all-reduce", a, 16, **wire) for a in ("ring", "tree", "direct") for wire in wires]
    for goal, states, limit in (("small_fast", small, 25), ("large_fast", large, 600)):
        times = [reference.compute(one)["time_us"] for one in states]
        made = of_beats("collectives", "goals", goal, states)
        assert [one["reached"] for one in made] == [us < limit for us in times]
        assert 0 < sum(one["reached"] for one in made) < len(made)


def test_hints_of_the_goals_hold(of_beats):
    """Straight is faster than the tree, which sends less; one change is enough on the ring; narrower wires do there."""
    ways = [state("all-reduce", algorithm, 4, message=16) for algorithm in ("tree", "direct")]
    tree, direct = (reference.compute(one) for one in ways)
    assert direct["time_us"] < tree["time_us"] < 25
    assert tree["counted"]["busiest"] < direct["counted"]["busiest"]
    hints = [one["says"] for one in of_beats("collectives", "goals", "small_fast", ways)]
    assert "Direct is faster still." in hints[0]
    assert "The tree reaches it too and sends less." in hints[1]

    wider, quicker = {"bandwidth": 560}, {"alpha": 1}
    ways = [state("all-reduce", "ring", 16, **change) for change in (wider, quicker, {**wider, **quicker})]
    ways.append(state("all-reduce", "tree", 16, bandwidth=2000))
    assert all(reference.compute(one)["time_us"] < 600 for one in ways)
    hints = [one["says"] for one in of_beats("collectives", "goals", "large_fast", ways)]
    says = ["Faster start-up would be enough too.", "More bandwidth would be enough too.", "One change may be enough."]
    assert [hint.rpartition(": ")[2].partition("µs. ")[2] for hint in hints] == [
        *says,
        "The ring needs less bandwidth.",
    ]


def test_the_caption_says_where_ring_and_tree_meet(of_beats):
    """Where the reference has such a size, at that size; else that they never change places."""
    states = [state(op, "ring", n) for op in reference.OPS for n in range(2, 17)]
    for one, words in zip(states, of_beats("collectives", "captions", "meets", states), strict=True):
        assert ("**{crossover:kib}**" in words) == bool(reference.compute(one)["crossover"])
        assert ("there is no crossover" in words) == (not reference.compute(one)["crossover"])
