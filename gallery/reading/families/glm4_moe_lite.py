"""GLM-4.7-Flash: DeepSeek-V3's layer; its one MTP layer is in the files but not in the config."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3

FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/glm4_moe_lite; MTP measured against the published total",
    defaults={"num_nextn_predict_layers": 1, "first_k_dense_replace": 1},
)
