"""ZAYA: attention on convolved queries and keys (CCA), a router that is a small network, scaled residuals."""

from gallery.reading.attention import Reading, attention
from gallery.reading.family import Family
from gallery.reading.mlps import moe
from gallery.reading.scales import not_known
from gallery.spec import Extra


def cca(r: Reading, index: int) -> object:
    """Its matrices are listed among the layer's extras: half of the values come one token late."""
    return attention(r, index, weights_of=index)


def attention_tensors(r: Reading) -> Extra:
    """q, k and the two halves of v, with two convolutions over q and k."""
    facts, h = r.facts, r.hidden_size
    d = facts.integer("head_dim") or 128
    heads, kv = facts.need("num_attention_heads"), facts.integer("num_key_value_heads") or 2
    wide = (heads + kv) * d
    p = "self_attn.qkv_proj."
    first, second = facts.need("cca_time0", 2), facts.need("cca_time1", 2)
    tensors = (
        ("self_attn.o_proj.weight", (h, heads * d)),
        (p + "q_proj.weight", (heads * d, h)), (p + "k_proj.weight", (kv * d, h)),
        (p + "v_proj_current.weight", (kv * d // 2, h)), (p + "v_proj_delayed.weight", (kv * d // 2, h)),
        (p + "conv_qk_depthwise.weight", (wide, 1, first)), (p + "conv_qk_depthwise.bias", (wide,)),
        (p + "conv_qk_grouped.weight", (wide, d, second)), (p + "conv_qk_grouped.bias", (wide,)),
        ("self_attn.qk_norm.temp", (kv,)),
    )  # fmt: skip
    return Extra("cca", "convolved queries and keys", tensors, "attention")


def router_tensors(r: Reading, index: int) -> Extra:
    """Down, norm, two layers; from the second layer on the router also sees its own last state."""
    n, h, p = r.facts.need("router_hidden_size", 256), r.hidden_size, "mlp.gate."
    tensors = ((p + "router_states_scale", (n,)),) if index else ()
    tensors += ((p + "down_proj.weight", (n, h)), (p + "down_proj.bias", (n,)), (p + "router_mlp.norm.weight", (n,)))
    for name in ("fc1", "fc2"):
        tensors += ((f"{p}router_mlp.{name}.weight", (n, n)), (f"{p}router_mlp.{name}.bias", (n,)))
    return Extra("router", "router network", tensors, "router")


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """Attention, router and the scales of the two residual additions."""
    names = ("hidden_states_scale", "hidden_states_bias", "residual_scale", "residual_bias")
    scales = tuple(
        (f"post_{half}_residual_scale.{name}", (r.hidden_size,)) for half in ("attention", "mlp") for name in names
    )
    return (attention_tensors(r), router_tensors(r, index), Extra("residual_scale", "scaled residual", scales))


def model_extras(r: Reading) -> tuple[Extra, ...]:
    """The embedding is scaled and shifted too."""
    names = ("model.input_hidden_states_scale", "model.input_hidden_states_bias")
    return (Extra("residual_scale", "scaled embedding", tuple((name, (r.hidden_size,)) for name in names), "residual"),)


def mlp(r: Reading, index: int, word: str) -> object:
    """One more choice of the router is to do nothing."""
    return moe(r, index, zero_expert_num=1, router_size=r.facts.need("router_hidden_size", 256))


FAMILY = Family(
    source="transformers 5.23.0, models/zaya",
    defaults={"tie_word_embeddings": True},
    every_layer="hybrid",
    scale=not_known,
    mixers={"hybrid": cca, "full": cca},
    extras=extras,
    model_extras=model_extras,
    mlp=mlp,
    router_buffer="mlp.gate.balancing_biases",
    names=(("mlp.gate.weight", "mlp.gate.router_mlp.out_proj.weight"),),
)
