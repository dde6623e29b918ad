"""Nemotron 4 and Minitron: LayerNorm with biases and weights minus one, relu2 without a gate, half a head rotated."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/nemotron",
    defaults={"hidden_act": "relu2", "partial_rotary_factor": 0.5},
    norm="LayerNorm",
    norm_bias=True,
    norm_plus_one=True,
    gated=False,
)
