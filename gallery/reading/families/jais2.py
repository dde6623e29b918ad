"""Jais 2: LayerNorm with biases, relu2 without a gate, biases where keys say so."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/jais2",
    defaults={"hidden_act": "relu2", "attention_bias": True, "mlp_bias": True},
    norm="LayerNorm",
    norm_bias=True,
    gated=False,
)
