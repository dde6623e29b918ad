"""MiniMax-M3: block-sparse attention chosen by an indexer, QK-norm per head, experts with a shared one."""

from dataclasses import replace

from gallery.reading.families.minimax_m2 import FAMILY as M2
from gallery.reading.families.mixtral import MIXTRAL_NAMES

INDEXER = tuple(
    (f"self_attn.index_{word}", f"self_attn.indexer.{word}") for word in ("q_proj", "k_proj", "q_norm", "k_norm")
)
SHARED = (
    (
        "block_sparse_moe.shared_experts.gate_proj + block_sparse_moe.shared_experts.up_proj",
        "mlp.shared_experts.gate_up_proj",
    ),
    ("block_sparse_moe.shared_experts", "mlp.shared_experts"),
    ("mlp.gate_proj + mlp.up_proj", "mlp.gate_up_proj"),
)
FAMILY = replace(
    M2,
    source="transformers 5.23.0, models/minimax_m3_vl",
    qk_norm="head",
    names=(*MIXTRAL_NAMES, ("mlp.shared_experts", "block_sparse_moe.shared_experts")),
    state_names=(*INDEXER, *SHARED, *M2.state_names),
    nested="language_model.model",
    zoo="minimax_m3",
)
