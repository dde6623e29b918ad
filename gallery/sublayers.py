"""A layer's parts as parts of its graph: its mixer, its MLP, its norms."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from cutaway.gallery import mixers, mlps
from cutaway.gallery.graph import Graph, Node, Tensor, Wires
from cutaway.gallery.spec import Combined, Dense, Layer, ModelSpec, MoE, Norm, NotUnderstood

USUAL = {"mixer_in": "input_layernorm", "mlp_in": "post_attention_layernorm",
         "mixer_after": "input_layernorm", "mlp_after": "post_attention_layernorm"}  # fmt: skip
WRAPPED = {"mixer_in": "input_layernorm", "mixer_out": "post_attention_layernorm",
           "mlp_in": "pre_feedforward_layernorm", "mlp_out": "post_feedforward_layernorm"}  # fmt: skip


@lru_cache(512)
def graph_of(m: object, h: int) -> Graph:
    """The graph of one mixer or MLP; every reading asks for it, so it is written once."""
    if isinstance(m, Combined):
        return combine_graphs(m, h)
    if isinstance(m, NotUnderstood):
        return Graph((Node("unknown", "unknown", ("x",), facts={"what": m.what}),), "unknown")
    kind = mixers.GRAPHS.get(type(m)) or mlps.GRAPHS[type(m)]
    return kind(m, h)


def combine_graphs(m: Combined, h: int) -> Graph:
    """Several in one half: one after the other, or side by side and summed."""
    g, x, found = Wires(), "x", []
    for number, part in enumerate(part_graphs(m, h)):
        x = g.inline(str(number), part, x="x" if m.how == "parallel" else x)
        found.append(x)
    return g.graph(g.scale("sum_scaled", g.add("sum", "add", *found), m.scale) if m.how == "parallel" else x)


def parts_of(half: object | None) -> tuple[Any, ...]:
    """The single mixers or MLPs of a half, combined ones taken apart."""
    if isinstance(half, Combined):
        return tuple(part for inner in half.parts for part in parts_of(inner))
    return () if half is None else (half,)


def part_graphs(m: Combined, h: int) -> list[Graph]:
    """The graph of each part, on tensors of its own names."""
    return [rename_graph(graph_of(part, h), rename) for part, rename in zip(m.parts, prefixes(m), strict=True)]


def numbered_name(number: int, name: str) -> str:
    """The name of a tensor inside one of several equal kinds."""
    return name.replace(".", f".{number}.", 1)


def prefixes(m: Combined) -> list[Callable[[str], str]]:
    """How the tensors of each part are called: equal kinds are numbered, a lone dense MLP beside experts is the
    residual one."""
    kinds = [type(part) for part in m.parts]
    out: list[Callable[[str], str]] = []
    for place, kind in enumerate(kinds):
        number = kinds[:place].count(kind)
        if kinds.count(kind) > 1:
            out.append(partial(numbered_name, number))
        elif kind is Dense and MoE in kinds:
            out.append(lambda name: "residual_" + name)
        else:
            out.append(lambda name: name)
    return out


def rename_graph(graph: Graph, rename: Callable[[str], str]) -> Graph:
    """The same graph on tensors of other names."""
    nodes = tuple(
        node._replace(tensors={w: t._replace(name=rename(t.name)) for w, t in node.tensors.items()})
        for node in graph.nodes
    )
    return Graph(nodes, graph.out)


def sublayer(g: Wires, spec: ModelSpec, layer: Layer, word: str, x: str) -> str:
    """The mixer or the MLP of a layer, its nodes called "mixer.NAME" or "mlp.NAME"."""
    part = inlined(getattr(layer, word), spec.hidden_size, word, x)
    g.nodes.extend(part.nodes)
    return part.out


@lru_cache(1024)
def inlined(m: object, h: int, word: str, x: str) -> Graph:
    """The graph of one mixer or MLP as a part called `word` that reads x: the same for every layer that has it."""
    g = Wires()
    return g.graph(g.inline(word, graph_of(m, h), x=x))


def norm_name(layer: Layer, norm: Norm) -> str:
    """The module that holds a norm; those that follow a half shift the usual names (Gemma 2, OLMo 2)."""
    wrapped = any(one.position in ("mixer_out", "mlp_out") for one in layer.norms)
    return norm.name or (WRAPPED if wrapped else USUAL)[norm.position]


def apply_norm(g: Wires, spec: ModelSpec, norm: Norm, name: str, module: str, x: str) -> str:
    """One norm of the stream's width."""
    width = norm.size or spec.hidden_size
    tensors = {"weight": Tensor(module + ".weight", (width,), "norm", norm.of)} if norm.weight else {}
    if norm.bias:
        tensors["bias"] = Tensor(module + ".bias", (width,), "norm", norm.of)
    out = g.add(name, "norm", x, tensors=tensors, normal=norm.normal)
    return (
        apply_gated_norm(g, norm, name, module.removesuffix(".norm") + ".mlp.", width, out) if norm.gate_rank else out
    )


def apply_gated_norm(g: Wires, norm: Norm, name: str, module: str, width: int, x: str) -> str:
    """What a norm gives, times σ of a small MLP that reads it."""
    down = Tensor(module + "fc1.weight", (norm.gate_rank, width), "norm")
    up = Tensor(module + "fc2.weight", (width, norm.gate_rank), "norm")
    gate = g.add(f"{name}_fc1", "linear", x, tensors={"weight": down})
    gate = g.add(f"{name}_fc1_act", "act", gate, act="silu")
    gate = g.add(f"{name}_fc2", "linear", gate, tensors={"weight": up})
    return g.add(f"{name}_gated", "multiply", x, g.add(f"{name}_gate", "act", gate, act="sigmoid"))


def norm_at(g: Wires, spec: ModelSpec, layer: Layer, position: str, x: str) -> str:
    """The value after the layer's norm at a position, if it has one there."""
    norm = next((one for one in layer.norms if one.position == position), None)
    if norm is None:
        return x
    return apply_norm(g, spec, norm, f"{position}_norm", norm_name(layer, norm), x)


def norm_after(g: Wires, spec: ModelSpec, layer: Layer, word: str, stream: str) -> str:
    """A norm of the stream itself, after the sum (GPT, OPT-350m)."""
    return norm_at(g, spec, layer, f"{word}_after", stream)
