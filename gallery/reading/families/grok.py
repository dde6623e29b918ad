"""Grok-1 and Grok-2 (whose model_type is "git"): norms around each half; Grok-2 runs a dense MLP beside its experts."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.reading.mlps import activation, dense_width, moe
from gallery.reading.scales import not_known
from gallery.spec import Combined, Dense


def mlp(r: Reading, index: int, word: str) -> object:
    """residual_moe: experts beside a dense MLP of intermediate_size."""
    if word != "moe":
        return Dense(dense_width(r, index), True, activation(r))
    experts = moe(r, index)
    if not r.facts.flag("residual_moe"):
        return experts
    return Combined((Dense(r.facts.width_at("intermediate_size", index), True, activation(r)), experts), "parallel")


FAMILY = Family(
    source="sglang, models/grok.py; hand formula of the oracle",
    defaults={"hidden_act": "gelu"},
    norms="sandwich",
    scale=not_known,
    mlp=mlp,
    names=(
        ("residual_mlp", "mlp"),
        ("mlp.gate", "block_sparse_moe.gate"),
        ("mlp.experts.{expert}.gate_proj", "block_sparse_moe.experts.{expert}.w1"),
        ("mlp.experts.{expert}.down_proj", "block_sparse_moe.experts.{expert}.w2"),
        ("mlp.experts.{expert}.up_proj", "block_sparse_moe.experts.{expert}.w3"),
        ("input_layernorm", "pre_attn_norm"),
        ("post_attention_layernorm", "post_attn_norm"),
        ("pre_feedforward_layernorm", "pre_moe_norm"),
        ("post_feedforward_layernorm", "post_moe_norm"),
    ),
)
