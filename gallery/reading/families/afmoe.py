"""Trinity (AfMoE): norms around each half, a separate gate on attention, position only in windowed layers, a router
with a trained bias."""

from gallery.reading.attention import Reading, attention
from gallery.reading.family import Family
from gallery.spec import Extra


def full(r: Reading, index: int) -> object:
    """Full layers have no position."""
    return attention(r, index, rotary_dim=0, position="nope")


def router_bias(r: Reading, index: int) -> tuple[Extra, ...]:
    """The selection bias is a parameter here."""
    if r.mlp_words[index] != "moe":
        return ()
    tensors = (("mlp.expert_bias", (r.facts.need("num_experts"),)),)
    return (Extra("router", "selection bias of the router", tensors, "router"),)


FAMILY = Family(
    source="transformers 5.23.0, models/afmoe",
    defaults={"global_attn_every_n_layers": 4, "n_shared_experts": 0},
    norms="sandwich",
    qk_norm="head",
    gate="separate",
    mixers={"full": full},
    extras=router_bias,
    names=(
        ("mlp.gate", "mlp.router.gate"),
        ("pre_feedforward_layernorm", "pre_mlp_layernorm"),
        ("post_feedforward_layernorm", "post_mlp_layernorm"),
    ),
)
