"""Mistral Large 3: DeepSeek-V3's class with a softmax router, whose params.json says if YaRN scales scores."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3
from cutaway.gallery.reading.scales import yarn_if_applied

FAMILY = replace(
    V3,
    run_as={},  # no class of transformers reads its format
    source="vllm-project/vllm, transformers_utils/configs/mistral.py (what params.json means), "
    "models/mistral_large_3.py and models/deepseek_v2.py (mscale only where YaRN's scaling is applied)",
    scale=yarn_if_applied,
    rounded_scales=False,
)
