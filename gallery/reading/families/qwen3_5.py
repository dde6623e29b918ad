"""Qwen3.5, 3.6 and 3.8, dense and MoE: Gated DeltaNet with four projections, gated attention."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Extra, Layer


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """One attention layer, a projection of two streams into one, and three norms; embeddings are shared."""
    count, h = r.mtp_layers, r.hidden_size
    model = next((layer for layer in reversed(layers) if r.words[layer.index] == "full"), layers[-1])
    made = tuple(
        Layer(r.depth + number, model.mixer, model.mlp, model.norms, model.parallel) for number in range(min(count, 16))
    )
    norms = ("pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm")
    parts = (("fc.weight", (h, 2 * h)), *((name + ".weight", (h,)) for name in norms))
    return made, tuple(Extra("mtp", "joins the stream with the next token's embedding", parts, "other") for _ in made)


FAMILY = Family(
    source="transformers 5.23.0, models/qwen3_5; MTP measured against published totals (oracle, published_vs_oracle)",
    defaults={"full_attention_interval": 4, "partial_rotary_factor": 0.25},
    unread={"mlp_only_layers": [], "decoder_sparse_step": 1},
    norm_plus_one=True,
    qk_norm="head",
    gate="elementwise",
    shared_gate=True,
    norm_topk=True,
    mtp=mtp,
    names=(("mlp.shared_experts", "mlp.shared_expert"),),
    zoo="qwen3_vl",
)
