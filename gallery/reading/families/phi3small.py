"""Phi-3-small: fused projections with biases, gegelu, LayerNorm, every other layer block-sparse."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import Dense, dense_width
from cutaway.gallery.reading.scales import by_width


def sparse(r: Reading, index: int) -> object:
    """Block-sparse layers hold the same matrices; each head sees its local blocks and every stride-th one."""
    for name in ("blocksparse_block_size", "blocksparse_num_local_blocks", "blocksparse_vert_stride"):
        r.facts.settle(name)
    sentence = "Block-sparse heads are drawn as full attention: their pattern changes no weight."
    if sentence not in r.not_understood:
        r.not_understood.append(sentence)
    return attention(r, index)


def mlp(r: Reading, index: int, word: str) -> Dense:
    """Always gated, always with biases; gegelu is (up + 1) · gate · σ(1.702 gate), both clamped, as gpt-oss took it."""
    limit = r.facts.number("swiglu_limit") or 0.0
    return Dense(dense_width(r, index), True, "gegelu", True, limit=limit, glu="swigluoai", alpha=1.702)


FAMILY = Family(
    source="microsoft/Phi-3-small-8k-instruct, modeling_phi3_small.py",
    defaults={"tie_word_embeddings": True},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="final_layernorm",
    qkv_bias=True,
    o_bias=True,
    scale=by_width,
    mixers={"sparse": sparse},
    mlp=mlp,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "self_attn.query_key_value"),
        ("self_attn.o_proj", "self_attn.dense"),
        ("mlp.gate_proj + mlp.up_proj", "mlp.up_proj"),
    ),
)
