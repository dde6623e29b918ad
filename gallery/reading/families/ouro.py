"""Ouro: the same layers several times over, norms around each half, and a gate that decides when to stop."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra


def gate(r: Reading) -> tuple[Extra, ...]:
    """One number per token."""
    tensors = (("model.early_exit_gate.weight", (1, r.hidden_size)), ("model.early_exit_gate.bias", (1,)))
    return (Extra("early_exit", "gate that ends the loop", tensors, "other"),)


FAMILY = Family(
    source="ByteDance/Ouro-1.4B, modeling_ouro.py; total checked against the published one",
    norms="sandwich",
    model_extras=gate,
    names=(
        ("post_attention_layernorm", "input_layernorm_2"),
        ("pre_feedforward_layernorm", "post_attention_layernorm"),
        ("post_feedforward_layernorm", "post_attention_layernorm_2"),
    ),
)
