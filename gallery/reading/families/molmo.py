"""Molmo: Qwen2's or OLMo's layer; intermediate_size counts gate and up together, and image tokens have a table."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Dense, Extra, Norm


def mlp(r: Reading, index: int, word: str) -> Dense:
    """The config counts gate and up together."""
    return Dense(r.facts.need_width("intermediate_size") // 2, True, "silu")


def added_rows(r: Reading) -> tuple[Extra, ...]:
    """Embeddings of the image tokens, which the head does not know."""
    rows = r.facts.integer("additional_vocab_size", 128) or 0
    tensors = (("model.new_embedding.weight", (rows, r.hidden_size)),)
    return (Extra("embedding", "embeddings of image tokens", tensors, "embedding"),) if rows else ()


def finish(r: Reading, fields: dict) -> dict:
    """Embedding and head may have more rows than the vocabulary."""
    fields["vocab_size"] = r.facts.integer("embedding_rows") or fields["vocab_size"]
    r.facts.settle("layer_norm_type", "use_position_ids")
    return fields


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """norm_after: OLMo 2's order."""
    places = ("mixer_out", "mlp_out") if r.facts.flag("norm_after") else ("mixer_in", "mlp_in")
    return tuple(norm(r, place, name) for place, name in zip(places, ("attn_norm", "ff_norm"), strict=True))


FAMILY = Family(
    source="allenai/Molmo-7B-D-0924, modeling_molmo.py; recalled",
    spellings={"attention_layer_norm": "use_qk_norm", "weight_tying": "tie_word_embeddings",
               "embedding_size": "embedding_rows", "norm_after": "norm_after", "layer_norm_type": "layer_norm_type",
               "additional_vocab_size": "additional_vocab_size", "use_position_ids": "use_position_ids"},
    o_bias=False,
    qk_norm_if_said="full",
    final_norm="ln_f",
    norms_of=norms,
    mlp=mlp,
    model_extras=added_rows,
    finish=finish,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "att_proj"),
        ("self_attn.o_proj", "attn_out"),
        ("mlp.up_proj + mlp.gate_proj", "ff_proj"),
        ("mlp.down_proj", "ff_out"),
        ("model.embed_tokens.weight", "model.transformer.wte.embedding"),
        ("model.new_embedding.weight", "model.transformer.wte.new_embedding"),
        ("model.ln_f", "model.transformer.ln_f"),
        ("model.layers", "model.transformer.blocks"),
        ("lm_head", "model.transformer.ff_out"),
    ),
)  # fmt: skip
