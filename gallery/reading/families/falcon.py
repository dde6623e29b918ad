"""Falcon: one fused projection, no gate, parallel halves; the second layout has two norms and real KV heads."""

from cutaway.gallery.reading.attention import Reading, attention, norm
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import Dense, activation, mlp_bias
from cutaway.gallery.spec import Norm


def mixer(r: Reading, index: int) -> object:
    """num_kv_heads counts only in the second layout; in the first, multi_query means one."""
    facts = r.facts
    heads, said = facts.need("num_attention_heads"), facts.integer("num_key_value_heads")
    first = 1 if facts.flag("multi_query", True) else heads
    kv = (said or heads) if facts.flag("new_decoder_architecture") else first
    return attention(r, index, num_key_value_heads=kv, alibi_scale=heads_scale(r, heads))


def heads_scale(r: Reading, heads: int) -> float:
    """ALiBi is added before the scores are scaled: once, as the class does by default. Its eager path adds it twice."""
    return max(r.hidden_size // heads, 1) ** -0.5


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Two norms in front of the parallel halves, or one, or one in front of each half in turn."""
    facts = r.facts
    if facts.flag("new_decoder_architecture") and facts.integer("num_ln_in_parallel_attn") != 1:
        return (norm(r, "mixer_in", "ln_attn"), norm(r, "mlp_in", "ln_mlp"))
    if facts.flag("use_parallel_residual", True):
        return (norm(r, "mixer_in"),)
    return (norm(r, "mixer_in"), norm(r, "mlp_in"))


def mlp(r: Reading, index: int, word: str) -> Dense:
    """Four times the width unless the config says otherwise."""
    width = r.facts.per_layer("intermediate_size", index) or 4 * r.hidden_size
    return Dense(width, False, activation(r), mlp_bias(r))


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """Rows alternate head by head, or in the second layout KV head by KV head; with one KV head they do not."""
    facts, heads = r.facts, r.facts.need("num_attention_heads")
    groups = 1 if facts.flag("multi_query", True) else heads
    if facts.flag("new_decoder_architecture"):
        groups = facts.integer("num_key_value_heads") or heads
    fused = "self_attn.q_proj + self_attn.k_proj + self_attn.v_proj"
    return ((fused, (f"I{groups} " if groups > 1 else "") + "self_attention.query_key_value"), *NAMES)


NAMES = (
    ("self_attn.o_proj", "self_attention.dense"),
    ("mlp.up_proj", "mlp.dense_h_to_4h"),
    ("mlp.down_proj", "mlp.dense_4h_to_h"),
    ("model.embed_tokens", "transformer.word_embeddings"),
    ("model.ln_f", "transformer.ln_f"),
    ("model.layers", "transformer.h"),
)
FAMILY = Family(
    source="transformers 5.23.0, models/falcon",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "multi_query": True,
              "max_position_embeddings": 2_048},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_f",
    parallel=True,
    gated=False,
    mixers={"full": mixer},
    norms_of=norms,
    mlp=mlp,
    names=names,
)  # fmt: skip
