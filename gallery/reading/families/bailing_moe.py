"""Ling 2.0 and sarvam: fused qkv, QK-norm per head, experts with a trained router bias; sarvam-105b has MLA."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra


def router_bias(r: Reading, index: int) -> tuple[Extra, ...]:
    """One number per expert, stored and counted as a parameter."""
    if r.mlp_words[index] != "moe" or not r.facts.flag("use_routing_bias", True):
        return ()
    tensors = (("mlp.gate.expert_bias", (r.facts.need("num_experts"),)),)
    return (Extra("router", "selection bias of the router", tensors, "router"),)


NAMES = (
    ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "attention.query_key_value"),
    ("self_attn.o_proj", "attention.dense"),
    ("self_attn.q_norm", "attention.query_layernorm"),
    ("self_attn.k_norm", "attention.key_layernorm"),
    ("self_attn", "attention"),
    ("model.embed_tokens", "model.word_embeddings"),
)
FAMILY = Family(
    source="inclusionAI/Ling-flash-2.0, modeling_bailing_moe_v2.py; totals checked against the published ones",
    extras=router_bias,
    names=NAMES,
)
