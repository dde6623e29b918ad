"""MiniMax-M3: block-sparse attention chosen by an indexer, QK-norm per head, experts with a shared one."""

from dataclasses import replace

from gallery.reading.families.minimax_m2 import FAMILY as M2
from gallery.reading.families.mixtral import MIXTRAL_NAMES

FAMILY = replace(
    M2,
    source="transformers 5.23.0, models/minimax_m3_vl",
    qk_norm="head",
    names=(*MIXTRAL_NAMES, ("mlp.shared_experts", "block_sparse_moe.shared_experts")),
    nested="language_model.model",
    zoo="minimax_m3",
)
