"""Helium: Llama's layer."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/helium",
    o_bias=False,
)
