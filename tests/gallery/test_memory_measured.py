"""The bytes of each mixer against tensors measured in running modelling code: 36 rows, slope and constant."""

import json
from pathlib import Path

import pytest

from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import cache_of_mixer, rules_for

ROWS = json.loads((Path(__file__).parents[1] / "oracle" / "cache_measured.json").read_text())["rows"]


def gqa(kv_heads, head_dim, v_head_dim=None, **more):
    return s.Attention(kv_heads, kv_heads, head_dim, v_head_dim or head_dim, **more)


def mla(latent=512, rope=64, **more):
    return s.LatentAttention(8, 0, latent, 128, rope, 128, **more)


def v4(ratio, index=None):
    return s.CompressedAttention(64, 512, 64, 1024, 8, 1024, 128, ratio, overlap=ratio == 4, indexer=index)


def key(width=128, **more):
    return s.Indexer(64, width, 2048, **more)


MAMBA2_512 = s.Mamba2(8, 64, 128, 1, 4)
# The geometry of each measured row. GLM-5.3-Flash's 257 numbers per indexer key are taken from the measurement:
# nothing in a config explains that width.
MIXERS = {
    ("Llama-3.1-8B", "full_attention"): gqa(8, 128),
    ("gpt-oss-120b", "full_attention"): gqa(8, 64),
    ("gpt-oss-120b", "sliding_attention"): gqa(8, 64, sliding_window=128, sinks=True),
    ("DeepSeek-V3", "MLA"): mla(),
    ("DeepSeek-V3.2", "indexed_attention"): mla(indexer=key()),
    ("GLM-5.2", "indexed_attention, indexer shared"): mla(indexer=key(shared=True)),
    ("GLM-5.2", "indexed_attention, indexer full"): mla(indexer=key()),
    ("DeepSeek-V4-Pro", "heavily_compressed_attention"): v4(128),
    ("DeepSeek-V4-Pro", "compressed_sparse_attention"): v4(4, key(style="v4")),
    ("DeepSeek-V4-Pro", "sliding_attention"): v4(0),
    ("Kimi-Linear-48B", "KDA"): s.KimiDelta(32, 128, 4),
    ("Kimi-Linear-48B", "MLA NoPE"): mla(rotary_dim=0),
    ("Qwen3.5-397B-A17B", "GatedDeltaNet"): s.GatedDeltaNet(16, 64, 128, 128, 4),
    ("Qwen3.5-397B-A17B", "full_attention"): gqa(2, 256, gate="elementwise"),
    ("Qwen3.6-27B", "GatedDeltaNet"): s.GatedDeltaNet(16, 48, 128, 128, 4),
    ("Qwen3.6-27B", "full_attention"): gqa(4, 256),
    ("Qwen3-Next-80B", "GatedDeltaNet"): s.GatedDeltaNet(16, 32, 128, 128, 4, fused=True),
    ("Nemotron-3-Nano", "Mamba2"): s.Mamba2(64, 64, 128, 8, 4),
    ("Nemotron-3-Ultra", "Mamba2"): s.Mamba2(256, 64, 128, 8, 4),
    ("Nemotron-3-*", "attention"): gqa(2, 128, position="nope"),
    ("Gemma-4-31B", "sliding_attention"): gqa(16, 256, sliding_window=1024),
    ("Gemma-4-31B", "full_attention (k_eq_v)"): gqa(4, 512, k_eq_v=True),
    ("Gemma-4-26B-A4B", "full_attention (k_eq_v)"): gqa(2, 512, k_eq_v=True),
    ("Gemma-3n (text)", "kv-shared layers"): gqa(2, 256, kv_source=18),
    ("MiMo-V2-Flash", "full_attention"): gqa(4, 192, 128),
    ("MiMo-V2-Flash", "sliding_attention"): gqa(8, 192, 128, sliding_window=128),
    ("MiniMax-M3", "minimax_m3_sparse"): gqa(4, 128, indexer=s.Indexer(4, 128, 16, 128, style="minimax_m3")),
    ("MiniMax-M3", "full_attention"): gqa(4, 128),
    ("GLM-5.3-Flash (glm5_next)", "KDA"): s.KimiDelta(64, 128, 4),
    ("GLM-5.3-Flash (glm5_next)", "indexed_attention (MLA, rope dim 0)"): mla(rope=0, indexer=key(257)),
    ("Ling-3.0-Flash (bailing_hybrid)", "KDA"): s.KimiDelta(32, 128, 4),
    ("Ling-3.0-Flash (bailing_hybrid)", "MLA"): mla(),
    ("Jamba (h=512 toy)", "Mamba1"): s.Mamba1(1024, 16, 4, 32),
    ("Granite-4 hybrid (h=1024 toy)", "Mamba2"): s.Mamba2(32, 64, 128, 1, 4),
    ("Falcon-H1 (h=512 toy)", "parallel attn+Mamba2"): s.Combined((gqa(2, 128), MAMBA2_512), "parallel"),
    ("LFM2 (h=512 toy)", "conv"): s.ShortConv(512, 3),
}
# One measured row keeps the whole window where all others keep one token less; its formula column says 128, not 127.
WHOLE_WINDOW = {("MiMo-V2-Flash", "sliding_attention")}


def spec(dtype="bfloat16"):
    return s.ModelSpec("x", "", 8, 8, 0, (), None, False, dtype, None)


def computed(row) -> tuple:
    which = (row["model"], row["layer"])
    rules = rules_for(spec(), "bfloat16", "window" if which in WHOLE_WINDOW else "transformers")
    kept = cache_of_mixer(MIXERS[which], rules)
    return sum(one.slope_bits for one in kept) / 8, sum(one.fixed_bits for one in kept) / 8


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['model']}-{row['layer']}" for row in ROWS])
def test_a_layer_keeps_the_bytes_that_were_measured(row):
    """Slope and constant of each layer kind equal the tensors that transformers 5.23.0 held after decoding."""
    assert (row["slope"], row["const"]) == computed(row)


def test_every_measured_row_is_used(verified):
    """36 rows were measured, 36 are compared, slope and constant each."""
    wrong = sum((row["slope"] != slope) + (row["const"] != const) for row in ROWS for slope, const in [computed(row)])
    verified(
        "cache bytes of each kind of layer", checked=2 * len(ROWS), mismatches=wrong, against="transformers 5.23.0"
    )
    assert {(row["model"], row["layer"]) for row in ROWS} == set(MIXERS)
    assert (len(ROWS), wrong) == (36, 0)
