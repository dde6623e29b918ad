"""ModelSpec -> a small copy that runs at once: every kind of layer, with the same wiring and small widths.

Each width becomes at most what SIZES has for its field. The layers are those that the drawing shows and those that they
read from. Copy and model must have the same signatures: then nothing but sizes has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from math import prod
from typing import Any, TypeGuard

from cutaway.gallery.drawing.layer_kinds import census, kinds_of
from cutaway.gallery.graph import Graph
from cutaway.gallery.records import ConfigError, Rope
from cutaway.gallery.running.proofs import layer_signature, signatures
from cutaway.gallery.spec import Combined, Layer, ModelSpec
from cutaway.gallery.wiring import closing_graph, course, layer_graph, opening_graph

HIDDEN, VOCABULARY = 32, 64
MOST_LAYERS = 12
MOST_NUMBERS = 400_000  # in all weights together
HEADS, KEY_HEADS, HEAD_DIM, ROTATED, RANK = 4, 2, 8, 4, 8
SIZES = {
    "head_dim": HEAD_DIM, "v_head_dim": HEAD_DIM, "qk_head_dim": HEAD_DIM, "qk_nope_head_dim": HEAD_DIM,
    "index_head_dim": HEAD_DIM, "linear_key_head_dim": HEAD_DIM, "linear_value_head_dim": HEAD_DIM,
    "qk_rope_head_dim": ROTATED, "q_lora_rank": 12, "kv_lora_rank": RANK, "o_lora_rank": RANK, "q_rank": 12,
    "dt_rank": ROTATED, "decay_low_rank_dim": RANK, "gate_low_rank_dim": RANK, "a_low_rank_dim": RANK,
    "v_low_rank_dim": RANK, "laurel_rank": RANK, "lowrank": RANK, "gate_rank": ROTATED, "d_rel": ROTATED,
    "rel_extent": 4, "index_n_heads": KEY_HEADS, "o_groups": 2, "n_groups": 2, "groups": 2, "state_size": 8,
    "d_inner": HIDDEN, "lru_width": HIDDEN, "attention_hidden_size": HIDDEN, "conv_dim": HIDDEN,
    "intermediate_size": 48, "moe_intermediate_size": 12, "shared_expert_intermediate_size": 16,
    "n_shared_experts": 2, "zero_expert_num": 2, "router_size": 16, "router_network": 16, "latent_size": 16,
    "table_rows": VOCABULARY, "n_group": 2, "num_experts_per_tok": 2, "num_experts": 8,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "sliding_window": 3, "attention_chunk_size": 3,
    "dynamic_mask": 3, "index_topk": 3, "block_size": 2, "local_blocks": 1, "compress_ratio": 2, "every": 2,
    "conv_kernel": 4, "linear_conv_kernel_dim": 4, "short_conv_kernel_size": 4, "conv_L_cache": 4, "kernel": 4,
    "first_kernel": 2, "second_kernel": 2, "streams": 4, "width": RANK, "per_layer": RANK,
}  # fmt: skip


class TooLarge(ConfigError):
    """A model that has no small copy; the message is a sentence for the reader."""


def small_copy(spec: ModelSpec) -> ModelSpec:
    """The copy; TooLarge if it would be large, or wired differently."""
    change = partial(small_part, spec)
    made: dict[int, Any] = {}
    layers = tuple(small_layer(change, made, layer) for layer in spec.layers)
    tokens = min(spec.vocab_size, VOCABULARY)
    copy = replace(
        spec, layers=layers, hidden_size=min(spec.hidden_size, HIDDEN), vocab_size=tokens,
        embedding_rows=spec.embedding_rows and tokens, embedding_size=min(spec.embedding_size, 16),
        opening=small_graph(spec, spec.opening), closing=small_graph(spec, spec.closing),
        residual=change(spec.residual), final_norm=spec.final_norm and change(spec.final_norm),
        loops=min(spec.loops, 2),
    )  # fmt: skip
    if set(signatures(copy)) != set(signatures(spec)):
        raise TooLarge("A small copy of this model would be wired differently, so it cannot be run here.")
    return with_few_layers(copy, drawn_layers(spec))


def small_graph(spec: ModelSpec, graph: Graph | None) -> Graph | None:
    """The graph before or after the layers, with small tensors: each width by what it is the width of."""
    if graph is None:
        return None
    width = getattr(spec.residual, "width", 0) or getattr(spec.residual, "per_layer", 0)
    depth, few = len(spec.layers), min(width, RANK)
    small = {spec.hidden_size: min(spec.hidden_size, HIDDEN), width: few, depth * width: depth * few}

    def dims(found: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(small.get(dim, min(dim, VOCABULARY)) for dim in found)

    nodes = []
    for node in graph.nodes:
        tensors = {word: one._replace(shape=dims(one.shape)) for word, one in node.tensors.items()}
        facts = dict(node.facts)
        if "split" in facts:
            facts["split"] = (*facts["split"][:-1], small.get(facts["split"][-1], facts["split"][-1]))
        if "width" in facts:
            facts["width"] = small.get(facts["width"], facts["width"])
        nodes.append(node._replace(tensors=tensors, facts=facts))
    return Graph(tuple(nodes), graph.out)


def small_layer(change, made: dict[int, Any], layer: Layer) -> Layer:
    """A layer with small parts; parts that layers share stay shared."""

    def each(part: Any) -> Any:
        if id(part) not in made:
            made[id(part)] = tuple(map(change, part)) if isinstance(part, tuple) else change(part)
        return made[id(part)]

    return replace(layer, mixer=each(layer.mixer), mlp=each(layer.mlp), norms=each(layer.norms))


def small_part(spec: ModelSpec, part: Any) -> Any:
    """A record with small sizes, and so the records in it."""
    if isinstance(part, Combined):
        return replace(part, parts=tuple(small_part(spec, one) for one in part.parts))
    if not is_dataclass(part) or isinstance(part, type):
        return part
    given = {one.name: getattr(part, one.name) for one in fields(part)}
    found: dict[str, Any] = {
        name: min(value, SIZES[name]) for name, value in given.items() if name in SIZES and whole(value)
    }
    found |= heads(given) | multiples(spec, given)
    if given.get("n_group", 1) > 1:
        found["topk_group"] = 1
    if whole(given.get("rotary_dim")):
        found["rotary_dim"] = rotated(given, given["rotary_dim"])
    for name, value in given.items():
        if isinstance(value, Rope):
            found[name] = small_rope(value, rotated(given, value.dims))
        elif is_dataclass(value):
            found[name] = small_part(spec, value)
    if given.get("adapter"):
        found["adapter"] = (ROTATED, given["adapter"][1])
    return replace(part, **found)


def whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def heads(given: dict[str, Any]) -> dict[str, int]:
    """The fewest heads that keep the grouping: MHA, GQA or MQA."""
    own = next((name for name in ("num_attention_heads", "num_heads") if whole(given.get(name))), "")
    kv = given.get("num_key_value_heads")
    if not own:
        return {"num_key_value_heads": min(kv, KEY_HEADS)} if whole(kv) else {}
    count = given[own]
    if not whole(kv):
        return {own: min(count, HEADS)}
    if kv == count:
        return {own: min(count, HEADS), "num_key_value_heads": min(count, HEADS)}
    few = min(kv, KEY_HEADS)
    return {own: few * min(count // kv, HEADS // few), "num_key_value_heads": few}


def multiples(spec: ModelSpec, given: dict[str, Any]) -> dict[str, int]:
    """Widths that are a multiple of the residual stream's."""
    few = min(spec.hidden_size, HIDDEN)
    found = {}
    for name in ("input_size", "size"):
        if whole(given.get(name)):
            found[name] = max(given[name] // spec.hidden_size, 1) * few
    return found


def rotated(given: dict[str, Any], dims: int) -> int:
    """How many dimensions of a small head RoPE rotates: all, or a part."""
    if "qk_rope_head_dim" in given:
        return min(dims, ROTATED)
    whole_head = given.get("index_head_dim") or given.get("head_dim") or dims
    return min(dims, HEAD_DIM if dims >= whole_head else ROTATED)


def small_rope(rope: Rope, dims: int) -> Rope:
    """RoPE with fewer pairs; lists with a factor for each pair are shortened to match."""
    scaling = {}
    for key, value in rope.scaling:
        if isinstance(value, tuple | list):
            value = type(value)(value[: dims // 2])
        elif key == "rotated":
            value = dims if value == rope.dims else dims // 2
        scaling[key] = value
    return rope._replace(dims=dims, scaling=tuple(scaling.items()))


# ---------------------------------------------------------------- which layers run


def drawn_layers(spec: ModelSpec) -> list[int]:
    """One layer of each kind that has a card, and one of each other wiring among the layers of a card."""
    tallies = census(spec)
    drawn = [kind.layer for kind in kinds_of(spec, tallies, [0] * len(spec.layers))]
    layers = [*drawn, *(tally.layer for tally in tallies)]
    found = {tuple(layer_signature(spec, layer)): layer.index for layer in reversed(layers)}
    return sorted({*found.values(), *(layer.index for layer in drawn)})


def with_few_layers(spec: ModelSpec, wanted: list[int]) -> ModelSpec:
    """The same spec, of which only the wanted layers run, and those that they read from; each keeps its number."""
    if spec.course:
        return checked_size(spec, [index for stage in spec.course for index in stage.layers])
    run, left = set(), list(wanted)
    while left:
        index = left.pop()
        if index not in run:
            run.add(index)
            left += sources(spec, index)
    if len(run) > MOST_LAYERS:
        raise TooLarge(f"{len(run)} layers of this model read from each other; a small copy has at most {MOST_LAYERS}.")
    stages = tuple(stage._replace(layers=tuple(sorted(run))) for stage in course(spec))
    return checked_size(replace(spec, course=stages), sorted(run))


def sources(spec: ModelSpec, index: int) -> Iterator[int]:
    """The layers whose values or weights a layer needs."""
    graph = layer_graph(spec, spec.layers[index])
    for node in graph.nodes:
        for name in node.inputs:
            where, colon, value = name.partition(":")
            if where.startswith("layer") and colon:
                yield int(where.removeprefix("layer"))
            elif where == "earlier":
                yield from last_with(spec, index, value)


def last_with(spec: ModelSpec, index: int, name: str) -> Iterator[int]:
    """The last layer before `index` that has a node of this name."""
    for before in range(index - 1, -1, -1):
        if any(node.name == name for node in layer_graph(spec, spec.layers[before]).nodes):
            yield before
            return


def checked_size(spec: ModelSpec, layers: list[int]) -> ModelSpec:
    """The copy; TooLarge if it has too many weights."""
    graphs = [opening_graph(spec), closing_graph(spec), *(layer_graph(spec, spec.layers[n]) for n in set(layers))]
    count = sum(prod(tensor.shape) for graph in graphs for tensor in graph.tensors())
    if count > MOST_NUMBERS or len(layers) > 4 * MOST_LAYERS:
        raise TooLarge(f"A small copy of this model would still have {count:,} weights, so it cannot be run here.")
    return spec
