"""Qwen2-MoE: biases on q, k and v, and a shared expert behind a one-row gate."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/qwen2_moe",
    qkv_bias=True,
    o_bias=False,
    shared_gate=True,
    names=(("mlp.shared_experts", "mlp.shared_expert"),),
)
