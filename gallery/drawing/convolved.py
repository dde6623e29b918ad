"""Attention on convolved queries and keys, in words."""

from __future__ import annotations

from gallery.drawing.attention import attention_name, attention_role
from gallery.drawing.inside import drawn
from gallery.drawing.parts import Inside, Parts, per_layer
from gallery.spec import ConvolvedAttention


def convolved(parts: Parts) -> Inside:
    """q and k through both convolutions; half of each value one token late."""
    m: ConvolvedAttention = parts.m
    sight = m.first_kernel + m.second_kernel - 1
    says = f"{per_layer(parts)} · queries and keys are convolved over the last {sight} tokens"
    return drawn(parts, attention_role(m), f"{attention_name(m)}, convolved", says)
