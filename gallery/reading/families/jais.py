"""Jais: GPT-2's layer with a gate, ALiBi instead of positions, and muP's scales."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.scales import PLAIN

SPELLINGS = {
    "mup_embeddings_scale": "embedding_multiplier", "embeddings_scale": "embedding_multiplier",
    "mup_width_scale": "width_scale", "width_scale": "width_scale", "mup_output_alpha": "output_alpha",
    "mup_scale_qk_dot_by_d": "by_width", "scale_qk_dot_by_d": "by_width", "alibi_scaling": "alibi_scaling",
}  # fmt: skip


def scale(r: Reading, size: int) -> float:
    """muP: q·k is divided by head_dim, not by its root."""
    return 1 / size if r.facts.flag("by_width") else PLAIN


def finish(r: Reading, fields: dict) -> dict:
    """muP: logits are scaled by the width."""
    width, alpha = r.facts.number("width_scale"), r.facts.number("output_alpha")
    fields["logits_multiplier"] = (width or 1.0) * (alpha or 1.0)
    r.facts.settle("alibi_scaling")
    return fields


FAMILY = Family(
    source="inceptionai/jais-13b, modeling_jais.py; recalled",
    defaults={"tie_word_embeddings": True, "hidden_act": "swiglu"},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_f",
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    position="alibi",
    spellings=SPELLINGS,
    scale=scale,
    finish=finish,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "T attn.c_attn"),
        ("self_attn.o_proj", "T attn.c_proj"),
        ("mlp.up_proj", "T mlp.c_fc"),
        ("mlp.gate_proj", "T mlp.c_fc2"),
        ("mlp.down_proj", "T mlp.c_proj"),
        ("input_layernorm", "ln_1"),
        ("post_attention_layernorm", "ln_2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
