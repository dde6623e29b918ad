"""Laguna: query heads that differ layer by layer, one gate per head, a router with a trained bias, a shared expert."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/laguna",
    qk_norm="head",
    gate="headwise",
    gate_act="softplus",
    scoring="sigmoid",
    norm_topk=True,
    router_buffer="mlp.gate.e_score_correction_bias",
    router_trained=True,
    names=(
        ("mlp.gate.e_score_correction_bias", "mlp.experts.e_score_correction_bias"),
        ("mlp.shared_experts", "mlp.shared_expert"),
        ("self_attn.gate_proj", "self_attn.g_proj"),
    ),
    state_names=(
        ("mlp.experts.e_score_correction_bias", "mlp.gate.e_score_correction_bias"),
        ("mlp.shared_expert", "mlp.shared_experts"),
    ),
)
