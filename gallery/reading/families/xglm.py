"""XGLM: sines and cosines as positions, LayerNorm and biases everywhere, the embedding times √hidden_size."""

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.openings import waves
from cutaway.gallery.reading.reading import Reading

NAMES = (
    ("self_attn.o_proj", "self_attn.out_proj"),
    ("mlp.up_proj", "fc1"),
    ("mlp.down_proj", "fc2"),
    ("input_layernorm", "self_attn_layer_norm"),
    ("post_attention_layernorm", "final_layer_norm"),
)


def opening(r: Reading) -> Graph:
    """Positions start at the third wave."""
    g = Wires()
    return g.graph(waves(g, "x", r.hidden_size, offset=2))


FAMILY = Family(
    source="transformers 5.23.0, models/xglm",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "scale_embedding": True},
    spellings={"attention_heads": "num_attention_heads"},
    norm="LayerNorm",
    norm_bias=True,
    norm_eps=1e-5,
    final_norm="layer_norm",
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    position="waves",
    opening=opening,
    names=NAMES,
)
