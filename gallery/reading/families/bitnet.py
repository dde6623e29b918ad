"""BitNet b1.58: relu2 with a gate, and a norm in front of each output matrix."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """One norm on what the heads return, one inside the MLP."""
    width = r.facts.need_width("intermediate_size")
    tensors = (("self_attn.attn_sub_norm.weight", (r.hidden_size,)), ("mlp.ffn_sub_norm.weight", (width,)))
    return (Extra("sub_norm", "norms in front of the output matrices", tensors, "norm"),)


FAMILY = Family(source="transformers 5.23.0, models/bitnet", defaults={"hidden_act": "relu2"}, extras=extras)
