"""Mixtral: intermediate_size is the width of one expert; the checkpoint says block_sparse_moe and w1, w3, w2."""

from gallery.reading.family import Family

MIXTRAL_NAMES = (
    ("mlp.gate", "block_sparse_moe.gate"),
    ("mlp.experts.{expert}.gate_proj", "block_sparse_moe.experts.{expert}.w1"),
    ("mlp.experts.{expert}.down_proj", "block_sparse_moe.experts.{expert}.w2"),
    ("mlp.experts.{expert}.up_proj", "block_sparse_moe.experts.{expert}.w3"),
)
FAMILY = Family(source="transformers 5.23.0, models/mixtral", names=MIXTRAL_NAMES)
