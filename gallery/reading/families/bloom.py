"""BLOOM: ALiBi, LayerNorm and biases everywhere, one more norm right after the embedding."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra


def embedding_norm(r: Reading) -> tuple[Extra, ...]:
    """A LayerNorm on the embeddings."""
    shape = (r.hidden_size,)
    tensors = (("model.word_embeddings_layernorm.weight", shape), ("model.word_embeddings_layernorm.bias", shape))
    return (Extra("embedding_norm", "norm on the embedding", tensors, "norm"),)


FAMILY = Family(
    source="transformers 5.23.0, models/bloom",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu"},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_f",
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    position="alibi",
    model_extras=embedding_norm,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attention.query_key_value"),
        ("self_attn.o_proj", "self_attention.dense"),
        ("mlp.up_proj", "mlp.dense_h_to_4h"),
        ("mlp.down_proj", "mlp.dense_4h_to_h"),
        ("model.embed_tokens", "transformer.word_embeddings"),
        ("model.word_embeddings_layernorm", "transformer.word_embeddings_layernorm"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
