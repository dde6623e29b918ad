"""Sarvam 105B: Ling 2.0's experts behind DeepSeek's latent attention."""

from dataclasses import replace

from gallery.reading.families.bailing_moe_v2 import FAMILY as LING

FAMILY = replace(
    LING,
    source="vllm-project/vllm, models/sarvam.py, SarvamMLAMoE; total checked against the published one",
    defaults={"routed_scaling_factor": 2.5},
)
