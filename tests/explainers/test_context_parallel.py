"""explainers/context_parallel: executed on gallery.mesh and equal to one rank, its log equal to the formulas."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from cutaway import explainers
from cutaway.gallery import catalog, read
from cutaway.gallery.counting.memory import kv_bytes_per_token, memory
from tests.explainers import expected
from tests.tally import Tally

page, data = explainers.reference("context-parallel"), explainers.data("context-parallel")
run = page.run
LLAMA, OLMO, ARCTIC = page.STATE["model"], "allenai/OLMo-2-1124-7B-Instruct", "Snowflake/snowflake-arctic-instruct"
DEEPSEEK, NEXT = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct"
SHAPES = [(64, 8, False), (8, 1, True), (16, 16, False), (56, 8, False), (16, 2, False)]


def at(**state) -> dict:
    """What the page prints in a state."""
    return page.compute({**page.STATE, **state}, data)


# ---------------------------------------------------------------- executed


def plainly(one) -> np.ndarray:
    """Causal attention of one rank by numpy's own exp and matrix products, head by head: the second route."""
    tokens, heads, key = one.q.shape
    out = np.zeros((tokens, heads, run.WIDE))
    for head in range(heads):
        pair = one.kv[:, head * one.kv.shape[1] // heads]
        k, v = pair[:, :key], pair[:, : run.WIDE] if one.latent else pair[:, key:]
        scores = np.where(np.tri(tokens, dtype=bool), one.q[:, head] @ k.T / key**0.5, -np.inf)
        p = np.exp(scores - scores.max(1, keepdims=True))
        out[:, head] = p / p.sum(1, keepdims=True) @ v
    return out


@pytest.mark.whole
def test_every_way_gives_one_ranks_answer(verified):
    """Ring in three orders, all-gather, Ulysses and decoding equal the unsharded attention, on 2 to 16 ranks."""
    tally = Tally()
    for shape, ranks in product(SHAPES, page.RANKS):
        assert np.abs(run.layer(*shape).out - plainly(run.layer(*shape))).max() < 1e-13
        for order in run.ORDERS:
            made = [run.way(name, order, ranks, *shape) for name in run.WAYS]
            assert (made[2] is None) == (shape[0] % ranks != 0)
            for one in made:
                tally.holds(one.off < 1e-14, shape, ranks, order) if one else None
        tally.holds(run.decode(ranks, *shape)["off"] < 1e-14, shape, ranks, "decoding")
        assert run.decode(ranks, *shape)["mean_off"] > 0.01
    verified("context-parallel: outputs of sharded attention", tally, against="the result on one rank")


def test_no_rank_sees_what_it_was_not_sent(monkeypatch):
    """With one block's keys spoilt on their way, the answers change: what is computed is what arrived."""
    send = run.Network.send

    def spoilt(self, parts, to, axis, tensor):
        return {rank: part + (rank == 3) for rank, part in send(self, parts, to, axis, tensor).items()}

    monkeypatch.setattr(run.Network, "send", spoilt)
    assert run.way.__wrapped__("ring", "contiguous", 8, 8, 8, False).off > 0.01


@pytest.mark.parametrize("order", run.ORDERS)
@pytest.mark.parametrize("ranks", page.RANKS)
def test_work_is_counted_and_has_a_closed_form(order, ranks):
    """The pairs in the mask that runs are those of the formula; at any length the shares keep their law."""
    owner = np.array(run.owners(order, ranks))
    counted = [int(np.tri(32, dtype=bool)[owner == rank].sum()) for rank in range(ranks)]
    assert counted == page.pairs(order, ranks, 32)
    assert [sorted(np.bincount(owner))] == [[32 // ranks] * ranks]
    block = (32 // ranks) ** 2
    assert [sum(row) * block for row in page.timetable(order, ranks)] == counted
    s = 131_072
    most = Fraction(max(page.pairs(order, ranks, s)) * ranks, s * (s + 1) // 2)
    if order == "zigzag":
        assert most == 1
    elif order == "striped":
        assert most == Fraction(s + ranks, s + 1)
    else:
        assert abs(most - (2 - Fraction(1, ranks))) < Fraction(1, s)


def test_the_numbers_of_the_fact_sheet():
    """8 ranks: 0.125 to 1.875 of the mean in stretches; in turn 0.998 to 1.002 at 4,096 tokens; 1 in zig-zag."""
    assert at()["work"]["most"] == pytest.approx(1.875, abs=1e-5)
    assert at()["work"]["least"] == pytest.approx(0.125, abs=1e-5)
    each = np.array(page.pairs("striped", 8, 4096)) * 8 * 2 / (4096 * 4097)
    assert (round(each.min(), 3), round(each.max(), 3)) == (0.998, 1.002)
    assert set(at(order="zigzag")["work"]["each"]) == {1.0}


def test_the_slowest_of_each_step_is_as_slow_as_the_slowest_rank():
    """Ranks that wait for each other in every step lose no more than at the end, in all three orders."""
    for order in run.ORDERS:
        table = page.timetable(order, 8)
        assert sum(max(row[j] for row in table) for j in range(8)) == max(map(sum, table))


# ---------------------------------------------------------------- bytes


@pytest.mark.whole
def test_the_log_is_the_formula(verified):
    """What the busiest rank sent, in the model's sizes, is the closed form; of every run that nothing forbids."""
    tally = Tally()
    for row, ranks, tp in product(data["models"], page.RANKS, (1, 8)):
        now = at(model=row["slug"], cp=ranks, tp=tp, order="zigzag")
        s, heads, kv = 131_072, row["heads"] // tp, max(1, row["kv"] // tp)
        ring = Fraction(ranks - 1, ranks) * s * kv * row["pair"] * 2
        travels = heads * (row["key"] + row["value"]) + max(kv, ranks) * row["pair"]
        swapped = Fraction(ranks - 1, ranks) * Fraction(s, ranks) * travels * 2 if heads % ranks == 0 else 0
        for name, formula in (("ring", ring), ("gather", ring), ("ulysses", swapped)):
            way = now["ways"][name]
            tally.same((way["counted"], way["sent"]), (formula, formula), name, row["slug"], ranks, tp)
    verified("context-parallel: bytes sent", tally, against="closed-form formulas")


def test_keys_of_kv_heads_travel_and_not_of_query_heads():
    """Sending all query heads' keys, an error that others made, would be 8 times the ring's bytes for Llama 3.1 70B."""
    answer = expected.answers("context-parallel")
    sent = at()["ways"]["ring"]["sent"]
    assert sent == 7 * 16_384 * 8 * 2 * 128 * 2 == 469_762_048
    assert answer["all_heads"](page.STATE, data) == 8 * sent
    assert answer["times"](page.STATE, data) == 8


def test_what_is_held_at_once():
    """On the ring two blocks, gathered everything, with Ulysses the whole text of its own KV heads."""
    held = {name: way["held"] for name, way in at()["ways"].items()}
    layer = 131_072 * 8 * 256 * 2
    assert held == {"ring": layer / 4, "gather": layer, "ulysses": layer / 8}
    assert at(cp=16)["ways"]["ulysses"]["held"] == layer / 8  # a KV head each, and each twice
    assert at(cp=16)["swap"] == {"heads": 4, "kv": 1, "copies": 2, "fits": 16}


def test_how_many_ranks_ulysses_can_use():
    """56 heads pass with 2 tensor ranks and 4 more, and fail with 4 and 4; Llama's 64 heads take 64 ranks at most."""
    assert at(model=ARCTIC, tp=2, cp=4)["ways"]["ulysses"]["sent"] > 0
    assert at(model=ARCTIC, tp=4, cp=4)["ways"]["ulysses"]["sent"] == 0
    assert [at(model=ARCTIC, tp=tp, cp=16)["swap"]["fits"] for tp in (1, 2, 4, 8)] == [8, 4, 2, 1]
    assert expected.answers("context-parallel")["furthest"](page.STATE, data) == 1
    bet = next(beat.bet for beat in explainers.load("context-parallel").beats if beat.name == "Heads")
    assert bet.options[:2] == tuple(f"{at()['here'][key]} at most" for key in ("kv", "heads"))


def test_where_ulysses_sends_less():
    """For Llama from 16 ranks on, with as many KV as query heads from 4 on, for a latent never."""
    assert [at(model=slug)["curve"]["less"] for slug in (LLAMA, OLMO, DEEPSEEK)] == [16, 4, 0]
    for slug in (LLAMA, OLMO, DEEPSEEK):
        for ranks in page.RANKS:
            now = at(model=slug, cp=ranks)
            i = page.CURVE.index(ranks)
            assert now["curve"]["ring"][i] == now["ways"]["ring"]["sent"]
            assert now["curve"]["ulysses"][i] == now["ways"]["ulysses"]["sent"]


# ---------------------------------------------------------------- the cache and the models


@pytest.mark.parametrize("slug", page.models.LISTED)
def test_the_cache_is_the_gallerys(slug):
    """Whole, it is what gallery.memory grows by; dealt out, every token lies once, or once for each KV copy."""
    spec = read(catalog.load(slug))
    now = at(model=slug, cp=4, tp=2)
    assert now["cache"]["whole"] == 131_072 * kv_bytes_per_token(spec)
    assert now["cache"]["rank"] * 8 == now["cache"]["whole"] * now["here"]["copies"]
    layers = now["row"]["layers"] + now["row"]["windows"] + now["row"]["states"]
    assert layers == sum(layer.mixer is not None for layer in spec.layers)


def test_a_state_is_what_a_layer_of_qwen3_next_keeps():
    """2.1 MB whatever the length, 36 times; the convolution's few tokens are not the state."""
    row, kept = at(model=NEXT)["row"], memory(read(catalog.load(NEXT)), 1000)
    assert row["state"] * row["states"] == kept.by_kind["state"]
    assert (row["states"], row["layers"]) == (36, 12)


def test_a_latent_cannot_be_cut_by_heads():
    """Eight tensor ranks keep eight copies of DeepSeek V3's latent; positions dealt out leave an eighth each."""
    now = at(model=DEEPSEEK, sequence=1_048_576)["cache"]
    assert now["alone"] == now["whole"] == 61 * 576 * 2 * 1_048_576
    assert now["rank"] == now["whole"] / 8
    assert at(model=LLAMA)["cache"]["alone"] == at(model=LLAMA)["cache"]["rank"]


def test_a_states_matrix_is_all_that_linear_attention_passes_on():
    """Without a softmax the keys before a rank's tokens are one matrix: passed on, it gives the unsharded answer."""
    one = run.layer(4, 4, False)
    k, v = one.kv[..., :4], one.kv[..., 4:]
    whole = np.einsum("ihd,jhd,jhe,ij->ihe", one.q, k, v, np.tri(32))
    state = np.zeros((4, 4, 4))
    for rank in range(8):
        mine = slice(rank * 4, rank * 4 + 4)
        out = np.einsum("ihd,jhd,jhe,ij->ihe", one.q[mine], k[mine], v[mine], np.tri(4))
        assert np.abs(out + np.einsum("ihd,hde->ihe", one.q[mine], state) - whole[mine]).max() < 1e-12
        state = state + np.einsum("jhd,jhe->hde", k[mine], v[mine])


# ---------------------------------------------------------------- goals


GOALS = [
    ("balanced", {}, "On 8 ranks, the slowest does 1.875 times the mean work; this goal needs 16 ranks."),
    ("balanced", {"cp": 16}, "does 1.937 times the mean work"),
    ("million", {"cp": 16}, "1,048,576 tokens"),
    ("million", {"sequence": 1_048_576, "model": DEEPSEEK}, "Llama 3.1 70B"),
    ("million", {"sequence": 1_048_576}, "On 8 × 1 GPUs, each rank stores 42.9 GB."),
]


@pytest.mark.parametrize(("goal", "changes", "says"), GOALS)
def test_a_goal_that_is_missed_says_why(of_beats, goal, changes, says):
    """Near misses are named."""
    [made] = of_beats("context-parallel", "goals", goal, [{**page.STATE, **changes}])
    assert not made["reached"]
    assert says in made["says"]


def test_the_goals_are_reached_where_the_reference_says(of_beats):
    """Over all orders and all numbers of ranks: none above the mean on 16, less than 25 GB on each."""
    orders = [{"order": order, "cp": ranks} for order, ranks in product(run.ORDERS, page.RANKS)]
    room = [{"sequence": 1_048_576, "cp": ranks, "tp": tp} for ranks, tp in product(page.RANKS, page.TENSOR)]
    for goal, states, reached in (
        ("balanced", orders, lambda state, now: state["cp"] == 16 and now["work"]["most"] <= 1.01),
        ("million", room, lambda _, now: now["cache"]["rank"] < 25_000_000_000),
    ):
        made = of_beats("context-parallel", "goals", goal, [{**page.STATE, **state} for state in states])
        assert [one["reached"] for one in made] == [reached(state, at(**state)) for state in states], goal
        assert 0 < sum(one["reached"] for one in made) < len(made), goal


# ---------------------------------------------------------------- a step, and what waiting costs


def test_a_step_of_the_ring_in_numbers():
    """Of 8 stretches of 4 tokens: 28 of 528 pairs, then blocks of 16; a block sent in each step but the last."""
    block = 131_072 // 8 * 8 * 256 * 2
    for step, pairs, busy in ((0, 0, 8), (1, 80, 7), (2, 80 + 7 * 16, 6), (7, 80 + 27 * 16, 1), (8, 528, 0)):
        now = at(step=step)["at"]
        assert now["done"] == pytest.approx(pairs / 528), step
        assert (now["busy"], now["sent"], now["words"]) == (busy, block * min(step, 7), f"{step} of 8")
    assert at(cp=2, step=16)["at"]["words"] == "2 of 2"


def test_waiting_is_what_the_mean_lacks_of_the_slowest():
    """Ranks wait 7 of 15 of the time where the slowest does 15 of 8, and never in zig-zag."""
    assert at()["work"]["idle"] == pytest.approx(7 / 15, abs=1e-5)
    assert at(order="zigzag")["work"]["idle"] == 0


def test_one_number_a_head_goes_with_a_partial_answer():
    """Four numbers of output and the logarithm of a sum are sent of every head: one besides the output."""
    for shape in SHAPES:
        assert run.decode(8, *shape)["extra"] == 1
    assert sum(run.decode(8, 64, 8, False)["weight"]) == pytest.approx(1)


def test_heads_alone_run_out_of_kv_heads():
    """16 GPUs cut Llama's 8 KV heads no further than 8 do; with 2 of them for tokens each keeps half of that."""
    cache = at(cp=2, tp=8)["cache"]
    assert (cache["alone"], cache["rank"]) == (cache["whole"] / 8, cache["whole"] / 16)
    assert at(cp=2, tp=2)["cache"]["alone"] == cache["whole"] / 4
    assert at(cp=2, tp=8, model="Qwen/Qwen3-235B-A22B")["here"] == {"heads": 8, "kv": 1, "copies": 2}
