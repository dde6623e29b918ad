"""ERNIE 4.5, dense and MoE: use_bias for everything, a router whose correction bias is a parameter."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense, mlp_bias, moe
from cutaway.gallery.spec import Extra, Layer


def mlp(r: Reading, index: int, word: str) -> object:
    """moe_statics is stored as a matrix of one row."""
    return moe(r, index, selection_bias_row=True, shared_bias=mlp_bias(r)) if word == "moe" else dense(r, index)


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """Dense layers with a projection and two norms (published total)."""
    count, h = r.mtp_layers, r.hidden_size
    made = tuple(Layer(r.depth + i, layers[0].mixer, dense(r, 0), layers[0].norms) for i in range(count))
    parts = (("mtp_linear_proj.weight", (h, 2 * h)), ("mtp_emb_norm.weight", (h,)), ("mtp_hidden_norm.weight", (h,)))
    return made, tuple(Extra("mtp", "joins the stream with the next token's embedding", parts, "other") for _ in made)


def finish(r: Reading, fields: dict) -> dict:
    """use_bias reaches the head as well in the class with experts, though all its layers may be dense."""
    moe = r.facts.integer("num_experts") or r.facts.text.get("model_type") == "ernie4_5_moe"
    return {**fields, "head_bias": r.facts.flag("use_bias") and bool(moe)}


FAMILY = Family(
    source="transformers 5.23.0, models/ernie4_5, models/ernie4_5_moe",
    defaults={"tie_word_embeddings": True, "norm_eps": 1e-5, "rope_theta": 500_000.0},
    rope_interleaved=True,
    mlp=mlp,
    finish=finish,
    mtp=mtp,
    norm_topk=True,
    router_buffer="mlp.moe_statics.e_score_correction_bias",
    router_trained=True,
    state_names=(("mlp.moe_statics", "mlp.gate.moe_statics"),),
)
