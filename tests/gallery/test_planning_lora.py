"""LoRA: frozen weights, adapters beside them. Bytes, FLOPs and messages of a tiny model by hand, and published runs."""

from dataclasses import replace

import pytest

from cutaway.gallery import read
from cutaway.gallery.planning import lora, measured
from cutaway.gallery.planning.candidates import folds
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import make_plan, plan
from cutaway.gallery.planning.fixes import mean_bytes
from cutaway.gallery.planning.flags import untold
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.planner_model import make_planner_model
from cutaway.gallery.planning.rank_memory import list_rank_memory
from cutaway.gallery.planning.seconds import bind_step
from cutaway.gallery.planning.work import training_flops
from tests.gallery.sheets import layout, sheet_of
from tests.gallery.test_planning_measured import published
from tests.tally import Tally

SIZES = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
         "intermediate_size": 16, "vocab_size": 32, "tie_word_embeddings": False,
         "torch_dtype": "bfloat16"}  # fmt: skip
TINY = make_planner_model(read({"model_type": "llama", "architectures": ["LlamaForCausalLM"], **SIZES}))
MIXED = make_planner_model(read({"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], **SIZES,
                                 "num_local_experts": 4, "num_experts_per_tok": 2}))  # fmt: skip
# r x (in + out) of q, k, v, o, gate, up and down, with r = 2
ATTENTION, MLP = 2 * (16 + 12 + 12 + 16), 2 * (24 + 24 + 24)
ADAPTERS = 2 * (ATTENTION + MLP)  # of both layers: 512
MATRICES = 2 * (8 * 8 + 2 * 4 * 8 + 8 * 8 + 3 * 8 * 16)  # 1,152
WEIGHTS = MATRICES + 2 * 32 * 8 + 5 * 8  # with embedding, head and norms: 1,704


def training(gpus=1, **more):
    """LoRA of rank 2 on GPUs of one node, four sequences of one token for each copy."""
    made = layout(1, gpus, job="train", sequence=1, lora_rank=2, zero=0)
    made = replace(made, **more)
    return replace(made, batch=4 * made.dp, etp=made.usual_etp)


def sent(made, sheet=TINY):
    """{(axis, operation): bytes} of a rank."""
    return {(one.axis, one.operation): one.bytes for one in list_collectives(sheet, plan(sheet, made), 0)}


def test_only_adapters_are_trained():
    """Weights in two bytes, with adapters in two; four bytes of gradients and twelve of optimizer of adapters alone."""
    (rank,) = list_rank_memory(TINY, training())
    assert (rank.numbers, rank.adapters, rank.expert_adapters) == (WEIGHTS, ADAPTERS, 0) == (1_704, 512, 0)
    assert (rank.weights_bytes, rank.gradients_bytes, rank.optimizer_bytes) == (4_432, 2_048, 6_144)
    (full,) = list_rank_memory(TINY, training(lora_rank=0))
    assert (full.weights_bytes, full.gradients_bytes, full.optimizer_bytes) == (3_408, 6_816, 20_448)
    assert (full.adapters, full.activations_bytes) == (0, rank.activations_bytes)
    assert mean_bytes(TINY, training()) == 4_432 + 2_048 + 6_144
    (eight_bits,) = list_rank_memory(TINY, training(weight_bytes=1))
    assert eight_bits.weights_bytes == WEIGHTS + 2 * ADAPTERS


def test_tensor_ranks_share_adapters_as_their_matrices():
    """Two tensor ranks halve all but those of the one key/value head, which both hold."""
    (rank,) = list_rank_memory(TINY, training(2, tp=2))
    assert rank.adapters == 2 * ((2 * 32 + MLP) // 2 + 2 * 24) == 304


def test_each_zero_stage_deals_out_what_is_trained():
    """Over eight copies: optimizer, gradients of adapters, at last weights and adapters."""
    sizes = [list_rank_memory(TINY, training(8, zero=zero))[0] for zero in range(4)]
    assert [(one.weights_bytes, one.gradients_bytes, one.optimizer_bytes) for one in sizes] == [
        (4_432, 2_048, 6_144), (4_432, 2_048, 768), (4_432, 256, 768), (554, 256, 768)]  # fmt: skip


def test_a_step_takes_four_flops_of_a_weight_and_six_of_an_adapter():
    """Forth and back without the products of weights' gradients; attention three times as ever."""
    head, attention = 32 * 8, 3 * 2 * 4 * 8
    by_hand = 4 * (MATRICES + head) + 6 * ADAPTERS + attention
    assert training_flops(TINY, 1, lora_rank=2) == by_hand == 8_896
    assert training_flops(TINY, 1) == 6 * (MATRICES + head) + attention
    made = training()
    least, peak = bind_step(TINY, plan(TINY, made)), made.device.peaks["bfloat16"]
    assert least.products == pytest.approx(4 * by_hand / peak)
    again = bind_step(TINY, plan(TINY, replace(made, recompute="full")))
    assert again.products - least.products == pytest.approx(4 * (2 * (MATRICES + ADAPTERS) + attention / 3) / peak)


def test_ranks_sum_the_gradients_of_adapters_alone():
    """Eight copies: an all-reduce of 512 gradients; ZeRO 1 gathers adapters, 3 all weights, twice a micro-batch."""
    share = 7 / 8
    assert sent(training(8)) == {("dp", "all-reduce, gradients"): 2 * share * 4 * ADAPTERS}
    sums, gathers = ("dp", "reduce-scatter, gradients"), ("dp", "all-gather, weights")
    assert sent(training(8, zero=1)) == {sums: share * 4 * ADAPTERS, gathers: share * 2 * ADAPTERS}
    assert sent(training(8, zero=3)) == {sums: 4 * share * 4 * ADAPTERS, gathers: 4 * 2 * share * 4_432}


def test_a_frozen_embedding_on_two_stages_sends_no_gradients():
    """Tied tables are summed in full training, and not where they are frozen."""
    tied = {**TINY, "tied": True}
    word = ("pp", "all-reduce, gradients of the embedding")
    assert word in sent(training(2, pp=2, lora_rank=0), tied) and word not in sent(training(2, pp=2), tied)


def test_each_expert_has_adapters_and_a_token_meets_those_of_its_own():
    """Four experts have four pairs for each of three matrices, dealt over ep; a token goes through two of them."""
    (rank,) = list_rank_memory(MIXED, training())
    assert rank.expert_adapters == 2 * 4 * MLP and rank.adapters == 2 * (ATTENTION + 4 * MLP)
    dealt = list_rank_memory(MIXED, training(4, ep=4))[0]
    assert dealt.expert_adapters == 2 * MLP and dealt.adapters - dealt.expert_adapters == 2 * ATTENTION
    assert lora.adapter_flops(MIXED["kinds"][0], 2) == (2 * (ATTENTION + 2 * MLP), 2 * 2 * MLP)
    assert ("edp", "all-reduce, gradients") in sent(training(8, ep=4), MIXED)


def test_adapters_add_to_the_work_of_a_token_and_to_that_of_routed_experts():
    """Two FLOPs of each of their numbers that a token meets: attention's and two experts', then the latter alone."""
    (kind,) = MIXED["kinds"]
    work, adapted = kind["work"], lora.adapted_work(kind, 2)
    assert adapted["token"] - work["token"] == 2 * (ATTENTION + 2 * MLP)
    assert adapted["experts"] - work["experts"] == 2 * 2 * MLP
    assert lora.adapted_work(kind, 0) == work


@pytest.mark.parametrize(
    ("slug", "without"),
    [
        ("deepseek-ai/DeepSeek-V3", ("embed", "head", "gate.weight", "norm")),
        ("tiiuae/Falcon-H1-7B-Instruct", ("embed", "head", "conv1d", "norm")),
        ("deepseek-ai/DeepSeek-V4-Flash", ("indexer", "hc", "position_bias")),
    ],
)
def test_tables_routers_norms_and_indexers_have_no_adapters(slug, without):
    """Every linear layer of mixers and MLPs has a pair, latents' among them, and nothing else."""
    sheet = sheet_of(slug)
    pieces = [*sheet["before"], *sheet["after"], *(piece for kind in sheet["kinds"] for piece in kind["pieces"])]
    names = [piece[0] for piece in pieces if lora.adapter_numbers(piece, 16)]
    assert not [name for name in names if any(word in name for word in without)]
    for word in ("o_proj", "o_b_proj", "kv_a_proj", "q_b_proj", "gate_proj", "shared_experts.down_proj", "in_proj"):
        assert any(word in name for name in names) == any(word in piece[0] for piece in pieces), word


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"lora_rank": -1}, "lora rank is -1, but must be at least 0; nearest legal: 0."),
        ({"lora_rank": 9}, "lora_rank 9 is more than hidden_size 8; nearest legal: 8."),
        (
            {"lora_rank": 3, "tp": 2},
            "lora_rank 3 is not a multiple of tp 2, which shards adapters; nearest legal: 2 and 4.",
        ),
        ({"job": "decode"}, "lora_rank 2 is only for training; nearest legal: 0."),
    ],
)
def test_a_rank_that_cannot_be_is_told(more, sentence):
    """Less than none, no low rank, one that tensor ranks cannot share, one in serving."""
    assert problem(TINY, training(2, **more)) == sentence


def test_experts_cut_their_adapters_too():
    """etp divides the experts' width and the rank."""
    made = replace(training(4, ep=1, lora_rank=2), etp=4)
    assert problem(MIXED, made).startswith("etp 4 cannot shard experts: it does not divide their width, or lora_rank;")
    assert {etp for _, etp in folds(MIXED, training(4))} == {1, 2}


def test_megatron_lm_has_no_flag_for_it():
    """The flags say what they cannot say."""
    assert untold(training(), "Megatron-LM") == ["LoRA: a recipe of Megatron-Bridge has it, peft.dim = 2"]


def test_published_lora_runs_fit_and_are_no_faster_than_the_bound(verified):
    """Both runs of Llama 3 70B on eight GB200 fit as they were run, and not in full training."""
    tally, found = Tally(), [row for row in measured.runs() if row["lora_rank"] != "0"]
    assert [row["precision"] for row in found] == ["FP8", "MXFP8"]
    for row in found:
        sheet, full = sheet_of(row["model"]), replace(published(row), gradient_bytes=2)
        made = replace(published(row), **measured.options(row))
        tally.holds(not make_plan(sheet, full, ends=False).fits, row)
        ran = plan(sheet, made)
        tally.holds(ran.fits, row)
        rate = made.batch * made.sequence / made.gpus / bind_step(sheet, ran).seconds
        tally.holds(rate >= float(row["tokens"]), row, rate)
        assert [run.tokens for run in measured.matching_runs(row["model"], made)] == [float(row["tokens"])]
        assert measured.matching_runs(row["model"], full) == []
    verified("published LoRA runs fit, none faster than the bound", tally, against=measured.SOURCE)
