"""MiniMax-M3: block-sparse attention chosen by an indexer, QK-norm per head, experts with a shared one."""

from dataclasses import replace
from typing import Any

from cutaway.gallery.reading.families.minimax_m2 import FAMILY as M2
from cutaway.gallery.reading.families.minimax_m2 import prepare as prepare_m2
from cutaway.gallery.reading.families.mixtral import MIXTRAL_NAMES
from cutaway.gallery.reading.mlps import dense, moe
from cutaway.gallery.reading.reading import Reading

INDEXER = tuple(
    (f"self_attn.index_{word}", f"self_attn.indexer.{word}") for word in ("q_proj", "k_proj", "q_norm", "k_norm")
)
BIAS = ("block_sparse_moe.e_score_correction_bias", "mlp.gate.e_score_correction_bias")
SHARED = (
    (
        "block_sparse_moe.shared_experts.gate_proj + block_sparse_moe.shared_experts.up_proj",
        "mlp.shared_experts.gate_up_proj",
    ),
    ("block_sparse_moe.shared_experts", "mlp.shared_experts"),
    ("mlp.gate_proj + mlp.up_proj", "mlp.gate_up_proj"),
)


def mlp(r: Reading, index: int, word: str) -> object:
    """(up + 1) · gate · σ(alpha · gate), both clamped, in experts and dense MLPs alike."""
    how: dict[str, Any] = {"glu": "swigluoai", "alpha": r.facts.number("swiglu_alpha", 1.702) or 1.0,
           "limit": r.facts.number("swiglu_limit", 7.0) or 0.0}  # fmt: skip
    return replace(dense(r, index), **how) if word == "dense" else moe(r, index, **how)


def prepare(r: Reading) -> None:
    """The class goes by partial_rotary_factor, engines by rotary_dim: published files have both, and they agree."""
    facts = r.facts
    share = facts.number("partial_rotary_factor", 1.0)
    said, own = facts.integer("rotary_dim"), int(facts.need("head_dim", 128) * (1.0 if share is None else share))
    if said and said != own:
        rotates = f"transformers' class rotates {own} dimensions of a head regardless of rotary_dim"
        r.contradict("rotary_dim", f"{rotates}; the drawing has {said}.")
    if r.as_class:
        facts.overrule("rotary_dim", None)
    prepare_m2(r)


FAMILY = replace(
    M2,
    source="transformers 5.23.0, models/minimax_m3_vl",
    acts={"silu": "swigluoai"},
    norm_plus_one=True,
    qk_norm="head",
    prepare=prepare,
    unread={"use_routing_bias": True, "use_qk_norm": True, "qk_norm_type": "per_head", "attn_output_gate": False},
    mlp=mlp,
    names=(*MIXTRAL_NAMES, ("mlp.shared_experts", "block_sparse_moe.shared_experts")),
    state_names=(BIAS, *INDEXER, *SHARED, *M2.state_names),
    nested="language_model.model",
    zoo="minimax_m3",
)
