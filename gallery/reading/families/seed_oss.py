"""Seed-OSS: Llama's layer; attention_out_bias speaks for the output alone."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/seed_oss",
    defaults={"attention_bias": True},
    o_bias=False,
)
