"""GLM-4.5 to 4.7: DeepSeek's experts, biases on q, k and v, QK-norm where a key says so, one MTP layer."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3

FAMILY = replace(
    V3, source="transformers 5.23.0, models/glm4_moe", o_bias=False, scale=None, nested="model.language_model", zoo=""
)
