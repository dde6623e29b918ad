"""dots.llm1: Qwen3's attention, DeepSeek's experts."""

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family


def words(facts: Facts, depth: int) -> list[str]:
    """A window from max_window_layers on."""
    start = facts.integer("max_window_layers", 62) or 0
    return ["sliding" if index >= start else "full" for index in range(depth)]


FAMILY = Family(
    source="transformers 5.23.0, models/dots1",
    windowed=True,
    words=words,
    qk_norm="head",
    mlp_bias=False,
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
)
