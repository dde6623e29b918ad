"""GPT-2: learned positions, LayerNorm and biases everywhere, fused Conv1D matrices stored transposed."""

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.openings import learned_positions
from cutaway.gallery.reading.reading import Reading


def positions(r: Reading) -> Graph:
    """One learned vector per position."""
    g = Wires()
    return g.graph(learned_positions(g, "x", "wpe", r.facts.need("max_position_embeddings", 1024), r.hidden_size))


FAMILY = Family(
    source="transformers 5.23.0, models/gpt2",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_new"},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_f",
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    position="learned",
    opening=positions,
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "T attn.c_attn"),
        ("self_attn.o_proj", "T attn.c_proj"),
        ("mlp.up_proj", "T mlp.c_fc"),
        ("mlp.down_proj", "T mlp.c_proj"),
        ("input_layernorm", "ln_1"),
        ("post_attention_layernorm", "ln_2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.wpe", "transformer.wpe"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
