"""Tensor parallelism and ZeRO: executed sharded runs against the unsharded ones, logged bytes against the formulas."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.tensor_parallel import reference
from cutaway.gallery import catalog, memory, parameters
from tests.explainers.answers import tensor_parallel as told

sharded, zero, arithmetic = reference.sharded, reference.zero, reference.sharded.whole.arithmetic
DATA = partial(explainers.data, "tensor-parallel")
HEADS = [(64, 8), (64, 64), (32, 8), (32, 2), (96, 8), (40, 8), (25, 25), (12, 2), (71, 1), (8, 4), (48, 48)]


def ranks_for(heads, kv_heads):
    return [t for t in range(1, 17) if heads % t == 0 and not (kv_heads % t and t % kv_heads)]


def state(**more):
    return {**reference.STATE, **more}


@pytest.mark.whole
def test_every_sharded_run_equals_the_unsharded_one(verified):
    """Heads x ranks x gate x sequence parallelism: all ten tensors of the layer equal their place in the whole run."""
    checked = wrong = 0
    for heads, kv_heads in HEADS:
        for t in ranks_for(heads, kv_heads):
            for gated, sp, parallel in ((True, False, False), (True, True, False), (False, True, True)):
                run = sharded.Run(sharded.Form(heads, kv_heads, gated, parallel), t, sp)
                assert len(run.away) == 10
                checked += 10
                wrong += sum(x > 1e-12 for x in run.away)
                if t == 1:
                    assert run.away == [0.0] * 10
                assert {row[0] for row in run.ranks.log} <= ({"mlp"} if parallel else {"attention", "mlp"})
    verified(
        "tensor-parallel: tensors of a sharded layer", checked, wrong, f"the unsharded run, numpy {np.__version__}"
    )


@pytest.mark.parametrize(
    "form",
    [
        sharded.Form(32, 32, full=True, after=True),  # OLMo 2
        sharded.Form(48, 8, full=True, expert=True),  # MiniMax M2
        sharded.Form(64, 64, expert=True, latent=2),  # DeepSeek-V3
        sharded.Form(16, 16, latent=1),  # Moonlight: queries without a latent
    ],
)
def test_other_layers_equal_the_unsharded_ones(form):
    """A norm over all heads, experts, latents, norms behind the halves, on 1 to 16 ranks."""
    checked = wrong = 0
    for t in (1, 2, 4, 8, 16):
        for sp in (False, True):
            run = sharded.Run(form, t, sp)
            checked += len(run.away)
            wrong += sum(x > 1e-12 for x in run.away)
            assert ("norm" in {row[0] for row in run.ranks.log}) == (form.full and t > 1)
    assert (checked, wrong) == (100, 0)


def test_each_part_of_a_form_changes_the_layer():
    """No part of a form is without effect: every one gives another result."""
    flags = ("parallel", "full", "after", "expert")
    forms = [sharded.Form(8, 4), sharded.Form(8, 4, gated=False), *(sharded.Form(8, 8, latent=n) for n in (1, 2))]
    forms += [sharded.Form(8, 4, **{key: True}) for key in flags]
    sums = {float(sharded.unsharded(form, 8)[1]["z"].sum()) for form in forms}
    assert len(sums) == len(forms)


def test_a_norm_of_every_head_would_be_wrong(monkeypatch):
    """OLMo 2's norm spans all heads: each rank's own queries normed alone are others."""
    monkeypatch.setattr(sharded.Run, "_normed", lambda self, parts, *_: [sharded.rms_norm(part) for part in parts])
    assert sharded.Run(sharded.Form(8, 8, full=True), 4, False).away[2] > 1e-3


def test_deepseek_keeps_its_latents_whole():
    """A rank of 8 keeps a whole cache of latents, and as many bytes are sent as by any layer of that width."""
    out = {t: reference.compute(state(model="deepseek-ai/DeepSeek-V3", tp=t), DATA()) for t in (1, 8)}
    assert out[1]["memory"]["cache"] == out[8]["memory"]["cache"] == 61 * 2 * 576 * 8192
    assert out[8]["sent"]["norm"]["formula"] == 0
    assert out[8]["sent"]["pass"]["formula"] == 61 * 2 * 2 * 7 * 8192 * 7168 * 2 / 8
    assert "the whole latents and 256 of 2,048 columns of each expert" in out[8]["holds"]


def test_olmo_gathers_queries_and_keys():
    """OLMo 2 7B on 4 ranks: three quarters of q and of k, 4,096 numbers each, leave every rank before the norm."""
    out = reference.compute(state(model="allenai/OLMo-2-1124-7B-Instruct", tp=4), DATA())
    assert out["sent"]["norm"]["counted"] == out["sent"]["norm"]["formula"] == 3 / 4 * 8192 * 2 * 4096 * 2
    assert out["moments"][2][0] == "all-gather of q, k"
    assert out["sent"]["layer"]["formula"] == sum(out["sent"][what]["formula"] for what in ("norm", "attention", "mlp"))


def test_layers_without_attention_do_not_meet_for_it():
    """Nemotron Super has attention in 49 of 80 layers, and MLPs of seven widths that ranks must divide."""
    out = reference.compute(state(model="nvidia/Llama-3_3-Nemotron-Super-49B-v1", tp=8), DATA())
    each = out["formula_bytes"]
    assert out["sent"]["pass"]["formula"] == (49 + 80) * each
    assert out["holds"].endswith("2,816 and 5,632 and 7,168 and 14,336 and 17,920 in the same way.")
    said = reference.check(state(model="stepfun-ai/Step-3.5-Flash", tp=5), DATA())
    assert said.startswith("5 ranks cannot share 64 query heads")


def test_what_other_layers_have_counts():
    """Widths and KV heads of layers that are not drawn must be divided, too: with other ones, 8 ranks are refused."""
    row = next(row for row in DATA()["models"] if row[0] == "deepseek-ai/DeepSeek-V2-Lite")
    data = {**DATA(), "models": [[*row[:-1], {**row[-1], "also": [2816, 10940]}]]}
    said = reference.check(state(model=row[0], tp=8), data)
    assert said == (
        "8 ranks cannot cut 10,940 MLP columns evenly: 10,940 / 8 is not whole. Legal for DeepSeek V2 Lite: 1, 2, 4."
    )
    data = {**DATA(), "models": [[*row[:10], [[100, 6]], *row[11:]]]}
    assert reference.check(state(model=row[0], tp=4), data).startswith(
        "6 KV heads can be neither split nor copied evenly over 4"
    )


def test_falcon_and_command_meet_once():
    """Both halves read x, so one all-reduce a layer: half of what a layer of Llama's shape sends."""
    falcon = reference.compute(state(model="tiiuae/falcon-40b", tp=8), DATA())
    assert falcon["sent"]["layer"]["counted"] == falcon["formula_bytes"] == falcon["sent"]["layer"]["formula"]
    assert falcon["sent"]["pass"]["message"] == 60 * falcon["message_bytes"]
    assert falcon["moments"][4] == ["no all-reduce yet", "the MLP reads x too"]
    assert told.how_often(state(model="CohereLabs/c4ai-command-r-v01", tp=4), DATA()) == 0


PRODUCTS = {
    "meta-llama/Llama-3.1-70B": "silu(gate) · up",
    "openai/gpt-oss-120b": "act(gate) · (up + 1)",
    "google/gemma-3-27b-it": "act(gate) · up",
    "tiiuae/falcon-40b": "act(up)",
}


def test_the_product_is_named_as_each_model_computes_it():
    """silu where it is silu; GPT-OSS multiplies up + 1, Gemma gates by GELU: so says the step."""
    for slug, words in PRODUCTS.items():
        out = reference.compute(state(model=slug, tp=8), DATA())
        assert out["moments"][7] == [words, "stays sharded"], slug
    for slug, *_ in DATA()["models"]:
        mlp = [layer for layer in catalog.spec(slug).layers if reference.shapes.is_drawn(layer)][-1].mlp
        name = reference.compute(state(model=slug, tp=1), DATA())["moments"][7][0]
        assert ("+ 1" in name) == (mlp.glu == "swigluoai"), slug
        assert name.startswith("silu(gate)") == (mlp.gated and mlp.hidden_act == "silu" and mlp.glu == "glu"), slug


def test_columns_and_heads_are_exact():
    """Up to the first meeting nothing is added across ranks: the shards are bit-equal slices."""
    run = sharded.Run(sharded.Form(64, 8), 16, False)
    assert run.away[:3] == [0.0, 0.0, 0.0]
    assert 0 < run.away[4] < 1e-12


def test_a_wrong_shard_is_noticed(monkeypatch):
    """Giving every rank the first KV head makes the attention differ, so the check can fail."""
    true = sharded.slices
    monkeypatch.setattr(sharded, "slices", lambda form, t, rank: {**true(form, t, rank), "kv": true(form, t, 0)["kv"]})
    assert sharded.Run(sharded.Form(8, 8), 4, False).away[2] > 1e-3


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.whole)])
@pytest.mark.whole
def test_the_meetings_send_what_the_formula_says(every, verified):
    """Each rank sends 2(t-1)/t of the message at both meetings, with sequence parallelism and without; Falcon and
    Command meet once."""
    checked = wrong = 0
    for case in reference.cases()[::every]:
        out, model = reference.compute(case, DATA()), reference.model_of(case, DATA())
        sent = [sum(row[-1] for row in out["log"] if row[2] == rank) for rank in range(case["tp"])]
        assert len(set(sent)) == 1 or (model["full"] and out["kv_copies"] > 1)  # the copies of a head are sent once
        each = {"norm": 0, "attention": out["formula_bytes"], "mlp": out["formula_bytes"]}
        if model["parallel"]:  # both halves are added first
            each["attention"] = 0
        if model["full"]:
            wide = (model["heads"] + model["kv_heads"]) * model["head_dim"]
            each["norm"] = (case["tp"] - 1) * case["sequence"] * wide * 2 / case["tp"]
        for what, formula in each.items():
            checked += 1
            wrong += not out["sent"][what]["counted"] == out["sent"][what]["formula"] == formula
    assert wrong == 0
    if every == 1:
        verified("tensor-parallel: bytes sent", checked, wrong, "the formula 2(t-1)/t × bsh bytes per all-reduce")


def test_sequence_parallelism_sends_the_same_bytes():
    """Reduce-scatter and all-gather apart, or together as an all-reduce: the same bytes, a t-th of the stream kept."""
    with_sp, without = (reference.compute(state(tp=8, sequence_parallel=sp), DATA()) for sp in (True, False))
    assert with_sp["sent"] == without["sent"]
    assert with_sp["memory"]["stream"] * 8 == without["memory"]["stream"]


def test_llama_70b_sends_470_mb_a_layer():
    """Llama-70B, 8,192 tokens, 8 ranks: 470 MB leave each rank per layer forward."""
    out = reference.compute(state(tp=8), DATA())
    assert out["sent"]["layer"]["counted"] == pytest.approx(470e6, rel=1e-3)


def test_kv_heads_run_out_and_are_copied():
    """8 KV heads on 16 ranks: each head stands on two ranks, and the cache of a rank stops shrinking."""
    out = {t: reference.compute(state(tp=t), DATA()) for t in (4, 8, 16)}
    assert out[4]["kv_held"] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert out[16]["kv_held"] == [[r // 2] for r in range(16)]
    assert (out[8]["kv_copies"], out[16]["kv_copies"]) == (1, 2)
    assert out[16]["memory"]["cache"] == out[8]["memory"]["cache"] == out[4]["memory"]["cache"] / 2


def test_every_kv_head_is_with_the_queries_that_read_it():
    """On every legal split each query head finds its KV head on its own rank."""
    for heads, kv_heads in HEADS:
        form = sharded.Form(heads, kv_heads)
        for t in ranks_for(heads, kv_heads):
            for rank in range(t):
                held = sharded.kv_of(rank, t, kv_heads)
                assert all(0 <= g < len(held) for g in sharded.slices(form, t, rank)["groups"])


def test_shapes_that_nobody_cuts_are_left_out():
    """No model of less than two billion parameters, none with another's config, no seeing twin of a reading one."""
    rows = {row[0]: row[2:] for row in DATA()["models"]}
    assert min(reference.shapes.count_parameters(row) for row in rows.values()) >= 2e9
    assert all(catalog.find(slug).config_of is None and catalog.find(slug).variant_of is None for slug in rows)
    assert "Qwen/Qwen3-32B" in rows and "Qwen/Qwen3-VL-32B-Instruct" not in rows
    seeing = [slug for slug in rows if catalog.spec(slug).towers]
    assert seeing and all(rows[slug] != row for slug in seeing for other, row in rows.items() if other not in seeing)


def test_the_cache_of_one_rank_is_the_models(verified):
    """On one rank the cache is gallery.memory's, windows, loops and states of fixed size included, at any context."""
    rows = {row[0]: reference.shapes.expand_row(row) for row in DATA()["models"]}
    assert len(rows) > 90
    wrong, checked = [], 0
    for row in rows.values():
        spec = catalog.spec(row["slug"])
        for context in (1, 100, 8192, 131_072, 1 << 20):
            checked += 1
            if reference.memory_of(row, 1, False, context)["cache"] != memory(spec, context).total_bytes:
                wrong.append((row["slug"], context))
    assert reference.memory_of(rows["google/gemma-3-27b-it"], 1, False, 131_072)["cache"] == 11_173_625_856
    verified("tensor-parallel: cache size per rank", checked, len(wrong), "gallery.memory")
    assert wrong == []


def test_shards_add_up_to_the_model():
    """Cut, K/V and whole parameters of every row sum to the model's count."""
    for row in DATA()["models"]:
        model = reference.shapes.expand_row(row)
        assert reference.memory.parameters(model) == parameters(catalog.spec(row[0])).total, row[0]


def test_the_own_exponential_is_right():
    """The exponential both languages share differs from numpy's by at most two units in the last place."""
    x = np.linspace(-40, 40, 100_001)
    assert np.abs(arithmetic.exp(x) / np.exp(x) - 1).max() < 2 * np.finfo(float).eps


def test_seven_ranks_on_64_heads():
    """An impossible split says why, and what is legal."""
    sentence = reference.check(state(tp=7), DATA())
    assert sentence == (
        "7 ranks cannot share 64 query heads evenly: 64 / 7 is not whole. Legal for Llama 3.1 70B: 1, 2, 4, 8, 16."
    )


def test_every_refusal_is_a_sentence():
    """Bad states of every key are refused in words; the legal ones of the row are accepted."""
    bad = {"view": "x", "model": "x", "tp": 0, "sequence": 0.5, "sequence_parallel": "yes", "step": 10, "rank": "a",
           "stage": 4, "dp": 65, "convention": "17"}  # fmt: skip
    for key, value in bad.items():
        assert reference.check(state(**{key: value}), DATA()).endswith("."), key
    assert "does not divide 8,191" in reference.check(state(sequence=8191, sequence_parallel=True), DATA())
    assert "nor copied evenly" in reference.check(state(model="microsoft/phi-4", tp=4), DATA())
    for t in range(1, 17):
        model = reference.model_of(state(), DATA())
        assert (reference.check(state(tp=t), DATA()) == "") == (t in reference.legal(model))


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
    verified("ZeRO: weights after one step", checked, wrong, "an unsharded Adam step")


def test_zero_sends_what_the_formula_says(verified):
    """2 of (D-1)/D per parameter for stages 0, 1 and 2, 3 of it for stage 3, in every convention's bytes."""
    checked = wrong = 0
    for convention in zero.CONVENTIONS:
        for stage in range(4):
            for d in (1, 2, 3, 8, 64):
                out = reference.compute(state(stage=stage, dp=d, convention=convention), DATA())["zero"]
                wrong += any(
                    not math.isclose(out["sent"][k], out["formula_sent"][k], abs_tol=1e-12) for k in out["sent"]
                )
                checked += 2
    verified(
        "ZeRO: values sent per step",
        checked,
        wrong,
        "the formulas of the ZeRO paper: 2 psi, 2 psi, 2 psi and 3 psi, times (D-1)/D",
    )
    three = reference.compute(state(stage=3), DATA())["zero"]["sent"]
    one = reference.compute(state(stage=1), DATA())["zero"]["sent"]
    assert sum(three.values()) == pytest.approx(1.5 * sum(one.values()))


def test_zero_bytes_per_parameter():
    """16, 4 + 12/D, 2 + 14/D, 16/D; Megatron 18 and 6 + 12/D; with fp32 sums 20."""
    assert [zero.bytes_per_parameter(s, 8, "16") for s in range(4)] == [16, 5.5, 3.75, 2]
    assert [round(zero.bytes_per_parameter(s, 64, "16"), 2) for s in range(4)] == [16, 4.19, 2.22, 0.25]
    assert [zero.bytes_per_parameter(s, 8, "18") for s in range(2)] == [18, 6 + 12 / 8]
    assert zero.bytes_per_parameter(0, 8, "20") == 20
    for convention in zero.CONVENTIONS:
        for stage in range(4):
            held = sum(size * share for _, size, share in zero.parameter_shares(stage, 8, convention))
            assert held == pytest.approx(zero.bytes_per_parameter(stage, 8, convention))


# ---------------------------------------------------------------- the beats

FIRST = reference.STATE


def test_what_the_beats_say_in_words_holds():
    """Sentences of page.md that state a fact without a bound number are true of the states they are said of."""
    first = reference.compute(FIRST, DATA())
    assert first["away"][:3] == [0.0] * 3  # heads are computed without asking anyone
    assert told.meetings(FIRST, DATA()) == 2
    assert (told.how_often(FIRST, DATA()), told.sends_more(FIRST, DATA())) == (1, 1)
    passes = [reference.compute(state(tp=t), DATA())["sent"]["pass"]["formula"] for t in (2, 4, 8, 16)]
    assert passes == sorted(passes)
    assert passes[-1] < told.answers["never"](FIRST, DATA()) == 40 * 2**30
    eight, sixteen = (told.held_on(FIRST, DATA(), t) for t in (8, 16))
    assert sixteen > eight / 2
    assert reference.compute(state(tp=16), DATA())["kv_copies"] == 2
    stages = [told.traffic(state(stage=z), DATA()) for z in range(4)]
    assert stages == [1, 1, 1, 1.5]
    alone = reference.compute(state(tp=1), DATA())
    assert (told.meetings(state(tp=1), DATA()), told.how_often(state(tp=1), DATA()), alone["log"]) == (0, -1, [])


@pytest.mark.parametrize(
    ("goal", "changes", "says"),
    [
        ("few_cards", {}, "On 4 ranks, each holds 36.1 GB."),
        ("few_cards", {"tp": 1}, "On 1 rank, each holds 143.9 GB."),
        ("few_cards", {"tp": 16}, "On 16 ranks, each holds 9.5 GB. Fewer ranks are enough."),
        ("few_cards", {"tp": 8, "sequence": 1024}, "Llama 3.1 70B and 8,192 tokens"),
        ("few_cards", {"tp": 8, "model": "Qwen/Qwen3-32B"}, "Llama 3.1 70B and 8,192 tokens"),
        ("train_64", {}, "on 64 data-parallel ranks"),
        ("train_64", {"dp": 63, "stage": 3}, "on 64 data-parallel ranks"),
        ("train_64", {"dp": 64, "stage": 2}, "With ZeRO stage 2, each rank keeps 156.5 GB."),
    ],
)
def test_goals_name_near_misses(goal, changes, says, of_beats):
    """What is not reached says how far one is, or what the goal needs."""
    [made] = of_beats("tensor-parallel", "goals", goal, [state(**changes)])
    assert not made["reached"]
    assert says in made["says"]


def test_hints_of_the_goals_hold(of_beats):
    """Half of 8 ranks do need 36.1 GB each, and stage 3 fits with gradients in fp32 as well."""
    [made] = of_beats("tensor-parallel", "goals", "few_cards", [state(tp=8)])
    assert "Half as many would need 36.1 GB each" in made["says"]
    states = [state(dp=64, stage=3, convention=convention) for convention in DATA()["conventions"]]
    for made in of_beats("tensor-parallel", "goals", "train_64", states):
        assert made["reached"]
        assert "Gradients kept in fp32 would fit too" in made["says"]


def test_goals_are_reached_where_the_reference_says_so(of_beats):
    """The fewest ranks under 24 GB each; on 64 ranks the stages under 80 GB each, whatever is kept of a gradient."""
    ranks = reference.legal(reference.model_of(FIRST, DATA()))
    fits = [t for t in ranks if told.held_on(FIRST, DATA(), t) <= 24e9]
    made = of_beats("tensor-parallel", "goals", "few_cards", [state(tp=t) for t in ranks])
    assert [one["reached"] for one in made] == [t == min(fits) for t in ranks]
    states = [state(dp=64, stage=z, convention=kept) for z in range(4) for kept in DATA()["conventions"]]
    held = [reference.compute(one, DATA())["zero"]["rank_bytes"] for one in states]
    made = of_beats("tensor-parallel", "goals", "train_64", states)
    assert [one["reached"] for one in made] == [held_bytes < 80e9 for held_bytes in held]
    assert len(fits) >= 2 and 0 < sum(one["reached"] for one in made) < len(made)


def test_the_caption_of_a_step_is_the_step(of_beats):
    """With its name from compute, and what happens as the reference says it."""
    states = [state(step=step, sequence_parallel=sp) for sp in (False, True) for step in range(10)]
    made = of_beats("tensor-parallel", "captions", "moment", states)
    for one, words in zip(states, made, strict=True):
        says = reference.compute(one, DATA())["moments"][one["step"]][1]
        name = f"{{moments.{one['step']}.0}}"
        assert words == f"**Step {{at.words}}: {name}.** {says[0].upper()}{says[1:]}."


def test_a_difference_in_words():
    """Nothing is 0; anything else two digits and a power."""
    assert [reference.words.tiny(x) for x in (0.0, 1.07e-16, 9.96e-9)] == ["0", "1.1 · 10⁻¹⁶", "1.0 · 10⁻⁸"]


def test_every_model_can_be_chosen_from_any_number_of_ranks(verified):
    """A model that t ranks cannot share moves t to the nearest number that can; one that a link sets is told."""
    check, settle = explainers.checker("tensor-parallel"), explainers.settler("tensor-parallel")
    wrong, checked = [], 0
    for row in DATA()["models"]:
        legal = reference.legal(reference.shapes.expand_row(row))
        for t in range(1, 17):
            moved = settle(state(model=row[0], tp=t), ["model"])
            checked += 1
            if check(moved) or min(abs(one - t) for one in legal) != abs(moved["tp"] - t):
                wrong.append((row[0], t))
    verified("tensor-parallel: models opened at any number of ranks", checked, len(wrong), "the page's own input check")
    assert wrong == []
    assert "7 ranks cannot share" in permalink.read_address(reference.STATE, "?tp=7", check, settle)[1][0]
    assert permalink.read_address(reference.STATE, "?model=no/such", check, settle)[1] != []
