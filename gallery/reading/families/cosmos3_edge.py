"""Cosmos 3 Edge: Llama's attention, relu2 without a gate."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/cosmos3_edge",
    defaults={"hidden_act": "relu2"},
    gated=False,
    names=(("mlp.up_proj", "mlp.fc1"), ("mlp.down_proj", "mlp.fc2")),
)
