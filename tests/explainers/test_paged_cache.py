"""explainers/paged_cache: the engine against a model of vLLM V1 and its published example, closed formulas, goals."""

from __future__ import annotations

import pytest

from cutaway import explainers
from cutaway.explainers.paged_cache import engine, workloads
from cutaway.gallery import catalog
from tests.explainers import vllm_model
from tests.tally import Tally

reference, data = explainers.reference("paged-cache"), explainers.data("paged-cache")
ALONE = {**reference.STATE, "memory": 256, "max_num_seqs": 12, "max_num_batched_tokens": 1024}


def at(**changes) -> dict:
    state = {**reference.STATE, **changes}
    assert reference.check(state, data) == ""
    return reference.compute(state, data)


def legal(count: int, seed: int) -> list[dict]:
    found = ({**reference.STATE, **one} for one in reference.cases(data, seed, count))
    return [one for one in found if not reference.check(one, data)]


# ---------------------------------------------------------------- the second route


@pytest.mark.whole
def test_the_engine_serves_as_vllm_does(verified):
    """Over random workloads every step has vLLM's block tables and queues, and the run its counts."""
    wrong, states = [], legal(120, seed=5)
    for state in states:
        per_block = data["bytes_per_token"][state["dtype"]] * state["block_size"]
        blocks = state["memory"] * reference.MIB // per_block
        rows = workloads.requests(state, data["workloads"])
        server, theirs = vllm_model.served(rows, blocks, state)
        mine = reference.compute(state, data)
        sums = mine["sums"]
        pairs = {
            "steps": (len(theirs), mine["end"]),
            "tokens of each step": ([sum(did.values()) for did, *_ in theirs], [row[3] for row in mine["timeline"]]),
            "preemptions": (server.preempted, sums["preemptions"]),
            "again": (server.again, sums["repeated"]),
            "evictions": (server.evicted, sums["evictions"]),
            "hits": (server.hits, sums["hits"]),
            "done": ([one.finished for one in server.every], [row["done"] for row in mine["rows"]]),
        }
        step = min(state["step"], len(theirs))
        _, tables, waiting = theirs[step - 1]
        pairs["tables"] = ([tables.get(i, []) for i in range(len(rows))], mine["at"]["tables"])
        pairs["queues"] = ((list(tables), waiting), (mine["at"]["running"], mine["at"]["waiting"]))
        wrong += [(state, name, *pair) for name, pair in pairs.items() if pair[0] != pair[1]]
    tally = Tally()
    tally.add(len(states), wrong)
    assert wrong[:1] == []
    verified("paged-cache: runs of the scheduler", tally, against="a model of vLLM V1 from its published rules")


def test_vllms_own_example_of_prefix_caching():
    """Ten blocks of 4 tokens, three requests: tables and free queue are those of vLLM's page on prefix caching."""
    state = {**ALONE, "block_size": 4, "system": 0}
    made = engine.Engine([[0, 15, 3, -1], [3, 14, 2, -1], [9, 29, 1, -1]], state, 10)
    for number, shared in ((1, 10), (2, 12)):  # their prompts begin with as many tokens of request 0's
        made.all[number].shared = shared
    tables = []
    for _ in range(10):
        ended = made.step()
        tables.append([list(one.table) for one in made.all])
        made.finish(ended)
        if made.now == 4:
            assert made.pool.free == [7, 8, 9, 4, 3, 2]
        if made.now == 9:
            assert made.pool.free == [7, 8, 9, 4, 3, 2, 6, 5, 1, 0]
    assert tables[0][0] == [0, 1, 2, 3]
    assert tables[9][2] == [0, 1, 2, 7, 8, 9, 4, 3]


# ---------------------------------------------------------------- closed formulas


@pytest.mark.parametrize("size", reference.SIZES)
def test_the_last_block_wastes_half_a_block(size):
    """A text that grows from 1 token to a multiple of b leaves (b - 1) / 2 slots empty on average."""
    own = {**ALONE, "block_size": size, "workload": "own", "own": "0 1 128"}
    sums = reference.compute(own, data)["sums"]
    assert sums["empty"] == (size - 1) / 2
    assert sums["held_share"] == pytest.approx(64.5 / (64.5 + (size - 1) / 2))


def test_a_reservation_wastes_what_never_comes():
    """A text that grows to n tokens, the last one not computed, fills n / 2 of the 256 reserved slots on average."""
    for length in (16, 64, 128):
        own = {**ALONE, "block_size": 8, "workload": "own", "own": f"0 1 {length - 1}"}
        share = {
            way: reference.compute({**own, "allocation": way}, data)["sums"]["held_share"] for way in ("max", "exact")
        }
        assert share["max"] == pytest.approx(length / 2 / 256)
        assert share["exact"] == pytest.approx(length / 2 / length)


def test_shared_blocks_by_formula():
    """Eight prompts of S + 20 tokens share floor(S/b) blocks and have ceil((S+20)/b) - floor(S/b) of their own each."""
    for size in (8, 16, 32, 64, 128):
        for system in (0, 15, 16, 63, 64, 90, 96):
            given = {**ALONE, "workload": "burst", "block_size": size, "system": system, "step": 1}
            whole, shared = -(-(system + 20) // size), system // size
            used = [reference.compute({**given, "prefix_caching": on}, data)["at"]["used"] for on in (True, False)]
            assert used == [shared + 8 * (whole - shared), 8 * whole], (size, system)


def test_a_block_has_the_bytes_of_the_model():
    """Keys and values of 16 tokens in 32 layers of 8 heads of 128: 2 MiB in BF16, and FP8 has twice the blocks."""
    spec = catalog.spec(reference.MODEL)
    heads = spec.layers[0].mixer
    assert (len(spec.layers), heads.num_key_value_heads, heads.head_dim) == (32, 8, 128)
    bf16, fp8 = at(memory=96), at(memory=96, dtype="fp8")
    assert bf16["bytes_per_block"] == 16 * 2 * 32 * 8 * 128 * 2 == 2 << 20
    assert (bf16["blocks"], fp8["blocks"]) == (48, 96)
    left = (80 << 30) * 92 // 100 - 2 * 8_030_261_248
    real = {"left_bytes": left, "blocks": left >> 21, "tokens": 16 * (left >> 21)}
    assert bf16["real"] == {"title": "Llama 3.1 8B", "device_bytes": 80 << 30, **real}


def test_every_token_is_computed_once_but_what_is_lost_or_found():
    """Without caching, all tokens but the last are computed once, and those lost by preemption once more."""
    for state in legal(60, seed=8):
        mine = reference.compute({**state, "prefix_caching": False}, data)
        texts = sum(row["prompt"] + row["answer"] - 1 for row in mine["rows"])
        assert mine["sums"]["scheduled"] == texts + mine["sums"]["repeated"]
        assert max(row[0] for row in mine["timeline"]) <= mine["blocks"]


# ---------------------------------------------------------------- what the page says


def test_the_beats_answers():
    """20.0 % with reservations, 87.3 % in blocks; 21 blocks, not 56; 94 tokens again; 126 steps, not 200."""
    shares = [at(allocation=way, memory=128, max_num_seqs=12)["sums"]["held_share"] for way in reference.ALLOCATIONS]
    assert [round(100 * share, 1) for share in shares] == [87.3, 20.0, 61.6]
    burst = {"workload": "burst", "system": 90, "memory": 160, "max_num_batched_tokens": 1024, "step": 1}
    assert [at(prefix_caching=on, **burst)["at"]["used"] for on in (True, False)] == [21, 56]
    short = at(workload="burst", memory=48)["sums"]
    assert (short["preemptions"], short["repeated"]) == (2, 94)
    assert [at(batching=one, max_num_seqs=4, memory=96)["end"] for one in ("continuous", "static")] == [126, 200]


def test_a_prompt_found_whole_computes_its_last_block_again():
    """A conversation's next turn finds all full blocks of its past, but never the last token of its prompt."""
    state = {**ALONE, "system": 64, "block_size": 16}
    made = engine.Engine([[0, 0, 4, -1], [4, 0, 4, -1]], state, 64)  # two prompts of the system's 64 tokens alone
    while not made.over():
        made.finish(made.step())
    assert [one.hits for one in made.all] == [0, 48]


GOALS = [
    ("calm", {}, False, "5 preemptions, 76 steps: too many run at once"),
    ("calm", {"max_num_seqs": 5}, False, "0 preemptions, 109 steps: the cache has room"),
    ("calm", {"dtype": "fp8"}, False, "48 MiB in BF16"),
    ("calm", {"max_num_seqs": 6}, True, "0 preemptions, 89 steps, at most 23 blocks"),
    ("by_hand", {}, False, "max_num_seqs at 4"),
    ("by_hand", {"max_num_seqs": 4}, False, "takes 126 steps"),
    ("by_hand", {"max_num_seqs": 4, "moves": [13, 8]}, False, "Your order takes 12"),
    ("by_hand", {"max_num_seqs": 4, "moves": [25, 7, 30, 10]}, True, "Reached in 110 steps"),
]


def test_a_goal_says_how_near_one_is(of_beats):
    """Near misses are named with their numbers."""
    for goal, changes, reached, says in GOALS:
        [made] = of_beats("paged-cache", "goals", goal, [{**reference.STATE, **changes}])
        assert (made["reached"], says in made["says"]) == (reached, True), made
