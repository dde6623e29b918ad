"""CTRL: sines and cosines as positions, LayerNorm and biases everywhere, the embedding times √hidden_size, ReLU."""

import math
from dataclasses import replace

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.openings import waves
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Norm


def opening(r: Reading) -> Graph:
    """One wave for every two numbers, as in the first Transformer."""
    g = Wires()
    return g.graph(waves(g, "x", r.hidden_size, step=2 * math.log(10_000) / r.hidden_size))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """EncoderLayer writes 1e-6 out; the last norm alone reads layer_norm_epsilon."""
    return tuple(replace(norm(r, place), eps=1e-6) for place in ("mixer_in", "mlp_in"))


FAMILY = Family(
    source="transformers 5.23.0, models/ctrl",
    defaults={"tie_word_embeddings": True, "hidden_act": "relu", "lm_head_bias": True, "norm_eps": 1e-6,
              "intermediate_size": 8_192},
    spellings={"dff": "intermediate_size"},
    embedding_root=True,
    norm="LayerNorm",
    norm_bias=True,
    norms_of=norms,
    final_norm="layernorm",
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    position="waves",
    opening=opening,
    names=(
        ("self_attn.q_proj", "multi_head_attention.Wq"),
        ("self_attn.k_proj", "multi_head_attention.Wk"),
        ("self_attn.v_proj", "multi_head_attention.Wv"),
        ("self_attn.o_proj", "multi_head_attention.dense"),
        ("mlp.up_proj", "ffn.0"),
        ("mlp.down_proj", "ffn.2"),
        ("input_layernorm", "layernorm1"),
        ("post_attention_layernorm", "layernorm2"),
        ("model.embed_tokens", "transformer.w"),
        ("model.layernorm", "transformer.layernorm"),
        ("model.layers", "transformer.h"),
    ),
)  # fmt: skip
