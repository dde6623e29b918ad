"""Qwen2-MoE: biases on q, k and v, and a shared expert behind a one-row gate; windows, if on, in every other layer."""

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family


def words(facts: Facts, depth: int) -> list[str]:
    """Every other layer below max_window_layers has the window that use_sliding_window switches on."""
    below = facts.integer("max_window_layers", 28) or 0
    on = facts.flag("use_sliding_window")
    return ["sliding" if on and index % 2 == 0 and index < below else "full" for index in range(depth)]


FAMILY = Family(
    source="transformers 5.23.0, models/qwen2_moe",
    windowed=True,
    defaults={"attention_bias": True},
    o_bias=False,
    words=words,
    shared_gate=True,
    names=(("mlp.shared_experts", "mlp.shared_expert"),),
)
