"""Ling 1 and what Ling's layers are called: fused qkv, experts chosen after a softmax, without a bias."""

from cutaway.gallery.reading.family import Family

NAMES = (
    ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "attention.query_key_value"),
    ("self_attn.o_proj", "attention.dense"),
    ("self_attn.q_norm", "attention.query_layernorm"),
    ("self_attn.k_norm", "attention.key_layernorm"),
    ("self_attn", "attention"),
    ("model.embed_tokens", "model.word_embeddings"),
)
FAMILY = Family(
    source="inclusionAI/Ling-lite-1.5, modeling_bailing_moe.py; recalled",
    norm_topk_eps=1e-20,
    names=NAMES,
)
