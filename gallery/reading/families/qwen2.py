"""Qwen2 and Qwen2.5: biases on q, k and v that no key mentions."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/qwen2",
    windowed=True,
    qkv_bias=True,
    o_bias=False,
    nested="model",
    zoo="qwen2_vl",
)
