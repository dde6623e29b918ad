"""Helium: Llama's layer; pairs that rotate are neighbours."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/helium",
    o_bias=False,
    rope_interleaved=True,
)
