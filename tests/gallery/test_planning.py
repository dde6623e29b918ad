"""The planner's holdings: held against figures that others published or measured."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from cutaway.gallery import catalog, memory
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.planning import stages
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.rank_memory import list_rank_memory, state_bytes
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.sharding.rules import rule_of
from cutaway.gallery.planning.sharding.weights import list_pieces
from tests.gallery.sheets import layout, sheet_of, spec_of

ORACLE = Path(__file__).resolve().parents[1] / "oracle"
GB, GIB = 1e9, 1024**3


def training(gpus, **more):
    """A training layout of many GB200, with a batch that every pipeline can share."""
    made = layout(gpus // 4, 4, "gb200", job="train", **more)
    return made if made.batch else replace(made, batch=made.dp * made.pp)


def held(piece, made):
    """The share of a piece that a rank of its stage holds."""
    return Fraction(*ratio(rule_of(piece.name, piece.shape, piece.part, piece.layer), made))


# ---------------------------------------------------------------- training


@pytest.mark.parametrize(("zero", "gigabytes"), [(0, 120.0), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_zero_deals_out_the_sixteen_bytes(zero, gigabytes):
    """7.5 B parameters on 64 ranks take what the ZeRO paper's figure 1 says (arXiv 1910.02054)."""
    found = state_bytes(7_500_000_000, layout(job="train", zero=zero, gradient_bytes=2), 64)
    assert round(float(sum(found)) / GB, 1) == gigabytes


@pytest.mark.parametrize(
    ("slug", "pp", "ep", "gigabytes"),
    [
        ("deepseek-ai/DeepSeek-V3", 4, 64, 72.5),
        ("deepseek-ai/DeepSeek-V3", 2, 32, 144.1),
        ("moonshotai/Kimi-K2-Instruct", 4, 64, 89.5),
    ],
)
def test_experts_shard_their_optimizer_over_their_own_copies(slug, pp, ep, gigabytes):
    """Weights, gradients and optimizer on 256 GPUs, the mean over stages; experts over EDP, not DP."""
    found = list_rank_memory(sheet_of(slug), training(256, pp=pp, ep=ep))
    assert sum(rank.states_bytes for rank in found) / pp / GB == pytest.approx(gigabytes, abs=0.05)


def test_every_parameter_of_a_training_run_stands_once_per_copy():
    """Over all ranks, the optimizer's bytes are 12 a parameter whatever the layout: nothing is lost or held twice."""
    spec, model = spec_of("deepseek-ai/DeepSeek-V3"), sheet_of("deepseek-ai/DeepSeek-V3")
    total = sum(piece.size for piece in list_pieces(spec))
    for pp, ep in ((1, 1), (4, 64), (2, 32), (8, 8)):
        found = list_rank_memory(model, training(256, pp=pp, ep=ep))
        held = sum(rank.optimizer_bytes for rank in found) * 256 / pp
        assert held == pytest.approx(12 * total, rel=1e-6)


def test_activations_grow_with_what_is_in_flight():
    """1F1B keeps p - r micro-batches on rank r, interleaving (p - 1) / v more; recomputing all keeps 2 bytes, and all
    of the one layer that is computed anew."""
    even, model = training(64, pp=8), sheet_of("meta-llama/Llama-3.1-70B")
    assert [stages.in_flight(stage, even) for stage in range(8)] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert [stages.place_ends(chunk, 2, "v") for chunk in range(6)] == [(0,), (1,), (1,), (0,), (0,), (1,)]
    assert stages.in_flight(0, replace(even, chunks=5, batch=640)) == 8 + 7 / 5
    assert stages.in_flight(0, replace(even, batch=even.dp)) == 1
    layer = 2 * (6 * 8_192 + 2 * 1_024 + 2 * 64 + 3 * 28_672)  # two norms, what reads them, q, o; k, v; sums; the MLP
    each = 4_096 * layer * 10  # tokens x bytes x layers of a stage
    found = list_rank_memory(model, even)
    assert found[0].activations_bytes == 8 * each
    assert found[7].activations_bytes == each + 4_096 * 4 * (8_192 + 128_256)
    anew = list_rank_memory(model, replace(even, recompute="full"))[0].activations_bytes
    assert anew == 4_096 * (8 * 2 * 8_192 * 10 + layer)
    assert list_rank_memory(model, replace(even, micro_batch=2, batch=128))[1].activations_bytes == 2 * 7 * each


# ---------------------------------------------------------------- serving


@pytest.mark.parametrize("row", json.loads((ORACLE / "vllm_weights.json").read_text())["rows"], ids=lambda row: row[0])
def test_weights_are_what_vllm_measured(row):
    """The weights of one rank are within 1 % of what vLLM reported on an H100, with the towers that it loads too."""
    _, slug, tp, weights_dtype, padded, gib = row
    spec, model = spec_of(slug), sheet_of(slug)
    found = list_rank_memory(model, layout(1, tp, "h100_sxm", tp=tp, weights_dtype=weights_dtype))[0]
    towers = 2 * sum(tower.parameters for tower in spec.towers)
    assert (found.weights_bytes + found.experts_bytes * padded + towers) / GIB == pytest.approx(gib, rel=0.01)


def test_the_cache_holds_as_many_tokens_as_vllm_said():
    """28.20 GiB of cache held 184,832 tokens of Mistral Small."""
    row = json.loads((ORACLE / "vllm_weights.json").read_text())["cache"]
    found = list_rank_memory(sheet_of(row["config"]), layout(tp=1, per_node=1, context=row["tokens"]))[0]
    assert found.sequence_cache_bytes / GIB == pytest.approx(row["cache_gib"], abs=0.02)


@pytest.mark.whole
def test_one_gpu_holds_the_checkpoint_and_the_cache():
    """Where nothing is split, a rank holds stored_bytes and memory, for every catalogued model."""
    for row in catalog.drawable_rows():
        spec, model = spec_of(row.slug), sheet_of(row.slug)
        found = list_rank_memory(model, layout(per_node=1, context=40_000))
        assert len(found) == 1
        assert abs(found[0].weights_bytes + found[0].experts_bytes - stored_bytes(spec)) < 3, row.slug
        assert abs(found[0].sequence_cache_bytes - memory(spec, 40_000).total_bytes) < 200, row.slug


@pytest.mark.parametrize(
    ("slug", "tp", "share"),
    [
        ("Qwen/Qwen3-32B", 8, 1 / 8),  # 8 key/value heads
        ("Qwen/Qwen3-32B", 16, 1 / 8),  # copied in pairs
        ("deepseek-ai/DeepSeek-V3", 8, 1.0),  # one latent for all heads
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", 8, None),
    ],
)
def test_the_cache_of_a_tensor_rank(slug, tp, share):
    """Key/value heads are cut, then copied; a latent is whole on each rank; a state is cut by its heads."""
    spec, model = spec_of(slug), sheet_of(slug)
    found = list_rank_memory(model, layout(per_node=8, nodes=2, tp=tp, context=100_000))[0].sequence_cache_bytes
    kinds = memory(spec, 100_000).by_kind
    rest = kinds.get("state", 0) + kinds.get("conv", 0)
    whole = sum(kinds.values()) - rest
    assert found == pytest.approx((1 / 2 if share is None else share) * whole + rest / tp, rel=1e-6)


def test_tensor_ranks_together_hold_each_cut_weight_once():
    """TP 8 of a dense model without copied heads: eight ranks hold all matrices once and the norms eight times."""
    spec, model = spec_of("Qwen/Qwen3-32B"), sheet_of("Qwen/Qwen3-32B")
    norms = sum(piece.bytes for piece in list_pieces(spec) if piece.part == "norm" or "_norm" in piece.name)
    found = list_rank_memory(model, layout(tp=8))[0].weights_bytes
    assert found * 8 == pytest.approx(float(stored_bytes(spec) + 7 * norms), abs=8)


def test_a_plan_says_what_fits():
    """The sequences that fit take the room that the weights leave, and one more would not fit."""
    found = plan(sheet_of("deepseek-ai/DeepSeek-V3"), layout(tp=8, etp=8, context=131_072))
    rank = found.fullest
    assert found.fits and rank.total_bytes <= found.room_bytes
    assert rank.total_bytes + rank.sequence_cache_bytes > found.room_bytes
    assert rank.cache_bytes == found.sequences * rank.sequence_cache_bytes
    at = plan(sheet_of("deepseek-ai/DeepSeek-V3"), layout(tp=8, etp=8, context=found.longest_context))
    assert (at.sequences, at.fits) == (1, True)
    over = plan(sheet_of("deepseek-ai/DeepSeek-V3"), layout(tp=8, etp=8, context=found.longest_context + 1))
    assert (over.sequences, over.fits) == (0, False)


def test_parts_that_attend_apart_hold_their_own_sequences():
    """DP-attention: each part has its own cache, and experts are dealt over all of them."""
    model = sheet_of("deepseek-ai/DeepSeek-V3")
    found = plan(model, layout(tp=1, ep=8, context=131_072))
    assert found.sequences % 8 == 0
    alone = plan(model, layout(tp=8, etp=8, context=131_072))
    assert found.fullest.weights_bytes > 4 * alone.fullest.weights_bytes
    assert found.fullest.experts_bytes == pytest.approx(
        list_rank_memory(model, layout(tp=8, ep=8))[0].experts_bytes, abs=2
    )


@pytest.mark.parametrize(
    ("slug", "tp", "share"),
    [
        ("ai21labs/Jamba-v0.1", 1, None),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 8, 1 / 8),  # 8 groups: all is cut
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 16, None),  # B and C of one group on each rank, so each twice
    ],
)
def test_a_state_space_is_cut_by_heads_and_groups(slug, tp, share):
    """Mamba-2's projection and convolution: heads are cut, the groups' B and C stand on every rank at least once."""
    spec, made = spec_of(slug), layout(nodes=2, tp=tp, etp=tp)
    found = [
        piece for piece in list_pieces(spec) if piece.name.endswith(("mamba.in_proj.weight", "mamba.conv1d.weight"))
    ]
    for piece in found[:2]:
        inner, groups, heads = 4_096, 8 * 128, 64
        own, steps = (2, heads) if "in_proj" in piece.name else (1, 0)
        rows = (own * inner + steps) / tp + 2 * groups * max(1 / tp, 1 / 8)
        wanted = 1.0 if tp == 1 else share or rows / (own * inner + 2 * groups + steps)
        assert float(held(piece, made)) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("slug", "name", "share"),
    [
        ("openai/gpt-oss-20b", "self_attn.q_proj.bias", 1 / 4),
        ("openai/gpt-oss-20b", "self_attn.o_proj.bias", 1),  # added once, after the sum
        ("openai/gpt-oss-20b", "self_attn.sinks", 1 / 4),
        ("openai/gpt-oss-20b", "mlp.gate.weight", 1),
        ("openai/gpt-oss-20b", "mlp.experts.{expert}.gate_proj.bias", 1 / 8),  # over ep 2 and etp 4
        ("openai/gpt-oss-20b", "mlp.experts.{expert}.down_proj.weight", 1 / 8),
        ("openai/gpt-oss-20b", "mlp.experts.{expert}.down_proj.bias", 1 / 2),
        ("deepseek-ai/DeepSeek-V3", "self_attn.q_a_proj.weight", 1),
        ("deepseek-ai/DeepSeek-V3", "self_attn.kv_a_proj_with_mqa.weight", 1),
        ("deepseek-ai/DeepSeek-V3", "self_attn.kv_b_proj.weight", 1 / 4),
        ("deepseek-ai/DeepSeek-V3", "mlp.shared_experts.down_proj.weight", 1 / 4),
        ("deepseek-ai/DeepSeek-V3.2", "self_attn.indexer.wk.weight", 1),
        ("deepseek-ai/DeepSeek-V4-Flash", "self_attn.compressor.gate_proj.weight", 1),
        ("deepseek-ai/DeepSeek-V4-Flash", "self_attn.kv_proj.weight", 1),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "self_attn.k_proj.weight", 1 / 2),  # two heads on four ranks
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "mlp.shared_expert_gate.weight", 1),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "linear_attn.A_log", 1 / 4),
        ("swiss-ai/Apertus-8B-2509", "mlp.act_fn.alpha_p", 1),
        ("google/gemma-3n-E4B", "model.embed_tokens_per_layer.weight", 1),
        ("google/gemma-3n-E4B", "model.embed_tokens.weight", 1 / 4),
    ],
)
def test_which_share_of_a_tensor_a_rank_holds(slug, name, share):
    """tp 4, ep 2 and etp 4: heads, widths and rows are cut, what feeds all heads is copied, experts are dealt out."""
    piece = next(piece for piece in list_pieces(spec_of(slug)) if piece.name == name)
    assert held(piece, layout(tp=4, ep=2, etp=4)) == share


def test_redundant_experts_stand_twice():
    """With 32 experts more, each of 32 ranks holds 9 of 288 in place of 8 of 256."""
    model = sheet_of("deepseek-ai/DeepSeek-V3")
    plain, more = (list_rank_memory(model, layout(nodes=4, ep=32, redundant=spare))[0] for spare in (0, 32))
    assert more.experts_bytes / plain.experts_bytes == pytest.approx(9 / 8)


@pytest.mark.parametrize(
    ("slug", "total"),
    [
        ("deepseek-ai/DeepSeek-V3", 671.03),  # not 721.0: MLA is no MHA, the first layers are dense
        ("Qwen/Qwen3-8B", 8.19),  # not 7.57: its head is not tied
        ("meta-llama/Llama-3.1-70B", 70.55),  # not 64.7: GQA, a gated MLP of its own width
        ("meta-llama/Llama-3.1-8B", 8.03),  # not 6.57
    ],
)
def test_what_other_calculators_get_wrong(slug, total):
    """Parameters come from the tensors, and tensor parallelism divides what a training rank holds."""
    model = sheet_of(slug)
    one, eight = (list_rank_memory(model, layout(job="train", tp=tp, etp=tp, zero=0, batch=8))[0] for tp in (1, 8))
    assert one.numbers / GB == pytest.approx(total, abs=0.005)
    assert 1 / 8 < eight.states_bytes / one.states_bytes < 1 / 6.5


def test_nothing_kept_is_nothing_to_fill():
    """A model that keeps nothing has no number of sequences; one is taken, and any context fits."""
    found = plan(make_planner_model(replace(spec_of("Qwen/Qwen3-32B"), bidirectional=True)), layout())
    assert (found.sequences, found.longest_context, found.here, found.fits) == (None, None, 1, True)


def test_a_tied_head_is_a_copy_on_the_last_stage():
    """With more than one stage the last one holds the embedding once more."""
    spec, model = spec_of("google/gemma-2-2b"), sheet_of("google/gemma-2-2b")
    one, two = list_rank_memory(model, layout()), list_rank_memory(model, layout(pp=2))
    table = next(piece.bytes for piece in list_pieces(spec) if piece.name == "model.embed_tokens.weight")
    assert sum(rank.weights_bytes for rank in two) == pytest.approx(float(one[0].weights_bytes + table), abs=2)
