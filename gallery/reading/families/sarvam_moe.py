"""Sarvam 30B: Ling 2.0's experts, all of each head rotated, a base of eight million."""

from dataclasses import replace

from cutaway.gallery.reading.families.bailing_moe_v2 import FAMILY as LING

FAMILY = replace(
    LING,
    source="vllm-project/vllm, models/sarvam.py; total checked against the published one",
    defaults={"rope_theta": 8_000_000.0, "routed_scaling_factor": 2.5},
)
