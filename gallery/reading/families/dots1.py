"""dots.llm1: Qwen3's attention, DeepSeek's experts."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/dots1",
    qk_norm="head",
    router_buffer="mlp.gate.e_score_correction_bias",
)
