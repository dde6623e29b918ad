"""Step 3.5: windowed layers with more heads, one gate per head, a router with a trained bias, three MTP layers."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra, Layer


def router_bias(r: Reading, index: int) -> tuple[Extra, ...]:
    """The selection bias is a parameter in this model's own code."""
    if r.mlp_words[index] != "moe" or not r.facts.flag("use_routing_bias"):
        return ()
    return (
        Extra(
            "router",
            "selection bias of the router",
            (("mlp.gate.router_bias", (r.facts.need("num_experts"),)),),
            "router",
        ),
    )


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """Dense windowed layers with a norm and a head of their own; the file stores no second embedding."""
    from gallery.reading.attention import attention
    from gallery.reading.mlps import dense

    count, h = min(r.facts.per_layer("num_nextn_predict_layers", 0, 0) or 0, 16), r.hidden_size
    mixer = next((layer.mixer for layer in layers if r.words[layer.index] == "sliding"), None) or attention(
        r, 0, "sliding"
    )
    made = tuple(Layer(r.depth + number, mixer, dense(r, 0), layers[0].norms) for number in range(count))
    parts = (("eh_proj.weight", (h, 2 * h)), ("enorm.weight", (h,)), ("hnorm.weight", (h,)),
             ("transformer.shared_head.norm.weight", (h,)),
             ("transformer.shared_head.output.weight", (r.facts.need("vocab_size"), h)))  # fmt: skip
    return made, tuple(Extra("mtp", "joins the stream with the next token's embedding", parts, "other") for _ in made)


FAMILY = Family(
    source="stepfun-ai/Step-3.5-Flash, modeling_step3p5.py; transformers 5.23.0, models/step3p7",
    qk_norm="head",
    gate="headwise",
    extras=router_bias,
    mtp=mtp,
    names=(
        ("mlp.gate.router_bias", "moe.router_bias"),
        ("mlp.gate", "moe.gate"),
        ("mlp.experts.{expert}.gate_proj", "moe.gate_proj"),
        ("mlp.experts.{expert}.up_proj", "moe.up_proj"),
        ("mlp.experts.{expert}.down_proj", "moe.down_proj"),
        ("mlp.shared_experts", "share_expert"),
    ),
    state_names=(
        ("moe.gate_proj.weight + moe.up_proj.weight", "mlp.experts.gate_up_proj"),
        ("moe.down_proj.weight", "mlp.experts.down_proj"),
        ("moe.gate", "mlp.gate"),
        ("moe.router_bias", "mlp.gate.e_score_correction_bias"),
        ("share_expert", "mlp.shared_experts"),
    ),
    zoo="step",
)
