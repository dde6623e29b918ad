"""TeleChat 1 and 2: Llama's layer under Bloom's names, with biases on the two matrices that write to the stream."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.spec import Dense, Extra


def down_bias(r: Reading, index: int) -> tuple[Extra, ...]:
    """The dense MLP's last matrix alone has a bias."""
    tensors = (("mlp.down_proj.bias", (r.hidden_size,)),)
    return (Extra("bias", "bias of down_proj", tensors, "dense"),)


def mlp(r: Reading, index: int, word: str) -> Dense:
    """Gated; the bias on down_proj is listed apart."""
    return Dense(r.facts.width_at("intermediate_size", index), True, "silu")


FAMILY = Family(
    source="Tele-AI/TeleChat2-7B, modeling_telechat2.py; vLLM's telechat2.py; recalled",
    spellings={"embed_layernorm": "embed_layernorm", "training_seqlen": "training_seqlen", "logn": "logn",
               "base_seqlen": "base_seqlen"},
    final_norm="ln_f",
    qkv_bias=False,
    o_bias=True,
    mlp=mlp,
    extras=down_bias,
    prepare=lambda r: r.facts.settle("embed_layernorm", "training_seqlen", "logn", "base_seqlen"),
    names=(
        ("self_attn.k_proj + self_attn.v_proj", "self_attention.key_value"),
        ("self_attn.q_proj", "self_attention.query"),
        ("self_attn.o_proj", "self_attention.dense"),
        ("model.embed_tokens", "transformer.word_embeddings"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)  # fmt: skip
