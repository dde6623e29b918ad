"""Mistral Small 4: DeepSeek-V3's layer, queries that grow with their position, a softmax router without a bias."""

from gallery.reading.family import Family
from gallery.reading.scales import yarn

FAMILY = Family(
    source="transformers 5.23.0, models/mistral4",
    mlp_bias=False,
    scale=yarn,
    group_score="top2",
    group_masked=0.0,
    norm_topk_eps=1e-20,
    nested="language_model.model",
)
