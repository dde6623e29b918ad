"""Qwen3: every head of q and k is normalised. Qwen3-VL's class has its layer without the window."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/qwen3",
    windowed=True,
    qk_norm="head",
    zoo="qwen3_vl",
    windowless=("qwen3_vl", "qwen3_vl_text"),
)
