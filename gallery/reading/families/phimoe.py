"""Phi-3.5-MoE: Mixtral's experts, LayerNorm with biases, biases on attention and head where keys say so."""

from gallery.reading.families.mixtral import MIXTRAL_NAMES, STATE_NAMES
from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/phimoe",
    norm="LayerNorm",
    norm_bias=True,
    names=MIXTRAL_NAMES,
    state_names=STATE_NAMES,
)
