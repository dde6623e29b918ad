"""RecurrentGemma: two recurrent blocks (RG-LRU) to one of windowed attention."""

from gallery.reading.attention import Reading
from gallery.reading.facts import Facts
from gallery.reading.family import Family
from gallery.reading.mlps import activation
from gallery.spec import Dense, Extra, NotUnderstood

SENTENCE = "The RG-LRU recurrence is counted from its tensors but not drawn in detail yet."


def words(facts: Facts, depth: int) -> list[str]:
    """Recurrent, recurrent, attention, and again."""
    return ["sliding" if index % 3 == 2 else "recurrent" for index in range(depth)]


def recurrent(r: Reading, index: int) -> NotUnderstood:
    """A gated linear recurrence with a short convolution."""
    if SENTENCE not in r.not_understood:
        r.not_understood.append(SENTENCE)
    return NotUnderstood("RG-LRU")


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """The tensors of a recurrent block."""
    if r.words[index] != "recurrent":
        return ()
    facts, h = r.facts, r.hidden_size
    n, heads = facts.integer("lru_width") or h, facts.need("num_attention_heads")
    kernel, p = facts.need("conv_kernel", 4), "temporal_block."
    block = (heads, n // heads, n // heads)
    tensors = [(p + f"{name}.weight", (n, h)) for name in ("linear_x", "linear_y")]
    tensors += [(p + f"{name}.bias", (n,)) for name in ("linear_x", "linear_y")]
    tensors += [(p + "linear_out.weight", (h, n)), (p + "linear_out.bias", (h,))]
    tensors += [
        (p + "conv_1d.weight", (n, 1, kernel)),
        (p + "conv_1d.bias", (n,)),
        (p + "rg_lru.recurrent_param", (n,)),
    ]
    for gate in ("input_gate", "recurrent_gate"):
        tensors += [(p + f"rg_lru.{gate}_weight", block), (p + f"rg_lru.{gate}_bias", (heads, n // heads))]
    return (Extra("rg_lru", "RG-LRU", tuple(tensors), "linear"),)


def mlp(r: Reading, index: int, word: str) -> Dense:
    """intermediate_size counts gate and up together."""
    return Dense((r.facts.per_layer("intermediate_size", index) or 6 * r.hidden_size) // 2, True, activation(r), True)


FAMILY = Family(
    source="transformers 5.23.0, models/recurrent_gemma",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh", "partial_rotary_factor": 0.5,
              "sliding_window": 2048},
    final_norm="final_norm",
    qkv_bias=False,
    o_bias=True,
    words=words,
    mixers={"recurrent": recurrent},
    extras=extras,
    mlp=mlp,
    names=(
        ("self_attn", "temporal_block"),
        ("input_layernorm", "temporal_pre_norm"),
        ("post_attention_layernorm", "channel_pre_norm"),
        ("mlp", "mlp_block"),
    ),
)  # fmt: skip
