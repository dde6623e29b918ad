"""A.X K1: DeepSeek-V3's layer with one more norm after the experts."""

from dataclasses import replace

from gallery.reading.attention import Reading
from gallery.reading.families.deepseek_v3 import FAMILY as V3
from gallery.spec import Extra


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """Only where there are experts."""
    if r.mlp_words[index] != "moe":
        return ()
    tensors = (("post_mlp_layernorm.weight", (r.hidden_size,)),)
    return (Extra("post_norm", "norm after the experts", tensors, "norm"),)


FAMILY = replace(V3, source="transformers 5.23.0, models/axk1", extras=extras)
