"""Laguna: query heads that differ layer by layer, one gate per head, a router with a trained bias, a shared expert."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.reading.scales import not_known
from gallery.spec import Extra


def router_bias(r: Reading, index: int) -> tuple[Extra, ...]:
    """The selection bias is a parameter here."""
    if r.mlp_words[index] != "moe":
        return ()
    tensors = (("mlp.gate.e_score_correction_bias", (r.facts.need("num_experts"),)),)
    return (Extra("router", "selection bias of the router", tensors, "router"),)


FAMILY = Family(
    source="transformers 5.23.0, models/laguna",
    qk_norm="head",
    scale=not_known,
    gate="headwise",
    extras=router_bias,
    names=(
        ("mlp.gate.e_score_correction_bias", "mlp.experts.e_score_correction_bias"),
        ("mlp.shared_experts", "mlp.shared_expert"),
    ),
    state_names=(
        ("mlp.experts.e_score_correction_bias", "mlp.gate.e_score_correction_bias"),
        ("mlp.shared_expert", "mlp.shared_experts"),
    ),
)
