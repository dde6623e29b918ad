"""FLOPs and bytes per token against second routes: the weights table, published arithmetic, closed forms."""

from math import prod

import pytest

from cutaway.gallery import catalog, flops, memory, weights
from cutaway.gallery.planning import seconds
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.planner_model import make_planner_model
from tests.gallery.sheets import layout


def matrices_of(spec):
    """2 × every number of every matrix that one token meets, off the weights table: experts by the share visited."""
    total = 0
    by_layer = {layer.index: layer for layer in spec.layers}
    for weight in weights(spec):
        if len(weight.shape) < 2 or weight.part == "embedding" or "conv" in weight.name or "bias" in weight.name:
            continue
        total += 2 * prod(weight.shape) * (visited(by_layer[weight.layer]) if weight.part == "experts" else 1)
    if spec.tie_word_embeddings and spec.has_head:
        total += 2 * (spec.embedding_rows or spec.vocab_size) * (spec.embedding_size or spec.hidden_size)
    return round(total)


def visited(layer):
    """Which share of a layer's experts one token visits."""
    return layer.mlp.num_experts_per_tok / layer.mlp.num_experts


PLAIN = (
    "meta-llama/Meta-Llama-3.1-8B", "Qwen/Qwen3-30B-A3B", "mistralai/Mixtral-8x7B-v0.1", "google/gemma-2-2b-it",
    "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b", "tiiuae/falcon-40b", "moonshotai/Kimi-K2-Instruct",
)  # fmt: skip


def spec_of(slug):
    """A catalogued model; skipped by name where the catalogue lost it."""
    row = catalog.find(slug)
    assert row is not None, f"{slug} left the catalogue: choose another"
    return catalog.spec(slug)


@pytest.mark.parametrize("slug", PLAIN)
def test_matrices_cost_two_flops_a_number(slug):
    """What the nodes add up to is what the weights table adds up to."""
    spec = spec_of(slug)
    token = flops(spec, 1000)
    assert matrices_of(spec) == token.by_what["matrices"] + token.by_what.get("experts", 0)
    assert token.total_flops == token.core_flops + matrices_of(spec)


def test_a_prompt_costs_its_tokens():
    """Prefill's matrices are the prompt's tokens times one token's; its scores are half a square."""
    spec = spec_of("meta-llama/Meta-Llama-3.1-8B")
    token, prompt = flops(spec, 512), flops(spec, 512, prefill=True)
    assert 512 * token.by_what["matrices"] == prompt.by_what["matrices"]
    assert prompt.by_what["scores and values"] == 512 * 513 // 2 * 4 * 32 * 128 * 32


def test_one_token_reads_each_weight_once_and_only_the_experts_it_visits():
    """Llama 3.1 8B reads all but its embedding in BF16; Mixtral two of its eight experts; a long prompt all."""
    llama, mixtral = spec_of("meta-llama/Meta-Llama-3.1-8B"), spec_of("mistralai/Mixtral-8x7B-v0.1")
    assert flops(llama, 100).weight_bytes == 2 * (8_030_261_248 - 128_256 * 4096)
    experts = 32 * 8 * 3 * 4096 * 14336
    rest = 46_702_792_704 - experts - 32_000 * 4096
    assert 2 * (rest + experts // 4) == flops(mixtral, 100).weight_bytes
    assert 2 * (rest + experts) == flops(mixtral, 100, prefill=True).weight_bytes
    assert memory(llama, 100).total_bytes == flops(llama, 100).cache_bytes


def test_deepseek_v3_trains_at_the_published_flops():
    """260.0 GFLOP a token = 6 × (active without input embedding) + 3 × causal attention at 4,096 + the MTP layer with
    its head (1,635 TFLOP/s over 6,288 tokens/s; facts of the planner)."""
    spec = spec_of("deepseek-ai/DeepSeek-V3")
    prompt = flops(spec, 4096, prefill=True)
    main = 3 * prompt.total_flops / 4096
    layer = next(one for one in prompt.layers if one.index == 60)
    head, joint = 6 * 129_280 * 7168, 6 * 2 * 7168 * 7168
    assert pytest.approx(main + 3 * layer.flops / 4096 + head + joint, rel=0.01) == 260.0e9


STORED = ("deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2-Instruct", "openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V3.2",
          "deepseek-ai/DeepSeek-V4-Flash", "Qwen/Qwen3-8B")  # fmt: skip


@pytest.mark.parametrize("slug", STORED)
def test_a_token_moves_the_bytes_that_the_planner_reads(slug):
    """One sequence on one GPU: weights as stored, of experts those visited, of a cache what an indexer chooses."""
    spec, token = spec_of(slug), flops(spec_of(slug), 131_072)
    model = make_planner_model(spec)
    found = plan(model, layout(per_node=1, batch=1, context=131_072))
    rank = found.fullest
    assert abs(rank.sequence_read_bytes - token.cache_bytes) < 200
    read = seconds.read_bytes(model, found, rank) - rank.sequence_read_bytes
    assert read == pytest.approx(token.weight_bytes, rel=1e-3)


def test_published_bytes_of_a_token_are_those_of_its_checkpoint():
    """DeepSeek-V3's 37.67 GB in FP8 and gpt-oss-20b's 3.71 GB in MXFP4, not twice as many in BF16."""
    assert flops(spec_of("deepseek-ai/DeepSeek-V3"), 131_072).weight_bytes / 1e9 == pytest.approx(37.67, abs=0.005)
    assert flops(spec_of("openai/gpt-oss-20b"), 131_072).weight_bytes / 1e9 == pytest.approx(3.71, abs=0.005)


def test_a_token_reads_what_an_indexer_chooses_and_a_prompt_writes_all():
    """DeepSeek-V3.2: 2,048 latents and every indexer key; all of both are kept."""
    spec = spec_of("deepseek-ai/DeepSeek-V3.2")
    assert flops(spec, 131_072).cache_bytes == 61 * (2_048 * 576 + 131_072 * 128) * 2 == 2_190_737_408
    assert flops(spec, 131_072, prefill=True).cache_bytes == memory(spec, 131_072).total_bytes
