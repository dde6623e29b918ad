"""Granite MoE, shared and hybrid: Mamba-2 or attention, experts stored stacked, a shared MLP that stands alone where
there are no experts."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, moe
from cutaway.gallery.reading.scales import granite_scale
from cutaway.gallery.spec import Dense


def mlp(r: Reading, index: int, word: str) -> object:
    """Experts of intermediate_size; without experts the shared MLP is the dense one."""
    facts = r.facts
    shared = facts.integer("shared_expert_intermediate_size") or 0
    if not facts.integer("num_experts"):
        facts.settle("num_experts_per_tok")
        return Dense(shared or facts.width_at("intermediate_size", index), True, activation(r))
    return moe(r, index, n_shared_experts=1 if shared else 0, shared_expert_intermediate_size=shared)


EXPERT = "mlp.experts.{expert}."
NAMES = (  # hybrids call their MLP shared_mlp; gate and up are one matrix
    ("mlp.shared_experts.gate_proj + mlp.shared_experts.up_proj", "shared_mlp.input_linear"),
    ("mlp.shared_experts.down_proj", "shared_mlp.output_linear"),
    ("mlp.gate_proj + mlp.up_proj", "shared_mlp.input_linear"),
    ("mlp.down_proj", "shared_mlp.output_linear"),
    ("mlp.gate", "block_sparse_moe.router.layer"),
    (f"{EXPERT}gate_proj.weight + {EXPERT}up_proj.weight", "block_sparse_moe.input_linear.weight"),
    (f"{EXPERT}down_proj.weight", "block_sparse_moe.output_linear.weight"),
)
STATE_NAMES = (
    ("block_sparse_moe.router.layer", "block_sparse_moe.router"),
    ("block_sparse_moe.input_linear.weight", "block_sparse_moe.experts.gate_up_proj"),
    ("block_sparse_moe.output_linear.weight", "block_sparse_moe.experts.down_proj"),
)
FAMILY = Family(
    source="transformers 5.23.0, models/granitemoehybrid",
    scale=granite_scale,
    mlp=mlp,
    topk_first=True,
    names=NAMES,
    state_names=STATE_NAMES,
)
