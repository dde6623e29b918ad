"""Aria: Llama's attention around experts of intermediate_size; the largest router logits are chosen, then scored."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import mlp_bias, silu_moe
from cutaway.gallery.reading.reading import Reading


def mlp(r: Reading, index: int, word: str) -> object:
    """mlp_bias and hidden_act are for the shared experts alone."""
    return silu_moe(r, index, shared_bias=mlp_bias(r))


EXPERT = "mlp.experts.{expert}"
FAMILY = Family(
    source="transformers 5.23.0, models/aria and its conversion_mapping",
    mlp=mlp,
    topk_first=True,
    names=(
        ("mlp.gate", "mlp.router"),
        (f"{EXPERT}.gate_proj.weight + {EXPERT}.up_proj.weight", "T mlp.experts.fc1.weight"),
        (f"{EXPERT}.down_proj.weight", "T mlp.experts.fc2.weight"),
    ),
    state_names=(
        ("mlp.experts.fc1.weight", "mlp.experts.gate_up_proj"),
        ("mlp.experts.fc2.weight", "mlp.experts.down_proj"),
    ),
    nested="language_model.model",
)
