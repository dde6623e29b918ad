"""Bamba: Mamba-2 layers with a few of attention; the MLP is called feed_forward."""

from cutaway.gallery.reading.family import Family

HYBRID_NAMES = (("post_attention_layernorm", "pre_ff_layernorm"), ("mlp", "feed_forward"))
FAMILY = Family(
    source="transformers 5.23.0, models/bamba",
    final_norm="final_layernorm",
    every_layer="mamba",
    defaults={"norm_eps": 1e-5, "partial_rotary_factor": 0.5},
    names=HYBRID_NAMES,
)
