"""InternLM2: Llama's layer under other names, q, k and v fused."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading

NAMES = (
    ("self_attn.o_proj", "attention.wo"),
    ("mlp.gate_proj", "feed_forward.w1"),
    ("mlp.up_proj", "feed_forward.w3"),
    ("mlp.down_proj", "feed_forward.w2"),
    ("input_layernorm", "attention_norm"),
    ("post_attention_layernorm", "ffn_norm"),
    ("model.embed_tokens", "model.tok_embeddings"),
    ("lm_head", "output"),
)


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """Each KV head's queries stand in front of its key and its value."""
    groups = r.facts.integer("num_key_value_heads") or r.facts.need("num_attention_heads")
    fused = "self_attn.q_proj + self_attn.k_proj + self_attn.v_proj"
    return ((fused, f"I{groups} attention.wqkv"), *NAMES)


FAMILY = Family(
    source="internlm/internlm2_5-7b, modeling_internlm2.py",
    names=names,
)
