"""Phi-1 and Phi-2: parallel halves behind one LayerNorm, biases everywhere, also on the head."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/phi",
    defaults={"partial_rotary_factor": 0.5, "hidden_act": "gelu_new", "lm_head_bias": True},
    norms="single",
    norm="LayerNorm",
    norm_bias=True,
    final_norm="final_layernorm",
    parallel=True,
    qk_norm_bias=True,
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    names=(
        ("self_attn.o_proj", "self_attn.dense"),
        ("self_attn.q_norm", "self_attn.q_layernorm"),
        ("self_attn.k_norm", "self_attn.k_layernorm"),
        ("mlp.up_proj", "mlp.fc1"),
        ("mlp.down_proj", "mlp.fc2"),
    ),
)
