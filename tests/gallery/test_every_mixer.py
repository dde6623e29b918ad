"""Every kind of mixer, one tiny row each: what it keeps and what its core costs, against closed forms.

Numbers of the geometry are small and different, so that no two terms can stand for each other.
"""

from dataclasses import replace

import pytest

from cutaway.gallery import memory, mixers
from cutaway.gallery import spec as s
from cutaway.gallery.counting.flops import flops
from cutaway.gallery.counting.kv_cache import cache_of_mixer, rules_for
from cutaway.gallery.mixers.convolved import ConvolvedAttention
from cutaway.gallery.mixers.expert_heads import ExpertHeads
from cutaway.gallery.mixers.relative import RelativeAttention
from cutaway.gallery.mixers.rg_lru import RGLRU
from cutaway.gallery.mixers.rwkv4 import RwkvMean

T, H = 100, 8  # the context; the width of the stream
OWN, FP32 = 16, 32  # bits


def alone(mixer: object) -> s.ModelSpec:
    return s.ModelSpec("x", "", H, 8, 1, (s.Layer(0, mixer, None, ()),), None, False, "bfloat16", None)


def v4(ratio: int, indexer: s.Indexer | None = None) -> s.CompressedAttention:
    return s.CompressedAttention(4, 16, 4, 5, 2, 3, 30, ratio, overlap=bool(indexer), indexer=indexer)


INDEX = s.Indexer(3, 7, 10)
GQA = 2 * (5 + 7) * OWN  # keys and values of two heads
# (mixer, bits per token, bits that do not grow, FLOPs of its core at T)
ROWS = [
    (s.Attention(6, 2, 5, 7), GQA, 0, 2 * 6 * 12 * T),
    (s.Attention(6, 2, 5, 7, sliding_window=30), 0, 30 * GQA, 2 * 6 * 12 * 30),
    (s.Attention(6, 2, 5, 7, attention_chunk_size=30), 0, 30 * GQA, 2 * 6 * 12 * 30),
    (s.Attention(6, 2, 5, 7, kv_source=0), 0, 0, 2 * 6 * 12 * T),
    (s.Attention(6, 2, 5, 7, cross=True), 0, 0, 0),
    (s.Attention(6, 2, 5, 7, causal=False), 0, 0, 2 * 6 * 12 * T),
    (s.Attention(6, 2, 5, 5, k_eq_v=True), 20 * OWN, 0, 2 * 6 * 10 * T),
    (s.Attention(6, 2, 5, 7, indexer=INDEX), GQA + 7 * OWN, 0, 2 * 6 * 12 * 10 + 2 * 3 * 7 * T),
    (s.LatentAttention(4, 0, 11, 3, 2, 5), 13 * OWN, 0, 2 * 4 * (11 + 2 + 11) * T),
    (s.LatentAttention(4, 6, 11, 3, 2, 5, sliding_window=30), 0, 30 * 13 * OWN, 2 * 4 * 24 * 30),
    (s.LatentAttention(4, 6, 11, 3, 0, 5), 11 * OWN, 0, 2 * 4 * 22 * T),
    (v4(0), 0, 30 * 16 * OWN, 4 * 4 * 16 * 30),
    (v4(10), 16 * OWN / 10, 30 * 16 * OWN, 4 * 4 * 16 * (30 + 10)),
    (s.GatedDeltaNet(2, 6, 3, 5, 4), 0, 42 * 4 * OWN + 90 * FP32, 7 * 90 + 2 * 42 * 4),
    (s.GatedDeltaNet(2, 6, 3, 5, 4, fused=True), 0, 42 * 4 * OWN + 90 * FP32, 7 * 90 + 2 * 42 * 4),
    (s.GatedDeltaNet(2, 6, 3, 5, 4, separate=True), 0, 42 * 4 * OWN + 90 * FP32, 7 * 90 + 2 * 42 * 4),
    (s.KimiDelta(3, 5, 4), 0, 45 * 4 * OWN + 75 * FP32, 7 * 75 + 2 * 45 * 4),
    (s.Mamba1(12, 5, 4, 3), 0, 12 * 4 * OWN + 60 * FP32, 9 * 60 + 2 * 12 * 4),
    (s.Mamba2(3, 4, 5, 1, 4), 0, 22 * 4 * OWN + 60 * FP32, 6 * 60 + 2 * 22 * 4),
    (s.LightningAttention(3, 4), 0, 48 * OWN, 5 * 48),
    (s.ShortConv(12, 3), 0, 36 * OWN, 2 * 36),
    (s.MatrixLSTM(2, 3, 5), 0, 2 * (15 + 3 + 1) * FP32, 5 * 30),
    (RGLRU(12, 3, 4), 0, 48 * OWN + 12 * FP32, 2 * 48 + 8 * 12),
    (RwkvMean(8), 0, 2 * 8 * OWN + 3 * 8 * FP32, 3 * 3 * 8),
    (s.RwkvTimeMix(2, 4, 3, 5, 6, 7), 0, 2 * 8 * OWN + 32 * FP32, 8 * 32),
    (ConvolvedAttention(6, 2, 4, 4), 16 * OWN, (32 * 2 + 4) * OWN, 2 * 6 * 8 * T + 2 * 32 * 2 + 2 * 32 * 4 * 2),
    (RelativeAttention(6, 2, 5, 7, d_rel=3, rel_extent=9), GQA, 24 * 4 * OWN, 2 * 6 * 12 * T + 2 * 24 * 4),
    (ExpertHeads(2, 4, 6, 3), 16 * OWN, 0, 2 * 6 * 8 * T),
    (s.LinearMixer(), 0, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("mixer", "slope", "fixed", "core"), ROWS, ids=lambda one: type(one).__name__)
def test_a_mixer_keeps_and_costs_its_closed_form(mixer, slope, fixed, core):
    """Bits per token and bits that stay, in bfloat16; FLOPs beside the matrices at a context of T."""
    kept = cache_of_mixer(mixer, rules_for(alone(mixer)))
    assert (slope, fixed) == (sum(float(one.slope_bits) for one in kept), sum(one.fixed_bits for one in kept))
    assert core == flops(alone(mixer), T).core_flops


def test_no_kind_of_mixer_is_left_out():
    """A new kind needs its row here."""
    assert {type(row[0]) for row in ROWS} == set(mixers.GRAPHS)


def test_heads_that_are_experts_are_read_as_far_as_they_are_visited():
    """One token reads three of JetMoE's six query and output matrices, a prompt all of them."""
    token, prompt = (flops(alone(ExpertHeads(2, 4, 6, 3)), T, prefill) for prefill in (False, True))
    assert prompt.weight_bytes - token.weight_bytes == 2 * (6 - 3) * 2 * (2 * 4 * H)
    assert token.by_what["experts"] == 2 * 3 * 2 * (2 * 4 * H)


LATENT, ENTRY = s.LatentAttention(4, 0, 512, 128, 64, 128, indexer=s.Indexer(3, 128, 10)), v4(0)
PACKED = [  # (cache dtype, mixer, bytes of a token); V4's tiny vector of 16 numbers has 4 that are rotated
    ("fp8_ds_mla", LATENT, 656 + 128 + 4), ("fp8_bf16rope_fp4index", LATENT, 512 + 2 * 64 + 64),
    ("float8_e4m3fn", LATENT, 512 + 64 + 128), ("float32", LATENT, 4 * (512 + 64 + 128)),
    ("fp8_ds_mla", s.LatentAttention(4, 0, 129, 3, 2, 5), 129 + 2 * 4 + 2 * 2),
    ("fp8_ds_mla", ENTRY, 30 * (12 + 2 * 4 + 8)), ("fp8_bf16rope_fp4index", ENTRY, 30 * (12 + 2 * 4)),
    ("float8_e4m3fn", ENTRY, 30 * 16), ("fp8_ds_mla", s.Attention(6, 2, 5, 7), 24),
    ("fp8_bf16rope_fp4index", s.Attention(6, 2, 5, 7), 24), ("float4_e2m1fn", s.Attention(6, 2, 5, 7), 12),
]  # fmt: skip


@pytest.mark.parametrize(("cache_dtype", "mixer", "size"), PACKED)
def test_packed_caches_take_their_bytes(cache_dtype, mixer, size):
    """656 bytes for a latent of 512 and 64 rotated numbers, 132 for an indexer's key of 128; or every number alike."""
    kept = cache_of_mixer(mixer, rules_for(alone(mixer), cache_dtype))
    assert 8 * size == sum(one.bits * (one.cap or 1) for one in kept)


NOTHING = [
    (s.LinearMixer(), {}, "nothing"),
    (None, {}, "nothing"),
    (s.Attention(6, 2, 5, 7, cross=True), {}, "nothing that grows with the text: keys and values of the image"),
    (s.Attention(6, 2, 5, 7, kv_source=3), {}, "nothing: reads the keys and values of layer 3"),
    (s.Attention(6, 2, 5, 7), {"bidirectional": True}, "nothing: every token sees every other"),
    (s.NotUnderstood("odd"), {}, "not understood yet: odd"),
    (s.ShortConv(12, 3), {}, "convolution state: 12 × 3"),
]


@pytest.mark.parametrize(("mixer", "more", "words"), NOTHING)
def test_a_layer_that_keeps_nothing_says_why(mixer, more, words):
    """In a sentence; one that keeps something says its shape."""
    (layer,) = memory(replace(alone(mixer), **more), T).layers
    assert (words, words == "convolution state: 12 × 3") == (layer.what, layer.bytes > 0)
