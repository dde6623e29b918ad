"""Ling 2.0: QK-norm per head, half of each head rotated, sigmoid scores and a trained bias that only chooses."""

from dataclasses import replace

from cutaway.gallery.reading.families.bailing_moe import FAMILY as LING

FAMILY = replace(
    LING,
    source="inclusionAI/Ling-flash-2.0, modeling_bailing_moe_v2.py, config.json; totals as published",
    defaults={"rope_theta": 600_000.0, "partial_rotary_factor": 0.5, "routed_scaling_factor": 2.5},
    scoring="sigmoid",
    norm_topk=True,
    group_score="top2",
    router_buffer="mlp.gate.expert_bias",
    router_trained=True,
)
