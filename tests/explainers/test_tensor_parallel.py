"""Tensor parallelism and ZeRO: executed sharded runs against the unsharded ones, logged bytes against the formulas."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import explainers
from explainers import permalink
from gallery import catalog, memory, parameters

HERE = Path(__file__).resolve().parents[2] / "explainers" / "tensor-parallel"
reference = explainers.load_file(HERE / "reference.py")
sharded, zero, arithmetic = reference.sharded, reference.zero, reference.sharded.arithmetic
DATA = explainers.data("tensor-parallel")
HEADS = [(64, 8), (64, 64), (32, 8), (32, 2), (96, 8), (40, 8), (25, 25), (12, 2), (71, 1), (8, 4), (48, 48)]


def ranks_for(heads, kv_heads):
    return [t for t in range(1, 17) if heads % t == 0 and not (kv_heads % t and t % kv_heads)]


def state(**more):
    return {**reference.STATE, **more}


def test_every_sharded_run_equals_the_unsharded_one(verified):
    """Heads x ranks x gate x sequence parallelism: all ten tensors of the layer equal their place in the whole run."""
    checked = wrong = 0
    for heads, kv_heads in HEADS:
        for t in ranks_for(heads, kv_heads):
            for gated, sp, parallel in ((True, False, False), (True, True, False), (False, True, True)):
                run = sharded.Run(heads, kv_heads, gated, t, sp, parallel)
                assert len(run.away) == 10
                checked += 10
                wrong += sum(x > 1e-12 for x in run.away)
                if t == 1:
                    assert run.away == [0.0] * 10
                assert {row[0] for row in run.ranks.log} <= ({"mlp"} if parallel else {"attention", "mlp"})
    verified(
        "tensor parallel: tensors of a sharded layer", checked, wrong, f"the unsharded run, numpy {np.__version__}"
    )


def test_falcon_and_command_meet_once():
    """Both halves read x, so one all-reduce a layer: half of what a layer of Llama's shape sends."""
    falcon = reference.compute(state(model="tiiuae/falcon-40b", tp=8), DATA)
    assert falcon["sent"]["layer"]["counted"] == falcon["formula_bytes"] == falcon["sent"]["layer"]["formula"]
    assert falcon["sent"]["pass"]["message"] == 60 * falcon["message_bytes"]
    assert falcon["moments"][4] == ["no meeting yet", "the MLP reads x too"]
    beats = explainers.load_file(explainers.HERE / "tensor-parallel" / "beats.py")
    assert beats.how_often(state(model="CohereLabs/c4ai-command-r-v01", tp=4), DATA) == 0


def test_columns_and_heads_are_exact():
    """Up to the first meeting nothing is added across ranks: the shards are bit-equal slices."""
    run = sharded.Run(64, 8, True, 16, False)
    assert run.away[:3] == [0.0, 0.0, 0.0]
    assert 0 < run.away[4] < 1e-12


def test_a_wrong_shard_is_noticed(monkeypatch):
    """Giving every rank the first KV head makes the attention differ, so the check can fail."""
    true = sharded.slices
    monkeypatch.setattr(sharded, "slices", lambda w, t, rank: {**true(w, t, rank), "kv": true(w, t, 0)["kv"]})
    assert sharded.Run(8, 8, True, 4, False).away[2] > 1e-3


def test_the_meetings_send_what_the_formula_says(verified):
    """Each rank sends 2(t-1)/t of the message at both meetings, with sequence parallelism and without; Falcon and
    Command meet once."""
    checked = wrong = 0
    for case in reference.cases():
        out = reference.compute(case, DATA)
        sent = [sum(row[-1] for row in out["log"] if row[2] == rank) for rank in range(case["tp"])]
        assert len(set(sent)) == 1
        once = reference.model_of(case, DATA)["parallel"]  # both halves are added first
        for what in reference.MEETS:
            checked += 1
            wrong += out["counted_bytes"][what] != (0 if once and what == "attention" else out["formula_bytes"])
            wrong += out["sent"][what]["formula"] != out["sent"][what]["counted"]
    verified("tensor parallel: logged bytes", checked, wrong, "2(t-1)/t of b s h bytes per meeting")


def test_sequence_parallelism_sends_the_same_bytes():
    """Reduce-scatter and all-gather apart, or together as an all-reduce: the same bytes, a t-th of the stream kept."""
    with_sp, without = (reference.compute(state(tp=8, sequence_parallel=sp), DATA) for sp in (True, False))
    assert with_sp["counted_bytes"] == without["counted_bytes"]
    assert with_sp["memory"]["stream"] * 8 == without["memory"]["stream"]


def test_llama_70b_sends_470_mb_a_layer():
    """Llama-70B, 8,192 tokens, 8 ranks: 470 MB leave each rank per layer forward."""
    out = reference.compute(state(tp=8), DATA)
    assert sum(out["counted_bytes"].values()) == pytest.approx(470e6, rel=1e-3)


def test_kv_heads_run_out_and_are_copied():
    """8 KV heads on 16 ranks: each head stands on two ranks, and the cache of a rank stops shrinking."""
    out = {t: reference.compute(state(tp=t), DATA) for t in (4, 8, 16)}
    assert out[4]["kv_held"] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert out[16]["kv_held"] == [[r // 2] for r in range(16)]
    assert (out[8]["kv_copies"], out[16]["kv_copies"]) == (1, 2)
    assert out[16]["memory"]["cache"] == out[8]["memory"]["cache"] == out[4]["memory"]["cache"] / 2


def test_every_kv_head_is_with_the_queries_that_read_it():
    """On every legal split each query head finds its KV head on its own rank."""
    for heads, kv_heads in HEADS:
        w = sharded.Weights(heads, kv_heads, True)
        for t in ranks_for(heads, kv_heads):
            for rank in range(t):
                held = sharded.kv_of(rank, t, kv_heads)
                assert all(0 <= g < len(held) for g in sharded.slices(w, t, rank)["groups"])


def test_the_cache_of_one_rank_is_the_models(verified):
    """On one rank the cache is gallery.memory's, windows, loops and states of fixed size included, at any context."""
    rows = {row[0]: dict(zip(DATA["columns"], row, strict=True)) for row in DATA["models"]}
    assert len(rows) > 90
    wrong, checked = [], 0
    for row in rows.values():
        spec = catalog.spec(row["slug"])
        for context in (1, 100, 8192, 131_072, 1 << 20):
            checked += 1
            if reference.memory_of(row, 1, False, context)["cache"] != memory(spec, context).total_bytes:
                wrong.append((row["slug"], context))
    assert reference.memory_of(rows["google/gemma-3-27b-it"], 1, False, 131_072)["cache"] == 11_173_625_856
    verified("tensor-parallel: cache of a rank", checked, len(wrong), "gallery.memory")
    assert wrong == []


def test_shards_add_up_to_the_model():
    """Cut, K/V and whole parameters of every row sum to the model's count."""
    for row in DATA["models"]:
        assert sum(row[-4:-1]) == parameters(catalog.spec(row[0])).total, row[0]


def test_shapes_multiply_to_the_matrices():
    """t shards of q, o, up and down hold exactly the model's matrices."""
    model = reference.model_of(state(), DATA)
    for t in reference.legal(model):
        shapes = reference.compute(state(tp=t), DATA)["shapes"]
        assert math.prod(shapes["q"]) * t == math.prod(shapes["o"]) * t == 8192 * 64 * 128
        assert math.prod(shapes["up"]) * t == math.prod(shapes["down"]) * t == 8192 * 28672


def test_the_own_exponential_is_right():
    """The exponential both languages share differs from numpy's by at most two units in the last place."""
    x = np.linspace(-40, 40, 100_001)
    assert np.abs(arithmetic.exp(x) / np.exp(x) - 1).max() < 2 * np.finfo(float).eps


def test_seven_ranks_on_64_heads():
    """An impossible split says why, and what is legal."""
    sentence = reference.check(state(tp=7), DATA)
    assert sentence == (
        "7 ranks cannot share 64 query heads evenly: 64 / 7 is not whole. Legal for Llama 3.1 70B: 1, 2, 4, 8, 16."
    )


def test_every_refusal_is_a_sentence():
    """Bad states of every key are refused in words; the legal ones of the row are accepted."""
    bad = {"view": "x", "model": "x", "tp": 0, "sequence": 0.5, "sequence_parallel": "yes", "step": 10, "rank": "a",
           "stage": 4, "dp": 65, "convention": "17"}  # fmt: skip
    for key, value in bad.items():
        assert reference.check(state(**{key: value}), DATA).endswith("."), key
    assert "does not divide 8,191" in reference.check(state(sequence=8191, sequence_parallel=True), DATA)
    assert "nor copied evenly" in reference.check(state(model="microsoft/phi-4", tp=4), DATA)
    for t in range(1, 17):
        model = reference.model_of(state(), DATA)
        assert (reference.check(state(tp=t), DATA) == "") == (t in reference.legal(model))


# ---------------------------------------------------------------- ZeRO


def test_zero_steps_end_in_the_same_weights(verified):
    """Stages 0 to 3 on 1 to 64 ranks: one executed Adam step gives the weights of the unsharded step."""
    checked = wrong = 0
    for stage in range(4):
        for d in (*range(1, 25), 32, 48, 64):
            ran = zero.step(stage, d)
            checked += 1
            wrong += not ran["away"] < 1e-9
            assert all(len(set(counts)) == 1 for counts in ran["all"].values())
    verified("zero: weights after one step", checked, wrong, "the unsharded Adam step")


def test_zero_sends_what_the_formula_says(verified):
    """2 of (D-1)/D per parameter for stages 0, 1 and 2, 3 of it for stage 3, in every convention's bytes."""
    checked = wrong = 0
    for convention in zero.CONVENTIONS:
        for stage in range(4):
            for d in (1, 2, 3, 8, 64):
                out = reference.compute(state(stage=stage, dp=d, convention=convention), DATA)["zero"]
                wrong += any(
                    not math.isclose(out["sent"][k], out["formula_sent"][k], abs_tol=1e-12) for k in out["sent"]
                )
                checked += 2
    verified("zero: numbers sent", checked, wrong, "2 psi, 2 psi, 2 psi, 3 psi times (D-1)/D")
    three = reference.compute(state(stage=3), DATA)["zero"]["sent"]
    one = reference.compute(state(stage=1), DATA)["zero"]["sent"]
    assert sum(three.values()) == pytest.approx(1.5 * sum(one.values()))


def test_zero_bytes_per_parameter():
    """16, 4 + 12/D, 2 + 14/D, 16/D; Megatron 18 and 6 + 12/D; with fp32 sums 20."""
    assert [zero.bytes_per_parameter(s, 8, "16") for s in range(4)] == [16, 5.5, 3.75, 2]
    assert [round(zero.bytes_per_parameter(s, 64, "16"), 2) for s in range(4)] == [16, 4.19, 2.22, 0.25]
    assert [zero.bytes_per_parameter(s, 8, "18") for s in range(2)] == [18, 6 + 12 / 8]
    assert zero.bytes_per_parameter(0, 8, "20") == 20
    for convention in zero.CONVENTIONS:
        for stage in range(4):
            held = sum(size * share for _, size, share in zero.held(stage, 8, convention))
            assert held == pytest.approx(zero.bytes_per_parameter(stage, 8, convention))


# ---------------------------------------------------------------- the beats

told = explainers.load_file(HERE / "beats.py")
FIRST = reference.STATE


def test_what_the_beats_say_in_words_holds():
    """Sentences of page.md that state a fact without a bound number are true of the states they are said of."""
    first = reference.compute(FIRST, DATA)
    assert first["away"][:3] == [0.0] * 3  # heads are computed without asking anyone
    assert told.meetings(FIRST, DATA) == 2
    assert (told.how_often(FIRST, DATA), told.sends_more(FIRST, DATA)) == (1, 1)
    passes = [reference.compute(state(tp=t), DATA)["sent"]["pass"]["formula"] for t in (2, 4, 8, 16)]
    assert passes == sorted(passes)
    assert passes[-1] < told.answers["never"](FIRST, DATA) == 40 * 2**30
    eight, sixteen = (told.held_on(FIRST, DATA, t) for t in (8, 16))
    assert sixteen > eight / 2
    assert reference.compute(state(tp=16), DATA)["kv_copies"] == 2
    stages = [told.traffic(state(stage=z), DATA) for z in range(4)]
    assert stages == [1, 1, 1, 1.5]
    alone = reference.compute(state(tp=1), DATA)
    assert (told.meetings(state(tp=1), DATA), told.how_often(state(tp=1), DATA), alone["log"]) == (0, -1, [])


@pytest.mark.parametrize(
    ("goal", "changes", "says"),
    [
        ("few_cards", {}, "On 4 ranks each holds 36.1 GB."),
        ("few_cards", {"tp": 1}, "On 1 rank each holds 143.9 GB."),
        ("few_cards", {"tp": 16}, "On 16 ranks each holds 9.5 GB: fewer will do."),
        ("few_cards", {"tp": 8, "sequence": 1024}, "Llama 3.1 70B and 8,192 tokens"),
        ("few_cards", {"tp": 8, "model": "Qwen/Qwen3-32B"}, "Llama 3.1 70B and 8,192 tokens"),
        ("train_64", {}, "on 64 data-parallel ranks"),
        ("train_64", {"dp": 63, "stage": 3}, "on 64 data-parallel ranks"),
        ("train_64", {"dp": 64, "stage": 2}, "With ZeRO stage 2 each keeps 156.5 GB."),
    ],
)
def test_goals_name_near_misses(goal, changes, says):
    """What is not reached says how far one is, or what the goal is about."""
    made = told.goals[goal](state(**changes), DATA)
    assert not made["reached"]
    assert says in made["says"]


def test_hints_of_the_goals_hold():
    """Half of 8 ranks do need 36.1 GB each, and stage 3 fits with gradients in fp32 as well."""
    assert "Half as many would need 36.1 GB each" in told.few_cards(state(tp=8), DATA)["says"]
    for convention in DATA["conventions"]:
        made = told.train_64(state(dp=64, stage=3, convention=convention), DATA)
        assert made["reached"], convention
        assert "It would do with gradients kept in fp32 too" in made["says"]


def test_a_difference_in_words():
    """Nothing is 0; anything else two digits and a power."""
    assert [reference.words.tiny(x) for x in (0.0, 1.07e-16, 9.96e-9)] == ["0", "1.1 · 10⁻¹⁶", "1.0 · 10⁻⁸"]


def test_every_model_can_be_chosen_from_any_number_of_ranks(verified):
    """A model that t ranks cannot share moves t to the nearest number that can; one that a link sets is told."""
    check, settle = explainers.checker("tensor-parallel"), explainers.settler("tensor-parallel")
    wrong, checked = [], 0
    for row in DATA["models"]:
        legal = reference.legal(dict(zip(DATA["columns"], row, strict=True)))
        for t in range(1, 17):
            moved = settle(state(model=row[0], tp=t), ["model"])
            checked += 1
            if check(moved) or min(abs(one - t) for one in legal) != abs(moved["tp"] - t):
                wrong.append((row[0], t))
    verified("tensor-parallel: models opened at any number of ranks", checked, len(wrong), "check")
    assert wrong == []
    assert "7 ranks cannot share" in permalink.read(reference.STATE, "?tp=7", check, settle)[1][0]
    assert permalink.read(reference.STATE, "?model=no/such", check, settle)[1] != []
