"""Qwen3-MoE, also Hy3: Qwen3's attention; intermediate_size is for layers that stay dense."""

from gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/qwen3_moe", qk_norm="head", zoo="qwen3_vl")
