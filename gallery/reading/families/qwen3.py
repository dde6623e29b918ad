"""Qwen3: every head of q and k is normalised."""

from gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/qwen3", qk_norm="head", zoo="qwen3_vl")
