"""dots.llm1: Qwen3's attention, DeepSeek's experts."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/dots1",
    qk_norm="head",
    mlp_bias=False,
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
)
