"""Mellum: Qwen3's attention around experts."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/mellum",
    windowed=True,
    defaults={"norm_topk_prob": True, "rope_theta": 500_000.0, "local_rope_theta": 10_000.0},
    qk_norm="head",
    every_layer="full",
)
