"""The arithmetic of mixers: against published ratios of DeepSeek-V4 to V3.2, and against slow sums."""

import pytest

from cutaway.gallery import spec as s
from cutaway.gallery.counting.flops import flops
from cutaway.gallery.operations import Reads

MILLION = 1_048_576


def stack(*mixers):
    layers = tuple(s.Layer(i, mixer, None, ()) for i, mixer in enumerate(mixers))
    return s.ModelSpec("x", "", 8, 8, len(layers), layers, None, False, "bfloat16", None)


def v4(heads, ratio, topk, index=True):
    indexer = s.Indexer(64, 128, topk, style="v4") if ratio == 4 else None
    return s.CompressedAttention(heads, 512, 64, 1024, 8, 1024, 128, ratio, overlap=ratio == 4, indexer=indexer)


V32 = stack(*[s.LatentAttention(128, 1536, 512, 128, 64, 128, indexer=s.Indexer(64, 128, 2048))] * 61)
PRO = stack(*[v4(128, 4, 1024)] * 30, *[v4(128, 128, 0)] * 31)
FLASH = stack(*[v4(64, 4, 512)] * 21, *[v4(64, 128, 0)] * 20, *[v4(64, 0, 0)] * 2)


@pytest.mark.parametrize(
    ("model", "index", "rest"),
    [(V32, 1047972020224, 34795945984), (PRO, 128849018880, 76671877120), (FLASH, 90194313216, 23605542912)],
    ids=["V3.2", "V4-Pro", "V4-Flash"],
)
def test_core_flops_equal_the_figures_behind_the_published_ratios(model, index, rest):
    """Indexer and attention FLOPs per token at one million tokens equal those that give V4's 27 % and 10 %."""
    token = flops(model, MILLION)
    assert index == token.by_what["indexer scores"]
    assert rest == token.core_flops - token.by_what["indexer scores"]


@pytest.mark.parametrize("every", [1, 4, 128])
@pytest.mark.parametrize("cap", [None, 3, 1000])
@pytest.mark.parametrize("tokens", [0, 1, 127, 128, 600])
def test_prefill_is_the_sum_over_its_tokens(every, cap, tokens):
    """The closed form of a prefill equals adding up one decoded token after another."""
    reads = Reads("x", 7, every, cap)
    assert sum(reads.for_token(seen) for seen in range(1, tokens + 1)) == reads.over(tokens)


def test_a_window_stops_the_work_from_growing():
    """Sliding attention costs the same at 10,000 tokens as at its window; full attention doubles with the context."""
    window, full = s.Attention(8, 2, 64, 64, sliding_window=128), s.Attention(8, 2, 64, 64)
    assert 4 * 8 * 64 * 128 == flops(stack(window), 10_000).core_flops == flops(stack(window), 128).core_flops
    assert flops(stack(full), 10_000).core_flops == 4 * 8 * 64 * 10_000


def test_latent_attention_is_dearer_to_decode_and_cheaper_to_prefill():
    """DeepSeek-V3 reads 278,528 FLOPs per past token absorbed, and half of 81,920 per pair expanded."""
    layer = stack(s.LatentAttention(128, 1536, 512, 128, 64, 128))
    assert flops(layer, 1000).core_flops == 278_528 * 1000
    assert flops(layer, 1000, prefill=True).core_flops == 81_920 * 1000 * 1001 // 2


def test_a_negative_context_is_refused():
    """A context below zero gets a sentence, not a number."""
    with pytest.raises(ValueError, match="context must be a whole number"):
        flops(PRO, -1)
