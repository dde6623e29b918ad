"""Ouro: the same layers several times over, norms around each half, and a gate that decides when to stop."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Extra


def gate(r: Reading) -> tuple[Extra, ...]:
    """One number per token."""
    tensors = (("model.early_exit_gate.weight", (1, r.hidden_size)), ("model.early_exit_gate.bias", (1,)))
    return (Extra("early_exit", "gate that ends the loop", tensors, "other"),)


def finish(r: Reading, fields: dict) -> dict:
    """Each run ends with model.norm, and the next one begins from that."""
    return {**fields, "loop_norm": True}


FAMILY = Family(
    source="ByteDance/Ouro-1.4B, modeling_ouro.py; total checked against the published one",
    windowed=True,
    defaults={"rope_theta": 1_000_000.0},
    norms="sandwich",
    finish=finish,
    model_extras=gate,
    names=(
        ("post_attention_layernorm", "input_layernorm_2"),
        ("pre_feedforward_layernorm", "post_attention_layernorm"),
        ("post_feedforward_layernorm", "post_attention_layernorm_2"),
    ),
)
