"""Arcee AFM: relu2 without a gate."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/arcee",
    defaults={"hidden_act": "relu2"},
    gated=False,
)
