"""ModelSpec -> parameters: total, active per token, by part, by layer. Sums over the tensors of weights.py.

Convention: the language model alone; a tied head counts once; embeddings count once and count as active, so do tables
beside them, of which a token reads a few rows (`tables` says how much that is); experts that a token does not visit are
not active; MTP layers and other towers are apart; buffers are no parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from cutaway.gallery.counting.naming import Tensor
from cutaway.gallery.counting.weights import PARTS, by_kind, model_tensors
from cutaway.gallery.spec import Combined, Layer, ModelSpec, MoE
from cutaway.gallery.wiring import layer_graph, opening_graph


@dataclass(frozen=True, slots=True)
class Parameters:
    """How many numbers a model learns, and how many of them one token uses."""

    total: int
    active: int
    by_part: dict[str, int]
    per_layer: list[int]
    active_per_layer: list[int]
    mtp: int
    towers: int | None  # None: at least one tower cannot be counted from the config
    at_most: bool = False  # some tokens visit experts without weights instead, so that fewer than `active` work on them


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
    """Numbers of experts that one token does not visit. Where identity experts share the routing, all of them count."""
    found = experts_in(layer.mlp)
    if not found:
        return 0
    moe = found[0]
    stacked = sum(prod(shape) for name, shape, _ in tensors if "{expert}" in name)
    return stacked - stacked * min(moe.num_experts_per_tok, moe.num_experts) // max(moe.num_experts, 1)


def tables(spec: ModelSpec) -> int:
    """Numbers in tables beside the token embedding, of which a token reads a few rows: n-grams, rows for a layer."""
    graphs = {-1: opening_graph(spec), **{layer.index: layer_graph(spec, layer) for layer in spec.layers}}
    found = {
        (index if one.of is None else one.of, one.name): one.shape
        for index, graph in graphs.items()
        for node in graph.nodes
        for one in node.tensors.values()
        if node.op == "embed" and one.part == "embedding" and one.name != "model.embed_tokens.weight"
    }
    beside = [one for extra in spec.extras if extra.kind == "ngram_embedding" for one in extra.tensors]
    return sum(map(prod, found.values())) + sum(prod(shape) for name, shape in beside if ".embedders." in name)


def parameters(spec: ModelSpec) -> Parameters:
    """Counts of the language model, with MTP layers and other towers apart."""
    before, after = model_tensors(spec)
    parts = dict.fromkeys(PARTS, 0)
    for part, size in sum_parts(before + after).items():
        parts[part] += size
    per_layer: list[int] = []
    active_per_layer: list[int] = []
    known: dict[int, tuple[dict[str, int], int, int]] = {}
    times: dict[int, int] = {}
    for layer, tensors in zip(spec.layers, by_kind(spec, spec.layers), strict=True):
        if id(tensors) not in known:
            sums = sum_parts(tensors)
            known[id(tensors)] = (sums, sum(sums.values()), count_inactive(layer, tensors))
        _, size, rest = known[id(tensors)]
        times[id(tensors)] = times.get(id(tensors), 0) + 1
        per_layer.append(size)
        active_per_layer.append(size - rest)
    for ident, (sums, _, _) in known.items():
        for part, number in sums.items():
            parts[part] += number * times[ident]
    total = sum(parts.values())
    apart = sum(prod(shape) for tensors in by_kind(spec, spec.mtp) for _, shape, _ in tensors)
    apart += sum(prod(shape) for extra in spec.mtp_extras for _, shape in extra.tensors)
    counted = [tower.parameters for tower in spec.towers if tower.parameters is not None]
    return Parameters(
        total=total,
        active=total - sum(per_layer) + sum(active_per_layer),
        by_part={part: size for part, size in parts.items() if size},
        per_layer=per_layer,
        active_per_layer=active_per_layer,
        mtp=apart,
        towers=sum(counted) if len(counted) == len(spec.towers) else None,
        at_most=any(one.zero_expert_num for layer in spec.layers for one in experts_in(layer.mlp)),
    )
