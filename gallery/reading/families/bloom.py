"""BLOOM: ALiBi, LayerNorm and biases everywhere, one more norm right after the embedding."""

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.openings import normalised_embedding
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.residuals.normed_stream import NormedStream


def opening(r: Reading) -> Graph:
    """A LayerNorm on the embeddings."""
    g = Wires()
    return g.graph(normalised_embedding(g, r, "x", "word_embeddings_layernorm"))


def names(r: Reading) -> tuple[tuple[str, str], ...]:
    """Query, key and value alternate, head by head."""
    heads = r.facts.need("num_attention_heads")
    fused = "self_attn.q_proj + self_attn.k_proj + self_attn.v_proj"
    return ((fused, f"I{heads} self_attention.query_key_value"), *NAMES)


def finish(r: Reading, fields: dict) -> dict:
    """A key may start the residual connection after the norm: attention and MLP add to their normalised input."""
    if not r.facts.flag("apply_residual_connection_post_layernorm"):
        return fields
    return {**fields, "residual": NormedStream(((1.0, 1.0),))}


NAMES = (
    ("self_attn.o_proj", "self_attention.dense"),
    ("mlp.up_proj", "mlp.dense_h_to_4h"),
    ("mlp.down_proj", "mlp.dense_4h_to_h"),
    ("model.embed_tokens", "transformer.word_embeddings"),
    ("model.word_embeddings_layernorm", "transformer.word_embeddings_layernorm"),
    ("model.ln_f", "transformer.ln_f"),
    ("model.layers", "transformer.h"),
)

FAMILY = Family(
    source="transformers 5.23.0, models/bloom",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh"},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_f",
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    gated=False,
    position="alibi",
    opening=opening,
    names=names,
    finish=finish,
)
