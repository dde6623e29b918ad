"""ModelSpec -> the work of one token, or of a whole prompt: FLOPs node by node, and the bytes that move at least.

Two FLOPs per multiply-add. What a node costs stands in its row of operations.py: so much per token whatever the
context, or so much for every past entry it reads. Decoding is one new token at a context of T tokens; prefill is the
sum over a prompt's tokens, each seeing only what came before. Norms, rotations and activations are not counted. Bytes
are those of blocks.py, as on a model's page and in the planner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.stored_bytes import list_stored
from cutaway.gallery.counting.weights import weights
from cutaway.gallery.graph import Graph
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.records import Shown
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

CACHE_DTYPE = "bfloat16"  # of what is kept
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
class Flops(Shown):
    """Per new token at `context`, or (prefill) for a whole prompt of `context` tokens; batch 1."""

    context: int  # tokens
    prefill: bool  # True: of a whole prompt
    total_flops: int  # a multiply-add is two
    core_flops: int  # scores, values, states, indexers, convolutions: all but the matrices
    by_what: dict[str, int]  # of matrices, scores and values, states and so on
    layers: tuple[LayerWork, ...]  # of each layer, node by node
    weight_bytes: int  # read at least once, as the checkpoint stores them; of experts those that the tokens can visit
    cache_bytes: int  # BF16: read by the next token, where an indexer chooses what it leaves; or written by the prompt


def work(graph: Graph, context: int, prefill: bool) -> Iterator[NodeWork]:
    """Every node that costs anything."""
    for node in graph.nodes:
        row = OPERATIONS[node.op]
        if row.flops:
            flops = row.flops(node) * (context if prefill else 1)
            yield NodeWork(node.name, row.what or row.words, flops, row.what in MATRICES)
        for reads in row.reads(node) if row.reads else ():
            if reads.when in ("", "prefill" if prefill else "decode"):
                yield NodeWork(
                    node.name, reads.what, reads.over(context) if prefill else reads.for_token(context), False
                )


def layer_work(index: int | None, graph: Graph, context: int, prefill: bool, times: int = 1) -> LayerWork:
    """One layer's sums, of all its passes."""
    found = list(work(graph, context, prefill))
    by_what: dict[str, int] = {}
    for one in found:
        by_what[one.what] = by_what.get(one.what, 0) + one.flops * times
    core = sum(one.flops for one in found if not one.matrix) * times
    return LayerWork(index, sum(by_what.values()), core, by_what)


def step_bytes(spec: ModelSpec, context: int, prefill: bool) -> tuple[int, int]:
    """(bytes of weights, bytes of cache) that move at least, batch 1: the sums of the blocks that pages show."""
    listed, tokens = weights(spec), context if prefill else 1
    told = blocks.sheet(spec, listed, list_stored(spec, listed), lambda half: type(half).__name__)
    return (
        sum(blocks.weight_bytes(one, tokens) for one in told["blocks"]),
        sum(blocks.cache_bytes(told, one, context, CACHE_DTYPE, 1, prefill) for one in told["blocks"]),
    )


def flops(spec: ModelSpec, context: int, prefill: bool = False) -> Flops:
    """FLOPs and bytes of one decoded token, or of a prefill; prefill rebuilds MLA's keys, decoding absorbs them.

    `context`: tokens; ValueError where it is no whole number of at least 0.
    """
    if isinstance(context, bool) or not isinstance(context, int) or context < 0:
        raise ValueError(f"context must be a whole number of at least 0, not {context!r}.")
    layers = flops_by_layer(spec, context, prefill)
    by_what: dict[str, int] = {}
    for one in layers:
        for what, amount in one.by_what.items():
            by_what[what] = by_what.get(what, 0) + amount
    weight_bytes, cache_bytes = step_bytes(spec, context, prefill)
    return Flops(
        context, prefill, sum(by_what.values()), sum(one.core_flops for one in layers[:-1]), by_what, layers,
        weight_bytes, cache_bytes,
    )  # fmt: skip


def flops_by_layer(spec: ModelSpec, context: int, prefill: bool = False) -> tuple[LayerWork, ...]:
    """FLOPs alone: of each layer, and last of what stands before and after them; an eighth of the time of flops()."""
    layers, done = [], {}
    for layer in spec.layers:
        kind = layer.made_of
        if kind not in done:
            done[kind] = layer_work(None, layer_graph(spec, layer), context, prefill, spec.loops)
        layers.append(done[kind]._replace(index=layer.index))
    ends = layer_work(None, Graph((*opening_graph(spec).nodes, *closing_graph(spec).nodes), ""), context, prefill)
    return (*layers, ends)
