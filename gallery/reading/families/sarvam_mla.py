"""Sarvam 105B: Ling 2.0's experts behind DeepSeek's latent attention."""

from dataclasses import replace

from cutaway.gallery.reading.families.bailing_moe_v2 import FAMILY as LING
from cutaway.gallery.reading.scales import yarn

STRETCHED = {  # vllm-project/vllm, transformers_utils/configs, SarvamMLAConfig: where the file has no rope_scaling
    "rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1,
    "mscale": 1.0, "mscale_all_dim": 1.0,
}  # fmt: skip

FAMILY = replace(
    LING,
    source="vllm-project/vllm, models/sarvam.py, SarvamMLAMoE; total checked against the published one",
    defaults={"routed_scaling_factor": 2.5, "rope_parameters": STRETCHED},
    scale=yarn,
)
