"""OPT: learned positions (two rows more than it says), LayerNorm and biases everywhere, ReLU without a gate."""

from dataclasses import replace

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense
from cutaway.gallery.reading.openings import learned_positions, projected_embedding
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Dense, Norm


def opening(r: Reading) -> Graph:
    """A projection where the embedding is narrower than the stream, then positions with an offset of two."""
    g, h, narrow = Wires(), r.hidden_size, r.facts.integer("embedding_size") or r.hidden_size
    x = "x" if narrow == h else projected_embedding(g, "x", "decoder.project_in", h, narrow)
    rows = r.facts.need("max_position_embeddings", 2048) + 2
    return g.graph(learned_positions(g, x, "decoder.embed_positions", rows, h, offset=2))


def closing(r: Reading) -> Graph | None:
    """The way back to the embedding's width."""
    g, h, narrow = Wires(), r.hidden_size, r.facts.integer("embedding_size") or r.hidden_size
    return None if narrow == h else g.graph(projected_embedding(g, "x", "decoder.project_out", narrow, h))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Before each half, or in the stream after it (OPT-350m)."""
    before = r.facts.flag("do_layer_norm_before", True)
    return tuple(plain(r, norm(r, place)) for place in (("mixer_in", "mlp_in") if before else AFTER))


def mlp(r: Reading, index: int, word: str) -> Dense:
    """enable_bias speaks for the MLP too."""
    return replace(dense(r, index), bias=r.facts.flag("attention_bias", True))


AFTER = ("mixer_after", "mlp_after")


def plain(r: Reading, made: Norm) -> Norm:
    """Galactica's norms have neither weight nor bias."""
    affine = r.facts.flag("layer_norm_elementwise_affine", True)
    return replace(made, weight=affine, bias=affine)


def finish(r: Reading, fields: dict) -> dict:
    """The post-norm variant (OPT-350m) has no norm at the end."""
    if not r.facts.flag("do_layer_norm_before", True) or r.facts.flag("_remove_final_layer_norm"):
        return {**fields, "final_norm": None}
    return {**fields, "final_norm": plain(r, fields["final_norm"])}


FAMILY = Family(
    source="transformers 5.23.0, models/opt",
    defaults={"tie_word_embeddings": True, "hidden_act": "relu", "attention_bias": True},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="decoder.final_layer_norm",
    spellings={
        "layer_norm_elementwise_affine": "layer_norm_elementwise_affine",
        "_remove_final_layer_norm": "_remove_final_layer_norm",
    },
    gated=False,
    position="learned",
    norm_eps=1e-5,
    opening=opening,
    closing=closing,
    norms_of=norms,
    mlp=mlp,
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
