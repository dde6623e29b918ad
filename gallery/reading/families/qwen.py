"""Qwen (the first): GPT-2's names, a bias on the fused qkv alone, and an intermediate_size that is twice the width."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Dense


def mlp(r: Reading, index: int, word: str) -> Dense:
    """The config counts gate and up together."""
    return Dense(r.facts.need_width("intermediate_size") // 2, True, "silu")


def prepare(r: Reading) -> None:
    """Two ways to reach beyond the trained length; both change how positions and scores are scaled, no weight."""
    names = [name for name in ("use_dynamic_ntk", "use_logn_attn") if r.facts.text.get(name)]
    trained = r.facts.text.get("seq_length")
    if names and isinstance(trained, int):
        r.notes.append(f"Beyond {trained:,} tokens, the model relies on {' and '.join(names)}, which are not drawn.")


FAMILY = Family(
    source="Qwen/Qwen-7B, modeling_qwen.py",
    final_norm="ln_f",
    qkv_bias=True,
    o_bias=False,
    mlp=mlp,
    prepare=prepare,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "attn.c_attn"),
        ("self_attn.o_proj", "attn.c_proj"),
        ("mlp.gate_proj", "mlp.w2"),
        ("mlp.up_proj", "mlp.w1"),
        ("mlp.down_proj", "mlp.c_proj"),
        ("input_layernorm", "ln_1"),
        ("post_attention_layernorm", "ln_2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
