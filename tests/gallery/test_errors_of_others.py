"""What other tools for parallelism and memory get wrong, one test each: their number, and ours by another route.

Read in their sources or run: the Ultra-Scale Playbook's widget, okoge-kaz' tools, craft-bits, Vizuara's 5D guide, torch
2.13's schedules and a post on DeepSeek-V4's cache. Versions of theirs that came later may be mended.
"""

from dataclasses import replace
from math import comb

import numpy as np
import pytest

from cutaway.explainers.pipeline import schedules
from cutaway.gallery import memory
from cutaway.gallery.planning.activation_memory import activation_bytes_per_token
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.rank_memory import list_rank_memory
from tests.gallery.sharding import on_mesh
from tests.gallery.sheets import sheet_of, spec_of

V3, QWEN, LLAMA = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-8B", "meta-llama/Llama-3.1-8B"
GIB = 1024**3


def training(gpus=8, **more):
    """A training layout of so many H100 in nodes of eight."""
    made = Layout(DEVICES["h100_sxm"], max(gpus // 8, 1), min(gpus, 8), job="train", **more)
    return replace(made, batch=made.dp)


def numbers(slug):
    """Parameters that one GPU holds."""
    return list_rank_memory(sheet_of(slug), training(1))[0].numbers


def test_tensor_parallelism_divides_weights_gradients_and_optimizer():
    """The playbook's widget never divides them by tp; here all but norms are cut."""
    one, eight = (list_rank_memory(sheet_of(LLAMA), training(tp=tp, etp=tp, zero=0))[0] for tp in (1, 8))
    for part in ("weights_bytes", "gradients_bytes", "optimizer_bytes"):
        assert getattr(eight, part) / getattr(one, part) == pytest.approx(1 / 8, rel=1e-3), part


@pytest.mark.parametrize(
    ("slug", "h", "layers", "theirs", "ours"),
    [(LLAMA, 4_096, 32, 6.57, 8.03), ("meta-llama/Llama-3.1-70B", 8_192, 80, 64.7, 70.55)],
)
def test_parameters_are_not_twelve_h_squared(slug, h, layers, theirs, ours):
    """The playbook's h(v + s) + L(12h² + 13h) + 2h knows neither GQA nor a gated MLP of its own width."""
    vocabulary, sequence = 30_522, 256  # its presets
    formula = h * (vocabulary + sequence) + layers * (12 * h**2 + 13 * h) + 2 * h
    assert formula / 1e9 == pytest.approx(theirs, abs=0.05)
    assert numbers(slug) / 1e9 == pytest.approx(ours, abs=0.005)


def test_sequence_parallelism_divides_the_scores_too():
    """The playbook leaves the scores whole on every rank: 2.707 GB in place of 0.359 (Korthikanti, table 2)."""
    s, h, heads, t = 4_096, 4_096, 32, 8
    each, scores = s * h, 5 * heads * s / h
    assert round(each * (3 + 8 / t + scores / t) / 1e9, 3) == 0.403  # without sequence parallelism
    assert round(each * (11 / t + scores) / 1e9, 3) == 2.707  # theirs with it
    assert round(each * (11 + scores) / t / 1e9, 3) == 0.359
    one, eight = (list_rank_memory(sheet_of(LLAMA), training(tp=tp, etp=tp))[0].activations_bytes for tp in (1, 8))
    assert eight * 8 == pytest.approx(one, abs=8)


def test_presets_are_the_models():
    """Llama 3 8B has 128,256 tokens, not 30,522, and an MLP of 14,336, not four times its width."""
    model = sheet_of(LLAMA)
    (kind,) = model["kinds"]
    assert (model["vocab_size"], len(model["layers"])) == (128_256, 32)
    assert model["longest"] >= 8_192
    assert activation_bytes_per_token(4_096, kind, training()) == 2 * (6 * 4_096 + 2 * 1_024 + 2 * 32 + 3 * 14_336)


def test_latent_attention_first_dense_layers_and_heads_of_their_own_width():
    """721.0 B for DeepSeek-V3, 7.57 B for Qwen3 8B and heads of 64 for Qwen3 235B are okoge-kaz' counts."""
    assert numbers(V3) / 1e9 == pytest.approx(671.03, abs=0.005)
    assert numbers(QWEN) / 1e9 == pytest.approx(8.19, abs=0.005)
    tied = sheet_of(QWEN)["vocab_size"] * 4_096
    assert (numbers(QWEN) - tied) / 1e9 == pytest.approx(7.57, abs=0.005)
    (row,) = sheet_of("Qwen/Qwen3-235B-A22B")["kinds"][0]["context"]
    assert (row["query"], row["value"]) == (128, 128) != (4_096 // row["heads"],) * 2 == (64, 64)


def test_configs_within_configs_and_more_ranks_than_key_value_heads():
    """A picture model's text_config is read, and tp beyond the KV heads copies them, which okoge-kaz refuses."""
    gemma = sheet_of("google/gemma-3-27b-it")
    assert (gemma["hidden_size"], len(gemma["layers"]), gemma["towers"]) == (5_376, 62, ["vision_config"])
    made = Layout(DEVICES["h100_sxm"], 2, 8, tp=16, etp=16)
    model = sheet_of("Qwen/Qwen3-32B")
    assert (problem(model, made), model["kv_heads"]) == ("", [8])
    two, four = (plan(model, replace(made, tp=tp, etp=tp)).fullest.sequence_cache_bytes for tp in (8, 16))
    assert two == four


def test_a_column_cut_concatenates_and_a_row_cut_sums():
    """craft-bits sums what column slices give; ranks meet once behind each way back, and never between."""
    draw = np.random.default_rng(1)
    x, w = draw.normal(size=(3, 8)), draw.normal(size=(8, 6))
    columns = [x @ part for part in np.split(w, 2, axis=1)]
    rows = [a @ b for a, b in zip(np.split(x, 2, axis=1), np.split(w, 2, axis=0), strict=True)]
    assert np.allclose(np.concatenate(columns, axis=1), x @ w) and np.allclose(sum(rows), x @ w)
    assert sum(columns).shape != (x @ w).shape
    run = on_mesh("llama", {"tp": 2})
    run.logits()
    met = [(call.op, call.tensor.partition(":")[2]) for call in run.net.calls if call.tensor.startswith("layer0")]
    assert met == [("all-reduce", "mixer_add"), ("all-reduce", "mlp_add")]


def test_a_token_goes_to_several_experts():
    """Vizuara's 2·B·S·H a layer is one copy there and one back; DeepSeek-V3 sends one to each rank that it needs."""
    model, made = sheet_of(V3), training(64, ep=64)
    found = [talk for talk in list_collectives(model, plan(model, made), 0) if talk.axis == "ep"]
    tokens = made.sequence * made.micro_batches
    passes, layers = 2, 58
    each = sum(talk.bytes for talk in found) / (tokens * passes * layers)
    theirs = 2 * 7_168 * 2  # BF16
    anyhow = 32 * (1 - comb(124, 8) / comb(128, 8))  # ranks of four experts hold its four groups: any 8 of 128 experts,
    evenly = 32 * (1 - comb(28, 2) / comb(32, 2))  # or two of each group
    assert anyhow < each / theirs * 64 / 63 < evenly and each > 7 * theirs


def test_the_last_stage_begins_with_the_first_micro_batch():
    """torch 2.13 lists 3F1 to 3F8 for the last of four stages of 1F1B; there are micro-batches 0 to 7."""
    for rank in range(4):
        forward = [micro for kind, _, micro in schedules.rank_ops("1f1b", 4, 8, 1, rank) if kind == "F"]
        assert forward == list(range(8)), rank


def test_an_indexer_keeps_keys_too():
    """68.6 GiB at a million tokens is DeepSeek-V3's cache; V3.2 keeps 83.9 with its indexer, V4-Pro 8.68 as counted."""
    v3, v32, pro = (
        memory(spec_of(f"deepseek-ai/DeepSeek-{name}"), 1 << 20, "bfloat16") for name in ("V3", "V3.2", "V4-Pro")
    )
    assert (round(v3.total_bytes / GIB, 1), round(v32.total_bytes / GIB, 1)) == (68.6, 83.9)
    assert v32.total_bytes - v3.total_bytes == 61 * 128 * 2 << 20
    index = pro.by_kind["index"]
    assert round((pro.total_bytes - index / 2) / GIB, 2) == pytest.approx(8.68, abs=0.02)
