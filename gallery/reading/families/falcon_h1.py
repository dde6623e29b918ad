"""Falcon-H1: every layer runs attention and Mamba-2 side by side."""

from gallery.reading.attention import Reading, attention
from gallery.reading.families.bamba import HYBRID_NAMES
from gallery.reading.family import Family
from gallery.reading.recurrent import mamba2
from gallery.spec import Combined


def both(r: Reading, index: int) -> Combined:
    """One input, two mixers, one sum."""
    facts = r.facts
    norm = facts.flag("mamba_rms_norm")
    ssm = mamba2(r, index)
    return Combined((attention(r, index), type(ssm)(**{**fields(ssm), "gated_norm": norm})), "parallel")


def fields(record: object) -> dict:
    """The fields of a frozen record."""
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


FAMILY = Family(
    source="transformers 5.23.0, models/falcon_h1",
    final_norm="final_layernorm",
    every_layer="hybrid",
    words=lambda facts, depth: ["hybrid"] * depth,
    mixers={"hybrid": both},
    names=HYBRID_NAMES,
)
