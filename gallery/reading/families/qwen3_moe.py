"""Qwen3-MoE: Qwen3's attention; intermediate_size is for layers that stay dense; a window, if on, in every layer."""

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family


def words(facts: Facts, depth: int) -> list[str]:
    """use_sliding_window switches the window on for all layers alike."""
    return ["sliding" if facts.flag("use_sliding_window") else "full"] * depth


FAMILY = Family(
    source="transformers 5.23.0, models/qwen3_moe",
    windowed=True,
    qk_norm="head",
    words=words,
    zoo="qwen3_vl",
    windowless=("qwen3_omni_moe", "qwen3_omni_moe_thinker", "qwen3_omni_moe_text"),
)
