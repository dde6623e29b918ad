"""Tensor parallelism: executed sharded runs against the unsharded ones, logged bytes against the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway.explainers.tensor_parallel import reference
from tests.explainers.tensor_parallel_states import DATA, state

sharded, arithmetic = reference.sharded, reference.sharded.whole.arithmetic
HEADS = [(64, 8), (64, 64), (32, 8), (32, 2), (96, 8), (40, 8), (25, 25), (12, 2), (71, 1), (8, 4), (48, 48)]


def ranks_for(heads, kv_heads):
    return [t for t in range(1, 17) if heads % t == 0 and not (kv_heads % t and t % kv_heads)]


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


def test_the_own_exponential_is_right():
    """The exponential both languages share differs from numpy's by at most two units in the last place."""
    x = np.linspace(-40, 40, 100_001)
    assert np.abs(arithmetic.exp(x) / np.exp(x) - 1).max() < 2 * np.finfo(float).eps
