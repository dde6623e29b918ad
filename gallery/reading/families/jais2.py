"""Jais 2: LayerNorm with biases, relu2 without a gate, biases where keys say so."""

from gallery.reading.family import Family
from gallery.reading.scales import not_known

FAMILY = Family(
    source="transformers 5.23.0, models/jais2",
    defaults={"hidden_act": "relu2", "attention_bias": True, "mlp_bias": True},
    norm="LayerNorm",
    scale=not_known,
    norm_bias=True,
    gated=False,
)
