"""Step 3.5: windowed layers with more heads, one gate per head, a router with a trained bias, three MTP layers."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import mixer_words
from cutaway.gallery.reading.mlps import dense, mlp_bias, moe
from cutaway.gallery.spec import Extra, Layer


def mlp(r: Reading, index: int, word: str) -> object:
    """Clamped where lists say so, the gate after its activation."""
    own, shared = limit(r, "swiglu_limits", index), limit(r, "swiglu_limits_shared", index)
    if word != "moe":
        return replace(dense(r, index), limit=shared, limit_after=True)
    return moe(r, index, shared_bias=mlp_bias(r), limit=own, shared_limit=shared, limit_after=True)


def limit(r: Reading, name: str, index: int) -> float:
    """One layer's clamp; 0 = none."""
    values = r.facts.numbers(name) or ()
    return values[index] if index < len(values) else 0.0


OF_LAYERS = ("rope_theta", "partial_rotary_factors")


def prepare(r: Reading) -> None:
    """transformers' class gives all layers of one word the base and the share of the first of them."""
    words = mixer_words(r.facts, r.depth) or ["full"] * r.depth
    for name in OF_LAYERS:
        values = r.facts.raw(name)
        if not isinstance(values, list) or len(values) < r.depth:
            continue
        firsts = [values[words.index(word)] for word in words]
        if firsts != values[: r.depth]:
            word = r.facts.word_for(name)
            r.contradict(name, f"transformers' class reads {word} for the first layer of a kind; all are drawn.")
            if r.as_class:
                r.facts.overrule(name, firsts)


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """Dense windowed layers with a norm and a head of their own; the file stores no second embedding."""
    count, h = r.mtp_layers, r.hidden_size
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
    windowed=True,
    defaults={"norm_eps": 1e-5, "head_dim": 128, "shared_expert_intermediate_size": 1280, "first_k_dense_replace": 3,
              "num_experts_per_tok": 8},
    unread={"hidden_act": "silu"},
    every_layer="full",
    qk_norm="head",
    gate="headwise",
    prepare=prepare,
    mlp=mlp,
    mtp=mtp,
    norm_plus_one=True,
    scoring="sigmoid",
    norm_topk=True,
    router_buffer="mlp.gate.router_bias",
    router_trained=True,
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
)  # fmt: skip
