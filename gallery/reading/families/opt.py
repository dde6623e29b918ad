"""OPT: learned positions (two rows more than it says), LayerNorm and biases everywhere, ReLU without a gate."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra


def tables(r: Reading) -> tuple[Extra, ...]:
    """Positions with an offset of two, and projections where the embedding is narrower than the stream."""
    rows, h = r.facts.need("max_position_embeddings", 2048) + 2, r.hidden_size
    narrow = r.facts.integer("embedding_size") or h
    tensors = (("model.decoder.embed_positions.weight", (rows, h)),)
    out = (Extra("positions", "learned positions", tensors, "embedding"),)
    if narrow != h:
        ends = (("model.decoder.project_in.weight", (h, narrow)), ("model.decoder.project_out.weight", (narrow, h)))
        out += (Extra("projection", "between embedding and stream", ends, "embedding"),)
    return out


def finish(r: Reading, fields: dict) -> dict:
    """The post-norm variant (OPT-350m) has no norm at the end."""
    if not r.facts.flag("do_layer_norm_before", True):
        fields["final_norm"] = None
    return fields


FAMILY = Family(
    source="transformers 5.23.0, models/opt",
    defaults={"tie_word_embeddings": True, "hidden_act": "relu", "attention_bias": True},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="decoder.final_layer_norm",
    mlp_bias=True,
    gated=False,
    position="learned",
    model_extras=tables,
    finish=finish,
    names=(
        ("self_attn.o_proj", "self_attn.out_proj"),
        ("mlp.up_proj", "fc1"),
        ("mlp.down_proj", "fc2"),
        ("input_layernorm", "self_attn_layer_norm"),
        ("post_attention_layernorm", "final_layer_norm"),
        ("model.embed_tokens", "model.decoder.embed_tokens"),
        ("model.layers", "model.decoder.layers"),
    ),
)
