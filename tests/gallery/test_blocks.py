"""Blocks of a model: their FLOPs, weights and cache add up to what flops, memory and the weights say of the whole."""

from __future__ import annotations

import random
from math import prod

import pytest

from cutaway.gallery import catalog, memory, weights
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.flops import flops
from cutaway.gallery.counting.stored_bytes import list_stored
from cutaway.gallery.drawing.pictures import short_of

SLUGS = [row.slug for row in catalog.MODELS if row.snapshot]
FEW = ("deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V4-Flash", "openai-community/gpt2-xl", "google/gemma-3n-E4B",
       "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "ByteDance/Ouro-1.4B",
       "tiiuae/Falcon-H1-7B-Instruct")  # fmt: skip


def told(slug: str) -> blocks.Sheet:
    spec = catalog.spec(slug)
    listed = weights(spec)
    return blocks.sheet(spec, listed, list_stored(spec, listed), short_of)


def wrong_of(slug: str, context: int) -> list[str]:
    """What does not add up for one model."""
    spec, made, wrong = catalog.spec(slug), told(slug), []
    for prefill in (False, True):
        ours = sum(blocks.flops(made, one, context, 1, prefill) for one in made["blocks"])
        head = sum(one["token"] for one in made["blocks"] if one["half"] == blocks.HEAD)
        ours += head * (context - 1) * prefill  # which all tokens of a prompt meet there
        moved = flops(spec, context, prefill)
        wrong += [] if ours == moved.total_flops else [f"{slug} FLOPs, prefill {prefill}"]
        read = [blocks.weight_bytes(one, context if prefill else 1) for one in made["blocks"]]
        kept = [blocks.cache_bytes(made, one, context, "bfloat16", 1, prefill) for one in made["blocks"]]
        wrong += [] if sum(read) == moved.weight_bytes else [f"{slug} weights read, prefill {prefill}"]
        wrong += [] if sum(kept) == moved.cache_bytes else [f"{slug} cache moved, prefill {prefill}"]
    kept = sum(blocks.cache_bytes(made, one, context, "bfloat16", 3, True) for one in made["blocks"])
    wrong += [] if kept == memory(spec, context, batch=3).total_bytes else [f"{slug} cache"]
    used = sum(blocks.weight_bytes(one, 10**9) for one in made["blocks"])
    pairs = list(zip(weights(spec), list_stored(spec), strict=True))
    total = sum(kept.bytes for _, kept in pairs)
    tables = sum(kept.bytes for weight, kept in pairs if weight.part == "embedding")
    wrong += [] if total - tables - total // 1000 <= used <= total else [f"{slug} weights {used} of {total}"]
    return wrong


@pytest.mark.parametrize("slug", FEW)
def test_blocks_add_up(slug):
    """FLOPs of a token and of a prompt, cache, weights."""
    assert wrong_of(slug, 10_000) == []


@pytest.mark.whole
def test_blocks_of_every_model_add_up(verified):
    """The same for every catalogued model at a random context."""
    dice = random.Random(3)
    wrong = [line for slug in SLUGS for line in wrong_of(slug, dice.randint(1, 2**20))]
    assert wrong == []
    verified(
        "FLOPs and bytes of each block", 8 * len(SLUGS), len(wrong), "gallery.flops, gallery.memory and stored bytes"
    )


def numbers_read(slug: str) -> int:
    """How many numbers of the weights table a token reads: experts by how many it visits, a tied table as the head."""
    spec, found = catalog.spec(slug), 0
    for weight in weights(spec):
        moe = weight.part == "experts" and spec.layers[weight.layer].mlp
        table = weight.shape == (spec.vocab_size, spec.hidden_size) and weight.part == "embedding"
        share = moe.num_experts_per_tok / moe.num_experts if moe else spec.tie_word_embeddings or not table
        found += round(prod(weight.shape) * share)
    return found


WIDTHS = {"meta-llama/Llama-3.1-70B": 2, "Qwen/Qwen3-235B-A22B": 2, "openai-community/gpt2-xl": 4}


@pytest.mark.parametrize(("slug", "each"), WIDTHS.items())
def test_a_token_reads_its_share_of_the_weights(slug, each):
    """Two bytes for each number that one token reads, in GPT-2's 32 bits four; flops says the same."""
    made = told(slug)
    ours = sum(blocks.weight_bytes(one, 1) for one in made["blocks"])
    assert ours == each * numbers_read(slug) == flops(catalog.spec(slug), 9).weight_bytes


def test_experts_are_read_as_often_as_tokens_can_visit_them():
    """Eight of 256 for one token, all from 32 tokens on."""
    moe = next(one for one in told(FEW[0])["blocks"] if one["experts"])
    size, many, visits = moe["experts"][0]
    assert (many, visits) == (256, 8)
    assert blocks.weight_bytes(moe, 1) == moe["weights"] + sum(-(-row[0] // 32) for row in moe["experts"])
    assert (
        blocks.weight_bytes(moe, 32)
        == blocks.weight_bytes(moe, 33)
        == moe["weights"] + sum(row[0] for row in moe["experts"])
    )
    assert size > moe["weights"]


def test_an_indexer_spares_reading_but_not_its_own_keys():
    """V3.2 reads 2,048 latents and every indexer key; a prompt writes all."""
    made = told("deepseek-ai/DeepSeek-V3.2")
    mixer = next(one for one in made["blocks"] if one["half"] == "mixer")
    read = blocks.cache_bytes(made, mixer, 100_000, "bfloat16", 1, False)
    assert read == 61 * (2048 * 576 * 2 + 100_000 * 128 * 2)
    assert blocks.cache_bytes(made, mixer, 100_000, "bfloat16", 1, True) == 61 * 100_000 * (576 + 128) * 2


def test_many_sorts_become_two():
    """A model whose MLPs all differ has one block of mixers and one of MLPs, with the same sums."""
    made = told("nvidia/Llama-3_3-Nemotron-Super-49B-v1")
    less = blocks.merge_sublayers(made, 6)
    assert len(made["blocks"]) > 6 and {one["half"] for one in less["blocks"]} == {"mixer", "mlp", "head", "around"} - (
        {"around"} if not any(one["half"] == "around" for one in made["blocks"]) else set()
    )
    assert any("sorts of MLPs" in one["name"] for one in less["blocks"])
    assert "GQA" in {one["name"] for one in less["blocks"] if one["half"] == "mixer"}
    for prefill in (False, True):
        sums = [sum(blocks.flops(one, block, 777, 2, prefill) for block in one["blocks"]) for one in (made, less)]
        kept = [
            sum(blocks.cache_bytes(one, b, 777, "bfloat16", 2, prefill) for b in one["blocks"]) for one in (made, less)
        ]
        assert sums[0] == sums[1] and kept[0] == kept[1]
    assert blocks.merge_sublayers(less, 6) is less
