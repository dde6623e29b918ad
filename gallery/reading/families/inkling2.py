"""Inkling 2: Inkling's attention with lengths clipped, gates and sinks of the token's own; a residual in blocks."""

from __future__ import annotations

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.inkling import FAMILY as INKLING
from cutaway.gallery.reading.families.inkling import relative
from cutaway.gallery.reading.mlps import moe
from cutaway.gallery.reading.reading import norm
from cutaway.gallery.residuals.depth_attention import DepthAttention
from cutaway.gallery.spec import MoE, Norm, RelativeAttention


def mixer(r: Reading, index: int) -> RelativeAttention:
    """Full layers read three inputs, and their convolutions have taps of the token's own."""
    facts = r.facts
    return relative(
        r, index, averaged=True, dynamic=r.words[index] == "hybrid", gate="separate", sink_proj=True, v_norm=True,
        l2_clip=facts.number("qk_l2_clip_threshold", 512**0.5), rel_l2_clip=facts.number("rel_l2_clip_threshold", 8.0),
    )  # fmt: skip


def mlp(r: Reading, index: int, word: str) -> MoE:
    """The gate's factor and up are capped; no expert is shared."""
    caps = (r.facts.number("mlp_gate_softcap", 4.0) or 4.0, r.facts.number("mlp_up_softcap", 25.0) or 25.0)
    return moe(r, index, caps=caps, norm_topk_prob=True)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Queries, keys and values of a full layer have a norm each."""
    behind = norm(r, "mlp_in", "post_attention_layernorm")
    if word != "hybrid":
        return (norm(r, "mixer_in", "input_layernorm"), behind)
    return (*(norm(r, f"{which}_in", f"{which}_input_layernorm") for which in "qkv"), behind)


def finish(r: Reading, fields: dict) -> dict:
    """Blocks of layers, each summed apart."""
    block = r.facts.need("n_layers_per_attn_res_block", 6) or 1
    return {**fields, "residual": DepthAttention(block, r.facts.need("conv_kernel", 4))}


FAMILY = replace(
    INKLING,
    source="transformers 5.23.0, models/inkling2",
    windowed=True,
    defaults={"final_logit_softcapping": 30.0, "log_scaling_n_floor": 128_000, "tie_word_embeddings": False},
    spellings={},
    qk_norm="",
    scoring="sigmoid",
    norm_topk_eps=1e-20,
    mixers={"hybrid": mixer, "hybrid_sliding": mixer},
    mlp=mlp,
    norms_of=norms,
    finish=finish,
    names=(("mixer_conv", "post_attention_convolution"), ("mlp_conv", "post_mlp_convolution")),
)
