"""Ling 2.0 and sarvam: fused qkv, QK-norm per head, experts with a trained router bias; sarvam-105b has MLA."""

from gallery.reading.family import Family

NAMES = (
    ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "attention.query_key_value"),
    ("self_attn.o_proj", "attention.dense"),
    ("self_attn.q_norm", "attention.query_layernorm"),
    ("self_attn.k_norm", "attention.key_layernorm"),
    ("self_attn", "attention"),
    ("model.embed_tokens", "model.word_embeddings"),
)
FAMILY = Family(
    source="inclusionAI/Ling-flash-2.0, modeling_bailing_moe_v2.py; totals checked against the published ones",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.expert_bias",
    router_trained=True,
    names=NAMES,
)
