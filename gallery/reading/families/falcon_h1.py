"""Falcon-H1: every layer runs attention and Mamba-2 side by side."""

from dataclasses import replace

from gallery.reading.attention import Reading, attention
from gallery.reading.families.bamba import HYBRID_NAMES
from gallery.reading.family import Family
from gallery.reading.recurrent import mamba2
from gallery.spec import Combined


def both(r: Reading, index: int) -> Combined:
    """One input, two mixers, one sum."""
    facts = r.facts
    norm = facts.flag("mamba_rms_norm")
    ssm = replace(mamba2(r, index), gated_norm=norm)
    return Combined((attention(r, index), ssm), "parallel")


FAMILY = Family(
    source="transformers 5.23.0, models/falcon_h1",
    final_norm="final_layernorm",
    every_layer="hybrid",
    words=lambda facts, depth: ["hybrid"] * depth,
    mixers={"hybrid": both},
    names=HYBRID_NAMES,
)
