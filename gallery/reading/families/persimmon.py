"""Persimmon: LayerNorm and biases everywhere, a QK-norm with a bias, relu2 without a gate."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/persimmon",
    defaults={"hidden_act": "relu2", "partial_rotary_factor": 0.5, "use_qk_norm": True},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="final_layernorm",
    qk_norm_bias=True,
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attn.query_key_value"),
        ("self_attn.o_proj", "self_attn.dense"),
        ("self_attn.q_norm", "self_attn.q_layernorm"),
        ("self_attn.k_norm", "self_attn.k_layernorm"),
        ("mlp.up_proj", "mlp.dense_h_to_4h"),
        ("mlp.down_proj", "mlp.dense_4h_to_h"),
    ),
)
