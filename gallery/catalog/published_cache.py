"""What reports claim of a cache -> the same figure from configs: one row a claim, its source, how it is counted.

A claim holds where our figure lies between `least` and `most`: what the published words allow, "up to" and "nearly"
taken as they are meant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cutaway.gallery import catalog
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.kv_cache import rules_for
from cutaway.gallery.counting.memory import cache_per_layer
from cutaway.gallery.spec import LatentAttention, ModelSpec

MILLION = 2**20


class Claim(NamedTuple):
    """One published figure about what decoding keeps."""

    slugs: tuple[str, ...]  # of the models it is made of
    says: str
    published: str
    least: float
    most: float
    ours: Callable[[ModelSpec], float]
    shown: Callable[[float], str]
    how: str
    source: str  # what it is
    link: str


def part(value: float) -> str:
    return f"1/{1 / value:.1f}".removesuffix(".0")


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def times(value: float) -> str:
    return f"{value:.1f} ×"


def windowed_growth(spec: ModelSpec) -> float:
    """What grows, of what would grow if every layer were one of those without a window."""
    growing = [kept for kept in cache_per_layer(spec, rules_for(spec)) if any(one.slope_bits for one in kept)]
    return len(growing) / len(spec.layers)


def saving_of_states(spec: ModelSpec) -> float:
    """What is saved where most layers keep a state in place of the latent of the others."""
    return 1 - sum(isinstance(layer.mixer, LatentAttention) for layer in spec.layers) / len(spec.layers)


def ratio_to_v32(spec: ModelSpec) -> float:
    """A million tokens in the report's storage, against V3.2 with its own FP8 packing."""
    older = cache_growth.growth_sheet(catalog.spec("deepseek-ai/DeepSeek-V3.2"))
    ours = cache_growth.cache_bytes(cache_growth.growth_sheet(spec), MILLION, "fp8_bf16rope_fp4index")
    return ours / cache_growth.cache_bytes(older, MILLION, "fp8_ds_mla")


def ratio_to_heads(spec: ModelSpec) -> float:
    """Keys and values of every head, against the latent."""
    told = cache_growth.growth_sheet(spec)
    return cache_growth.usual_bytes(told, MILLION) / cache_growth.cache_bytes(told, MILLION)


DEEPSEEK_67B = 2 * 95 * 8 * 128  # numbers a token: 95 layers, 8 KV heads of 128; arXiv 2401.02954, table 2


def saving_of_v2(spec: ModelSpec) -> float:
    """Six bits a number, as V2 is served, against DeepSeek 67B in 16."""
    numbers = sum(kept.bits // 16 for layer in cache_per_layer(spec, rules_for(spec)) for kept in layer)
    return 1 - 6 * numbers / (16 * DEEPSEEK_67B)


WINDOWS = "windows cache a fraction of what full attention would"
LAYERS = "layers that keep every token, as a share of all layers"
V4 = "share of V3.2's cache at a million tokens"
STORED = (
    "FP8 with the rotated part in BF16 and indexer keys in FP4, compared with V3.2's packed FP8 (656 + 132 bytes a "
    "layer)"
)
CLAIMS = (
    Claim(("XiaomiMiMo/MiMo-V2.5-Pro",), WINDOWS, "roughly 1/7", 1 / 7.5, 1 / 6.5, windowed_growth, part, LAYERS,
          "Xiaomi on serving the V2.5 series", "https://mimo.xiaomi.com/blog/mimo-v2-5-inference"),
    Claim(("XiaomiMiMo/MiMo-V2-Flash",), WINDOWS, "nearly 6 × less", 1 / 6, 1 / 5, windowed_growth, part, LAYERS,
          "MiMo-V2-Flash model card", "https://huggingface.co/XiaomiMiMo/MiMo-V2-Flash"),
    Claim(("moonshotai/Kimi-Linear-48B-A3B-Base", "moonshotai/Kimi-Linear-48B-A3B-Instruct"),
          "cache saved compared with MLA in all layers", "up to 75 %", 0.735, 0.755, saving_of_states, percent,
          "7 of 27 layers keep a latent that grows; the states of the others do not grow and are not counted",
          "Kimi Linear, arXiv 2510.26692", "https://arxiv.org/abs/2510.26692"),
    Claim(("deepseek-ai/DeepSeek-V4-Pro",), V4, "10 %", 0.095, 0.105, ratio_to_v32, percent, STORED,
          "DeepSeek-V4 model card",
          "https://huggingface.co/deepseek-ai/DeepSeek-V4-Pro"),
    Claim(("deepseek-ai/DeepSeek-V4-Flash",), V4, "7 %", 0.065, 0.075, ratio_to_v32, percent, STORED,
          "DeepSeek-V4 model card",
          "https://huggingface.co/deepseek-ai/DeepSeek-V4-Pro"),
    Claim(("deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-R1"), "size of keys and values of 128 heads, compared "
          "with the latent", "57 ×", 56.5, 57.5, ratio_to_heads, times, "2 × 128 × 128 numbers against 512 + 64",
          "Welch Labs, How DeepSeek Rewrote the Transformer", "https://www.youtube.com/watch?v=0VLAoVGf_74"),
    Claim(("deepseek-ai/DeepSeek-V2",), "cache saved compared with DeepSeek 67B", "93.3 %", 0.9325, 0.9335,
    saving_of_v2, percent,
          "six bits per element, as V2 is served, compared with 95 layers of 8 KV heads in 16 bits",
          "DeepSeek-V2, arXiv 2405.04434", "https://arxiv.org/abs/2405.04434"),
)  # fmt: skip


def claims_of(slug: str) -> tuple[Claim, ...]:
    """What is claimed of a model's cache."""
    return tuple(claim for claim in CLAIMS if slug in claim.slugs)
