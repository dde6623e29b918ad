"""Gemma 4's stream: experts may stand beside the dense MLP with norms of their own, every layer may have an embedding
of its own, and a stored number scales what leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.records import Normal
from cutaway.gallery.residuals.plain import Plain, add_sublayer, enter
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.spec import Combined, Layer, ModelSpec
from cutaway.gallery.sublayers import apply_norm, graph_of, norm_at, prefixes, rename_graph

ONE_EACH = "a table of embeddings has a part for each of them"


@dataclass(frozen=True, slots=True)
class PerLayer:
    """A plain stream with a third, small half per layer."""

    width: int = 0  # of the layer's embedding; 0 = none
    hidden_act: str = "gelu_pytorch_tanh"
    scalar: str = ""  # name of the stored number, inside the layer
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)


def own_embedding(g: Wires, layer: Layer, x: str, width: int, h: int, act: str, normal: Normal) -> str:
    """The layer's embedding of the token, gated by the stream, brought to its width and normalised."""
    own = Wires("", "residual")
    gate = own.add("act", "act", own.linear("per_layer_input_gate", "x", width, h), act=act)
    mine = own.add("mine", "pick", "model:opening.per_layer", index=layer.index, words=f"layer {layer.index}'s")
    out = own.linear("per_layer_projection", own.add("gated", "multiply", gate, mine), h, width)
    out = own.norm("post_per_layer_input_norm", out, h, normal=normal)
    return g.inline("per_layer", own.graph(out), x=x)


def dense_beside_experts(g: Wires, spec: ModelSpec, layer: Layer, stream: str) -> str:
    """A dense MLP and experts, each normalised before and after; the router reads the stream itself."""
    names = {norm.name: norm for norm in layer.norms if norm.name}
    both: Any = layer.mlp
    dense, experts = (
        rename_graph(graph_of(p, spec.hidden_size), f) for p, f in zip(both.parts, prefixes(both), strict=True)
    )

    def own(word: str, module: str, x: str) -> str:
        return apply_norm(g, spec, names[module], word, module, x)

    first = g.inline("mlp.0", dense, x=norm_at(g, spec, layer, "mlp_in", stream))
    first = own("mlp_out_norm_1", "post_feedforward_layernorm_1", first)
    x = own("mlp_in_norm_2", "pre_feedforward_layernorm_2", stream)
    second = own("mlp_out_norm_2", "post_feedforward_layernorm_2", g.inline("mlp.1", experts, x=x, raw=stream))
    out = norm_at(g, spec, layer, "mlp_out", g.add("mlp.sum", "add", first, second))
    return g.add("mlp_add", "add", stream, out)


def graph(m: PerLayer, spec: ModelSpec, layer: Layer) -> Graph:
    """The two halves, the layer's embedding, the scalar."""
    g, plain = Wires(), Plain()
    stream = add_sublayer(plain, g, spec, layer, "mixer", "stream", "stream")
    if isinstance(layer.mlp, Combined):
        stream = dense_beside_experts(g, spec, layer, stream)
    else:
        stream = add_sublayer(plain, g, spec, layer, "mlp", stream, stream)
    if m.width:
        own = own_embedding(g, layer, stream, m.width, spec.hidden_size, m.hidden_act, m.normal)
        stream = g.add("per_layer_add", "add", stream, own)
    if m.scalar:
        tensors = {"weight": Tensor(m.scalar, (1,), "buffer")}
        stream = g.add("layer_scalar", "scale", stream, tensors=tensors, words="× a stored number")
    return g.graph(stream)


def per_layer_opening(spec_depth: int, width: int, rows: int, h: int, normal: Normal) -> Graph:
    """What stands before the layers: an embedding per layer from the token, and one from its embedding, averaged."""
    g = Wires("model.", "embedding")
    tensors = {"weight": g.tensor("embed_tokens_per_layer.weight", rows, spec_depth * width)}
    table = g.add("embed_tokens_per_layer", "embed", "tokens", tensors=tensors, beyond=0)  # images' tokens have no row
    table = g.add("table_scaled", "scale", table, by=width**0.5, split=(spec_depth, width))
    own = g.linear("per_layer_model_projection", "x", spec_depth * width, h)
    own = g.add("own_scaled", "scale", own, by=h**-0.5, split=(spec_depth, width))
    own = g.norm("per_layer_projection_norm", own, width, normal=normal)
    g.add("per_layer", "scale", g.add("both", "add", own, table), by=2**-0.5, words="÷ √2")
    return g.graph("x")


def words(scheme: PerLayer) -> str:
    """How many streams, and what is unusual about them."""
    return "1, an embedding for each layer" if scheme.width else "1, scaled after each layer"


def restack(scheme: PerLayer, sources: Sequence[int]) -> PerLayer:
    """Any depth, where no table stands beside the embedding."""
    if scheme.width:
        raise FixedDepth(ONE_EACH)
    return scheme


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = PerLayer, graph, enter, enter, words, restack
