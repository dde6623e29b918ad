"""Phi-3 and Phi-4: Llama's layer with fused qkv and fused gate and up; a window covers every layer."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/phi3",
    windowed=True,
    defaults={"original_max_position_embeddings": 4_096},
    length_beside=True,
    qkv_bias=False,
    o_bias=False,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attn.qkv_proj"),
        ("mlp.gate_proj + mlp.up_proj", "mlp.gate_up_proj"),
    ),
    zoo="clip",
)
