"""ModelSpec -> the work of one token, or of a whole prompt: FLOPs node by node, and the bytes that move at least.

Two FLOPs per multiply-add. What a node costs stands in its row of operations.py: so much per token whatever the
context, or so much for every past entry it reads. Decoding is one new token at a context of T tokens; prefill is the
sum over a prompt's tokens, each seeing only what came before. Norms, rotations and activations are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from gallery.counting.cache import rules_for
from gallery.counting.memory import memory
from gallery.formats.scalar import FORMATS
from gallery.graph import Graph, Node, Tensor
from gallery.operations import OPERATIONS
from gallery.spec import ModelSpec
from gallery.wiring import after, before, layer_graph

MATRICES = ("matrices", "experts")  # work that is its weights'; the rest is the core: mixing tokens


class NodeWork(NamedTuple):
    """One node: what it does, FLOPs at the context, whether it is a matrix."""

    node: str
    what: str
    flops: int
    matrix: bool


class LayerWork(NamedTuple):
    """One layer; `index` None stands for what is before and after the layers."""

    index: int | None  # type: ignore[assignment]  # tuple.index is not needed
    flops: int
    core_flops: int
    by_what: dict[str, int]


@dataclass(frozen=True, slots=True)
class Flops:
    """Per new token at `context`, or (prefill) for a whole prompt of `context` tokens; batch 1."""

    context: int
    prefill: bool
    total_flops: int
    core_flops: int  # scores, values, states, indexers, convolutions: all but the matrices
    by_what: dict[str, int]
    layers: tuple[LayerWork, ...]
    weight_bytes: int  # read at least once, in the dtype the config names
    cache_bytes: int  # what the context keeps: read by the next token, or written by the prompt


def work(graph: Graph, context: int, prefill: bool) -> Iterator[NodeWork]:
    """Every node that costs anything."""
    for node in graph.nodes:
        row = OPERATIONS[node.op]
        if row.flops:
            flops = row.flops(node) * (context if prefill else 1)
            yield NodeWork(node.name, row.what or row.words, flops, row.what in MATRICES)
        for reads in row.reads(node) if row.reads else ():
            if reads.when in ("", "prefill" if prefill else "decode"):
                yield NodeWork(node.name, reads.what, reads.over(context) if prefill else reads.at(context), False)


def layer_work(index: int | None, graph: Graph, context: int, prefill: bool, times: int = 1) -> LayerWork:
    """One layer's sums, of all its passes."""
    found = list(work(graph, context, prefill))
    by_what: dict[str, int] = {}
    for one in found:
        by_what[one.what] = by_what.get(one.what, 0) + one.flops * times
    core = sum(one.flops for one in found if not one.matrix) * times
    return LayerWork(index, sum(by_what.values()), core, by_what)


def share_read(node: Node, tensor: Tensor, tokens: int) -> float:
    """Which share of a weight `tokens` tokens read: of stacked experts, at most as many as they can visit."""
    if OPERATIONS[node.op].what != "experts" or len(tensor.shape) < 2:
        return 1.0
    return min(1.0, node.facts["k"] * tokens / tensor.shape[0])


def weights_read(graph: Graph, tokens: int) -> dict[tuple[int | None, str], float]:
    """(the layer that a tensor is of, None for this one; its name) -> how many of its numbers are read at least."""
    found: dict[tuple[int | None, str], float] = {}
    for node in graph.nodes:
        for tensor in node.tensors.values() if node.op != "embed" else ():
            found.setdefault((tensor.of, tensor.name), prod(tensor.shape) * share_read(node, tensor, tokens))
    return found


def weight_numbers(spec: ModelSpec, tokens: int) -> int:
    """How many numbers of the weights are read at least; a shared tensor once."""
    kinds: dict[tuple[int, ...], dict[tuple[int | None, str], float]] = {}
    lent: dict[tuple[int | None, str], float] = {}
    for layer in spec.layers:
        kind = layer.made_of
        if kind not in kinds:
            kinds[kind] = weights_read(layer_graph(spec, layer), tokens)
            lent |= {key: many for key, many in kinds[kind].items() if key[0] is not None}
    own = {kind: sum(many for (of, _), many in read.items() if of is None) for kind, read in kinds.items()}
    found = sum(weights_read(Graph((*before(spec).nodes, *after(spec).nodes), ""), tokens).values())
    found += sum(own[layer.made_of] for layer in spec.layers)
    for (of, name), many in lent.items():  # of another layer, which may read it itself
        if of is not None and (None, name) not in kinds[spec.layers[of].made_of]:
            found += many
    return round(found)


def flops(spec: ModelSpec, context: int, prefill: bool = False) -> Flops:
    """Work and bytes of one decoded token, or of a prefill; prefill rebuilds MLA's keys, decoding absorbs them.

    ValueError where `context` is no whole number of at least 0.
    """
    if isinstance(context, bool) or not isinstance(context, int) or context < 0:
        raise ValueError(f"context must be a whole number of at least 0, not {context!r}.")
    layers, done = [], {}
    for layer in spec.layers:
        kind = layer.made_of
        if kind not in done:
            done[kind] = layer_work(None, layer_graph(spec, layer), context, prefill, spec.loops)
        layers.append(done[kind]._replace(index=layer.index))
    ends = layer_work(None, Graph((*before(spec).nodes, *after(spec).nodes), ""), context, prefill)
    by_what: dict[str, int] = {}
    for one in (*layers, ends):
        for what, amount in one.by_what.items():
            by_what[what] = by_what.get(what, 0) + amount
    bits = FORMATS[spec.dtype].bits if spec.dtype in FORMATS else rules_for(spec).model_bits
    return Flops(
        context, prefill, sum(by_what.values()), sum(one.core_flops for one in layers), by_what, (*layers, ends),
        weight_bytes=weight_numbers(spec, context if prefill else 1) * bits // 8,
        cache_bytes=memory(spec, context).total_bytes,
    )  # fmt: skip
