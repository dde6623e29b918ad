"""Attention that reads its keys through convolutions, in words: CCA, learned biases by distance."""

from __future__ import annotations

from cutaway.gallery.drawing.attention import attention_name, attention_role
from cutaway.gallery.drawing.band import Band
from cutaway.gallery.drawing.inside import drawn
from cutaway.gallery.drawing.parts import Inside, Parts, per_layer
from cutaway.gallery.spec import ConvolvedAttention, RelativeAttention


def convolved(parts: Parts) -> Inside:
    """q and k through both convolutions; half of each value one token late."""
    m: ConvolvedAttention = parts.m
    sight = m.first_kernel + m.second_kernel - 1
    says = f"{per_layer(parts)} · queries and keys are convolved over the last {sight} tokens"
    return drawn(parts, attention_role(m), f"{attention_name(m)}, convolved", says)


def relative(parts: Parts) -> Inside:
    """Keys and values through short convolutions; a bias of the token's own for every distance."""
    m: RelativeAttention = parts.m
    says = f"{per_layer(parts)} · no rotation: {m.d_rel} profiles over {m.rel_extent:,} distances, mixed by each token"
    return drawn(
        parts, attention_role(m), f"{attention_name(m)}, positions as a bias", says, Band.of(m, attention_role(m))
    )
