"""Mixtral: intermediate_size is the width of one expert; the checkpoint says block_sparse_moe and w1, w3, w2."""

from cutaway.gallery.reading.family import Family

MIXTRAL_NAMES = (
    ("mlp.gate", "block_sparse_moe.gate"),
    ("mlp.experts.{expert}.gate_proj", "block_sparse_moe.experts.{expert}.w1"),
    ("mlp.experts.{expert}.down_proj", "block_sparse_moe.experts.{expert}.w2"),
    ("mlp.experts.{expert}.up_proj", "block_sparse_moe.experts.{expert}.w3"),
)
STATE_NAMES = (  # the modelling code says mlp, and keeps the experts stacked
    ("block_sparse_moe.gate", "mlp.gate"),
    ("block_sparse_moe.experts", "mlp.experts"),
    ("mlp.experts.{expert}.w1.weight + mlp.experts.{expert}.w3.weight", "mlp.experts.gate_up_proj"),
    ("mlp.experts.{expert}.w2.weight", "mlp.experts.down_proj"),
)
FAMILY = Family(
    source="transformers 5.23.0, models/mixtral",
    windowed=True,
    norm_topk=True,
    names=MIXTRAL_NAMES,
    state_names=STATE_NAMES,
)
