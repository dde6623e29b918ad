"""ModelSpec -> parameters: total, active per token, by part, by layer. Sums over the tensors of weights.py.

Convention: the language model alone; a tied head counts once. Active is what a token is multiplied with, as names like
A3B count it: experts that it does not visit are not, nor are tables of which it reads a row and multiplies nothing
(the embedding where the head is another matrix, n-grams, embeddings per layer, learned positions): these are
`looked_up`. MTP layers and other towers are apart; buffers are no parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from cutaway.gallery import graph
from cutaway.gallery.counting.naming import Tensor
from cutaway.gallery.counting.weights import PARTS, by_kind, model_tensors
from cutaway.gallery.records import Shown
from cutaway.gallery.spec import Combined, ExpertHeads, Layer, ModelSpec, MoE
from cutaway.gallery.wiring import layer_graph, opening_graph

LOOKUPS = ("embed", "positions")  # operations that read rows of a table
EXPERT_HEADS = ("q_experts.weight", "o_experts.weight")  # a matrix for each expert of heads


@dataclass(frozen=True, slots=True)
class Parameters(Shown):
    """How many numbers a model learns, and how many of them one token is multiplied with."""

    total: int  # numbers in the language model; a tied head counts once
    active: int  # numbers that one token is multiplied with
    looked_up: int  # in tables of which a token reads a few rows; in the total, not in `active`
    by_part: dict[str, int]  # of attention, experts, embedding and so on
    per_layer: list[int]  # of each layer, the first one first
    active_per_layer: list[int]  # the same, as one token is multiplied with them
    mtp: int  # in MTP layers, which no other count includes
    towers: int | None  # None: at least one tower cannot be counted from the config
    at_most: bool = False  # some tokens visit experts without weights instead, so that fewer than `active` work on them

    @property
    def touched(self) -> int:
        """Active ones and whole tables: how others count who leave only unvisited experts out."""
        return self.active + self.looked_up


def sum_parts(tensors: list[Tensor]) -> dict[str, int]:
    """Numbers per part."""
    out: dict[str, int] = {}
    for _, shape, part in tensors:
        out[part] = out.get(part, 0) + prod(shape)
    return out


def experts_in(mlp: object) -> list[MoE]:
    """The MoE of an MLP half, also inside a Combined."""
    if isinstance(mlp, MoE):
        return [mlp]
    return [part for part in mlp.parts if isinstance(part, MoE)] if isinstance(mlp, Combined) else []


def routers(spec: ModelSpec) -> list[MoE]:
    """The mixtures of a model, layer by layer; those that look experts up by the token's number left out."""
    return [layer.mlp for layer in spec.layers if isinstance(layer.mlp, MoE) and not layer.mlp.table_rows]


def count_inactive(layer: Layer, tensors: list[Tensor]) -> int:
    """Numbers of experts that one token does not visit, in the MLP and in attention. Where identity experts share the
    routing, all of them count."""
    idle = 0
    if found := experts_in(layer.mlp):
        idle += unvisited(sum(prod(shape) for name, shape, _ in tensors if "{expert}" in name), found[0])
    if isinstance(layer.mixer, ExpertHeads):
        idle += unvisited(sum(prod(shape) for name, shape, _ in tensors if name.endswith(EXPERT_HEADS)), layer.mixer)
    return idle


def unvisited(stacked: int, part: MoE | ExpertHeads) -> int:
    """Of the numbers of all experts those that a token leaves out."""
    return stacked - stacked * min(part.num_experts_per_tok, part.num_experts) // max(part.num_experts, 1)


def tables_outside(spec: ModelSpec) -> int:
    """Numbers in tables in front of the layers; an embedding that is the head too is multiplied, and left out."""
    beside = [one for extra in spec.extras if extra.kind == "ngram_embedding" for one in extra.tensors]
    ngrams = sum(prod(shape) for name, shape in beside if ".embedders." in name)
    own = {one.name: one.shape for one in lookups(opening_graph(spec))}
    if spec.tie_word_embeddings and spec.has_head:
        own.pop("model.embed_tokens.weight", None)
    return ngrams + sum(map(prod, own.values()))


def tables_in(spec: ModelSpec, layer: Layer) -> int:
    """Numbers in tables of a layer's own."""
    tables = (one for one in lookups(layer_graph(spec, layer)) if one.part == "embedding")
    return sum(prod(one.shape) for one in tables if one.of in (None, layer.index))


def lookups(wiring: graph.Graph) -> Iterator[graph.Tensor]:
    """The tables that a graph reads rows of."""
    return (one for node in wiring.nodes if node.op in LOOKUPS for one in node.tensors.values())


class Kind(NamedTuple):
    """Numbers of a layer, the same for all layers of its kind."""

    parts: dict[str, int]
    size: int
    inactive: int  # in experts that a token does not visit
    tables: int


def count_kind(spec: ModelSpec, layer: Layer, tensors: list[Tensor]) -> Kind:
    """One layer, counted."""
    parts = sum_parts(tensors)
    tables = tables_in(spec, layer) if parts.get("embedding") else 0
    return Kind(parts, sum(parts.values()), count_inactive(layer, tensors), tables)


def count_mtp(spec: ModelSpec) -> int:
    """Numbers of the MTP layers, which no other count includes."""
    inside = sum(prod(shape) for tensors in by_kind(spec, spec.mtp) for _, shape, _ in tensors)
    return inside + sum(prod(shape) for extra in spec.mtp_extras for _, shape in extra.tensors)


def parameters(spec: ModelSpec) -> Parameters:
    """Counts of the language model, with MTP layers and other towers apart."""
    before, after = model_tensors(spec)
    parts = dict.fromkeys(PARTS, 0)
    for part, size in sum_parts(before + after).items():
        parts[part] += size
    per_layer: list[int] = []
    active_per_layer: list[int] = []
    known: dict[int, Kind] = {}
    times: dict[int, int] = {}
    outside = looked_up = tables_outside(spec)
    for layer, tensors in zip(spec.layers, by_kind(spec, spec.layers), strict=True):
        if id(tensors) not in known:
            known[id(tensors)] = count_kind(spec, layer, tensors)
        one = known[id(tensors)]
        times[id(tensors)] = times.get(id(tensors), 0) + 1
        per_layer.append(one.size)
        active_per_layer.append(one.size - one.inactive - one.tables)
        looked_up += one.tables
    for ident, one in known.items():
        for part, number in one.parts.items():
            parts[part] += number * times[ident]
    total = sum(parts.values())
    counted = [tower.parameters for tower in spec.towers if tower.parameters is not None]
    return Parameters(
        total=total,
        active=total - sum(per_layer) - outside + sum(active_per_layer),
        looked_up=looked_up,
        by_part={part: size for part, size in parts.items() if size},
        per_layer=per_layer,
        active_per_layer=active_per_layer,
        mtp=count_mtp(spec),
        towers=sum(counted) if len(counted) == len(spec.towers) else None,
        at_most=any(moe.zero_expert_num for layer in spec.layers for moe in experts_in(layer.mlp)),
    )
