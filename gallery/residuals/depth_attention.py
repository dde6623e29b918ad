"""A residual stream in blocks of layers: each half reads a softmax over the sums of all blocks so far.

Within a block, what the halves find is summed as usual; the next block starts from nothing, and the finished sum
stays to be read. A learned query per half weighs the (normalised) sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.residuals.convolved_halves import add_convolution
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import graph_of, norm_at, sublayer


@dataclass(frozen=True, slots=True)
class DepthAttention:
    """`block` layers are summed; every half reads all sums, weighed by a learned query (Inkling 2)."""

    block: int
    kernel: int  # of the convolution behind each half
    eps: float = 1e-6
    keeps: bool = True  # decoding keeps the last columns of both

    def tells(self, index: int) -> bool:
        """What two layers with equal parts differ in: the first has one sum to read, and no query for it."""
        return index == 0


def sums(scheme: DepthAttention, index: int) -> list[str]:
    """The finished sums of the blocks before layer `index`: what entered the first layer of each block after them."""
    starts = range(0, index, scheme.block)
    return [f"layer{start - 1}:mlp_add" if start else "model:entered" for start in starts]


def attend_depth(g: Wires, scheme: DepthAttention, name: str, states: list[str], query: Tensor, row: int = 0) -> str:
    """A softmax over sums, token by token."""
    return g.add(name, "attend_depth", *states, tensors={"query": query}, row=row, eps=scheme.eps,
                 lines=("softmax over the blocks' sums", "of query · sum / √width"))  # fmt: skip


def graph(scheme: DepthAttention, spec: ModelSpec, layer: Layer) -> Graph:
    """The mixer reads all sums; the MLP reads them with what the mixer found."""
    g, h, index = Wires(), spec.hidden_size, layer.index
    before = sums(scheme, index)
    found = add_convolution(g, "mixer", mix_depth(scheme, g, spec, layer, before), h, scheme.kernel, averaged=True)
    starts = index % scheme.block == 0
    partial = found if starts else g.add("mixer_add", "add", "stream", found)
    done = [*before, "stream"] if starts else before
    query = Tensor("mlp_input.query", (h,), "residual")
    x = norm_at(g, spec, layer, "mlp_in", attend_depth(g, scheme, "mlp_input", [*done, partial], query))
    x = add_convolution(g, "mlp", sublayer(g, spec, layer, "mlp", x), h, scheme.kernel, averaged=True)
    return g.graph(g.add("mlp_add", "add", partial, x))


def mix_depth(scheme: DepthAttention, g: Wires, spec: ModelSpec, layer: Layer, before: list[str]) -> str:
    """The mixer on what it reads: one vector, or one each for queries, keys and values."""
    places = ("mixer_in",) if not getattr(layer.mixer, "dynamic", False) else ("q_in", "k_in", "v_in")
    rows = (len(places), spec.hidden_size) if len(places) > 1 else (spec.hidden_size,)
    query, found = Tensor("attention_input.query", rows, "residual"), []
    for row, place in enumerate(places):
        x = attend_depth(g, scheme, f"{place}put", [*before, "stream"], query, row) if layer.index else "stream"
        found.append(norm_at(g, spec, layer, place, x))
    wired = dict(zip(("x", "x_k", "x_v"), found, strict=False))
    return g.inline("mixer", graph_of(layer.mixer, spec.hidden_size), **wired)


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The embedding is the first sum."""
    return g.add("entered", "keep", x)


def leave(spec: ModelSpec, g: Wires, x: str) -> str:
    """The head reads all sums, too."""
    scheme = spec.residual
    assert isinstance(scheme, DepthAttention)
    query = Tensor("model.final_input.query", (spec.hidden_size,), "residual")
    return attend_depth(g, scheme, "final_input", [*sums(scheme, spec.num_hidden_layers), x], query)


def words(scheme: DepthAttention) -> str:
    """How many streams, and what is unusual about them."""
    return "1, in blocks of layers that a softmax chooses from"


def restack(scheme: DepthAttention, sources: Sequence[int]) -> DepthAttention:
    """No other depth: the farther up a layer stands, the more sums it reads."""
    raise FixedDepth("each layer reads the sums of all blocks before it, so that none is a copy of another")


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = DepthAttention, graph, enter, leave, words, restack
