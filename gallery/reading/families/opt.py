"""OPT: learned positions (two rows more than it says), LayerNorm and biases everywhere, ReLU without a gate."""

from gallery.graph import Graph, Wires
from gallery.reading.family import Family
from gallery.reading.openings import learned, projected
from gallery.reading.reading import Reading, norm
from gallery.spec import Norm


def opening(r: Reading) -> Graph:
    """A projection where the embedding is narrower than the stream, then positions with an offset of two."""
    g, h, narrow = Wires(), r.hidden_size, r.facts.integer("embedding_size") or r.hidden_size
    x = "x" if narrow == h else projected(g, "x", "decoder.project_in", h, narrow)
    rows = r.facts.need("max_position_embeddings", 2048) + 2
    return g.graph(learned(g, x, "decoder.embed_positions", rows, h, offset=2))


def closing(r: Reading) -> Graph | None:
    """The way back to the embedding's width."""
    g, h, narrow = Wires(), r.hidden_size, r.facts.integer("embedding_size") or r.hidden_size
    return None if narrow == h else g.graph(projected(g, "x", "decoder.project_out", narrow, h))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Before each half, or in the stream after it (OPT-350m)."""
    before = r.facts.flag("do_layer_norm_before", True)
    return tuple(norm(r, place) for place in (("mixer_in", "mlp_in") if before else ("mixer_after", "mlp_after")))


def finish(r: Reading, fields: dict) -> dict:
    """The post-norm variant (OPT-350m) has no norm at the end."""
    if not r.facts.flag("do_layer_norm_before", True):
        fields["final_norm"] = None
    return fields


FAMILY = Family(
    source="transformers 5.23.0, models/opt",
    defaults={"tie_word_embeddings": True, "hidden_act": "relu", "attention_bias": True},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="decoder.final_layer_norm",
    mlp_bias=True,
    gated=False,
    position="learned",
    norm_eps=1e-5,
    opening=opening,
    closing=closing,
    norms_of=norms,
    finish=finish,
    names=(
        ("self_attn.o_proj", "self_attn.out_proj"),
        ("mlp.up_proj", "fc1"),
        ("mlp.down_proj", "fc2"),
        ("input_layernorm", "self_attn_layer_norm"),
        ("post_attention_layernorm", "final_layer_norm"),
        ("model.embed_tokens", "model.decoder.embed_tokens"),
        ("model.layers", "model.decoder.layers"),
    ),
)
