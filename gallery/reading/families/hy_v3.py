"""Hy3: Qwen3's attention, DeepSeek's experts behind a router with a correction buffer, one MTP layer."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v2 import mlp
from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3

FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/hy_v3; MTP measured against the published total",
    defaults={"mtp_stores_embeddings": False, "num_nextn_predict_layers": 1, "first_k_dense_replace": 1},
    scale=None,
    mlp_bias=None,
    mlp=mlp,
    norm_topk=True,
    qk_norm="head",
    names=(("mlp.gate", "mlp.router.gate"), ("mlp.shared_experts", "mlp.shared_mlp")),
    router_buffer="mlp.expert_bias",
    state_names=(
        ("mlp.router.gate", "mlp.gate"),
        ("mlp.shared_mlp", "mlp.shared_experts"),
        ("mlp.expert_bias", "mlp.e_score_correction_bias"),
    ),
)
