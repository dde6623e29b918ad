"""Persimmon: LayerNorm and biases everywhere, a QK-norm with a bias, relu2 without a gate."""

from cutaway.gallery.reading.attention import Reading, attention, rotary_of, width_per_head
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Attention

NAMES = (
    ("self_attn.o_proj", "self_attn.dense"),
    ("self_attn.q_norm", "self_attn.q_layernorm"),
    ("self_attn.k_norm", "self_attn.k_layernorm"),
    ("mlp.up_proj", "mlp.dense_h_to_4h"),
    ("mlp.down_proj", "mlp.dense_4h_to_h"),
)


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """Query, key and value alternate, head by head."""
    fused = "self_attn.q_proj + self_attn.k_proj + self_attn.v_proj"
    return ((fused, f"I{r.facts.need('num_attention_heads')} self_attn.query_key_value"), *NAMES)


def full(r: Reading, index: int) -> Attention:
    """A head of keys and values for each query head, hidden_size / heads wide: the class reads no other key."""
    heads = r.facts.need("num_attention_heads")
    d = width_per_head(r, heads)
    rotary = rotary_of(r, d, index, "full_attention")[0]
    r.facts.settle("num_key_value_heads", "head_dim")
    return attention(r, index, num_key_value_heads=heads, head_dim=d, v_head_dim=d, rotary_dim=rotary)


FAMILY = Family(
    source="transformers 5.23.0, models/persimmon",
    defaults={"hidden_act": "relu2", "partial_rotary_factor": 0.5},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="final_layernorm",
    qk_norm="head",
    qk_norm_bias=True,
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    mixers={"full": full},
    names=names,
)
