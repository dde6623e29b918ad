"""ModelSpec -> its graphs: what stands before the layers, each layer, and what leads from the stream to the logits."""

from __future__ import annotations

from cutaway.gallery import residuals
from cutaway.gallery.graph import Graph, Stage, Tensor, Wires
from cutaway.gallery.residuals.plain import scale_value
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import apply_norm


def layer_graph(spec: ModelSpec, layer: Layer) -> Graph:
    """One layer, from "stream" to the stream after it; written once for each layer that is asked for."""
    known, graph = spec.graphs.get(layer.index, (None, None))
    if known is not layer or graph is None:
        graph = residuals.GRAPHS[type(spec.residual)](spec.residual, spec, layer)
        spec.graphs[layer.index] = (layer, graph)
    return graph


def sees_images(graph: Graph) -> bool:
    """Whether a layer reads an image: without one it is passed over, as the modelling code does (Llama 3.2 Vision)."""
    return any("cross" in node.inputs for node in graph.nodes)


def course(spec: ModelSpec) -> tuple[Stage, ...]:
    """In which order layers run, and what happens between: nothing in nearly all models."""
    nothing, stack = Graph((), "stream"), tuple(range(len(spec.layers)))
    again = Stage(nothing, stack, loop_norm(spec) if spec.loop_norm else nothing)
    return spec.course or (*(again,) * (spec.loops - 1), Stage(nothing, stack, nothing))


def loop_norm(spec: ModelSpec) -> Graph:
    """What a looped stack reads is the last norm of what it left."""
    g = Wires("model.", "norm")
    return g.graph(last_norm(spec, g, "stream"))


def last_norm(spec: ModelSpec, g: Wires, x: str) -> str:
    """The norm behind the layers, where there is one."""
    norm = spec.final_norm
    return apply_norm(g, spec, norm, "final_norm", "model." + (norm.name or "norm"), x) if norm else x


def opening_graph(spec: ModelSpec) -> Graph:
    """From "tokens" to the stream that enters the first layer."""
    g, h = Wires("model.", "embedding"), spec.hidden_size
    width = spec.embedding_size or h
    table = Tensor("model.embed_tokens.weight", (spec.embedding_rows or spec.vocab_size, width), "embedding")
    x = g.add("embed", "embed", "tokens", tensors={"weight": table})
    x = scale_value(g, "embed_scaled", x, spec.embedding_multiplier)
    if spec.opening:
        x = g.inline("opening", spec.opening, x=x)
    return g.graph(residuals.ENTERS[type(spec.residual)](spec, g, x))


def closing_graph(spec: ModelSpec) -> Graph:
    """From the "stream" that leaves the last layer to the logits."""
    g, h = Wires("model.", "head"), spec.hidden_size
    x = residuals.LEAVES[type(spec.residual)](spec, g, "stream")
    x = last_norm(spec, g, x)
    if spec.closing:
        x = g.inline("closing", spec.closing, x=x)
    if not spec.has_head:
        return g.graph(x)
    width = spec.embedding_size or h
    name = "model.embed_tokens.weight" if spec.tie_word_embeddings else "lm_head.weight"
    rows = (spec.embedding_rows or spec.vocab_size) if spec.tie_word_embeddings else spec.vocab_size
    tensors = {"weight": Tensor(name, (rows, width), "embedding" if spec.tie_word_embeddings else "head")}
    if spec.head_bias:
        tensors["bias"] = Tensor("lm_head.bias", (spec.vocab_size,), "head")
    x = g.add("head", "linear", x, tensors=tensors)
    x = scale_value(g, "logits_scaled", x, spec.logits_multiplier)
    if spec.logits_softcap:
        x = g.add("logits_softcap", "softcap", x, cap=spec.logits_softcap)
    return g.graph(x)
