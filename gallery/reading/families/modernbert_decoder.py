"""ModernBERT as a decoder (Ettin): LayerNorm without biases, one on the embedding instead of the first layer's.

Two layers of three are windowed; the head is a matrix, an activation and a norm before the tied table.
"""

from dataclasses import replace

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.openings import normalised_embedding
from cutaway.gallery.reading.reading import Reading, norm, normal
from cutaway.gallery.spec import Norm


def prepare(r: Reading) -> None:
    """The window is half of local_attention; every third layer sees everything, from the first on."""
    facts = r.facts
    facts.defaults["sliding_window"] = (facts.integer("local_attention", 128) or 0) // 2
    if not facts.has("layer_types"):
        step = facts.integer("global_attn_every_n_layers", 3) or 1
        r.words = ["full" if index % step == 0 else "sliding" for index in range(r.depth)]


def norm_with_bias(r: Reading, made: Norm) -> Norm:
    """A norm has a bias where norm_bias says so."""
    return replace(made, bias=r.facts.flag("norm_bias"))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """The first layer reads what the embedding's norm left."""
    second = norm_with_bias(r, norm(r, "mlp_in"))
    return (norm_with_bias(r, norm(r, "mixer_in")), second) if index else (second,)


def opening(r: Reading) -> Graph:
    """A norm on the embedding."""
    g = Wires()
    return g.graph(normalised_embedding(g, r, "x", "embeddings.norm", r.facts.flag("norm_bias")))


def closing(r: Reading) -> Graph:
    """A matrix, an activation and a norm before the head."""
    g, h, biases = Wires("model.head.", "head"), r.hidden_size, r.facts.flag("norm_bias")
    x = g.linear("dense", "x", h, h, r.facts.flag("classifier_bias"))
    x = g.add("act", "act", x, act=r.facts.word("classifier_activation", "gelu"))
    tensors = {"weight": Tensor("model.head.norm.weight", (h,), "norm")}
    if biases:
        tensors["bias"] = Tensor("model.head.norm.bias", (h,), "norm")
    return g.graph(g.add("head_norm", "norm", x, tensors=tensors, normal=normal(r)))


def finish(r: Reading, fields: dict) -> dict:
    """The last norm, as the others."""
    return {**fields, "final_norm": norm_with_bias(r, fields["final_norm"])}


FAMILY = Family(
    source="transformers 5.23.0, models/modernbert_decoder",
    windowed=True,
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "lm_head_bias": True, "rope_theta": 160_000.0,
              "local_rope_theta": 10_000.0},
    spellings={"decoder_bias": "lm_head_bias", "local_attention": "local_attention",
               "classifier_bias": "classifier_bias", "classifier_activation": "classifier_activation"},
    norm="LayerNorm",
    final_norm="final_norm",
    prepare=prepare,
    norms_of=norms,
    opening=opening,
    closing=closing,
    finish=finish,
    names=(
        ("self_attn.o_proj", "attn.Wo"),
        ("self_attn", "attn"),
        ("mlp.gate_proj + mlp.up_proj", "mlp.Wi"),
        ("mlp.down_proj", "mlp.Wo"),
        ("input_layernorm", "attn_norm"),
        ("post_attention_layernorm", "mlp_norm"),
        ("model.embed_tokens", "model.embeddings.tok_embeddings"),
        ("lm_head", "decoder"),
        ("model.head", "lm_head"),
    ),
)  # fmt: skip
