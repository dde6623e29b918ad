"""Mellum: Qwen3's attention around experts."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/mellum",
    qk_norm="head",
)
