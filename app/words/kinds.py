"""A spec's layers -> its kinds: layers that hold the same, what they are called, and which they are.

Kinds that would be called the same say what sets them apart, as the drawing's cards do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cutaway.app.words import phrases as words
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.kinds import without_references
from cutaway.gallery.counting.parameters import Parameters
from cutaway.gallery.drawing.words import layers, others, some


@dataclass(frozen=True, slots=True)
class Kind:
    """Layers that hold the same tensors: one card in the drawing, one row in the ledger, one weights table."""

    words: str
    indices: list[int]
    where: str
    layer: s.Layer
    weights: list
    each: int
    active: int

    @property
    def count(self) -> int:
        return len(self.indices)

    @property
    def total(self) -> int:
        return self.each * self.count


def kinds_of(spec: s.ModelSpec, groups: list[list[int]], counted: Parameters, weights: tuple) -> list[Kind]:
    """The kinds of the groups that `alike` makes, each with the weights of its first layer."""
    by_layer: dict[int, list] = {indices[0]: [] for indices in groups}
    for weight in weights:
        if weight.layer in by_layer:
            by_layer[weight.layer].append(weight)
    chosen = [spec.layers[first] for first in by_layer]
    told = zip(named(chosen), groups, places(groups, len(spec.layers)), chosen, by_layer.items(), strict=True)
    return [
        Kind(name, indices, where, layer, held, counted.per_layer[first], counted.active_per_layer[first])
        for name, indices, where, layer, (first, held) in told
    ]


# ---------------------------------------------------------------- layers that are alike


def alike(spec: s.ModelSpec) -> list[list[int]]:
    """The layers by what they hold, in the order of the first of each."""
    groups: dict[tuple, list[int]] = {}
    for layer in spec.layers:
        norms = tuple(norm if norm.of is None else replace(norm, of=0) for norm in layer.norms)
        key = (
            without_references(layer.mixer, ()),
            without_references(layer.mlp, ()),
            norms,
            layer.extras,
            layer.parallel,
        )
        groups.setdefault(key, []).append(layer.index)
    return list(groups.values())


# ---------------------------------------------------------------- which layers


def places(groups: list[list[int]], of: int) -> list[str]:
    """Which layers each group has: all of them have words, those without a rule fewer, the largest "the others"."""
    found = [layers(indices, of) or some(indices) for indices in groups]
    scattered = [at for at, where in enumerate(found) if where.startswith("among")]
    if scattered:
        most = max(scattered, key=lambda at: len(groups[at]))
        found[most] = others(groups[most])
    return found


# ---------------------------------------------------------------- names

# What a half may have besides -> its words, asked in this order where two kinds have one name.
MARKS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("kv_source", lambda at: "" if at is None else "shared KV"),
    ("weights_of", lambda at: "" if at is None else "shared weights"),
    ("v_low_rank_dim", lambda rank: "the first layer's values mixed in" if rank else ""),
    ("router_from", lambda at: "the router of the layer before mixed in" if at >= 0 else ""),
    ("sparsity", lambda share: f"{100 * share:g} % activation sparsity" if share else ""),
    ("limit", lambda most: f"clamped at {most:g}" if most else ""),
    ("shared_limit", lambda most: f"shared expert clamped at {most:g}" if most else ""),
)


def named(chosen: list[s.Layer]) -> list[str]:
    """A name for each layer, no two the same: its halves, what the others of the name lack, else a number."""
    plain = [plain_name(layer) for layer in chosen]
    alone = Counter(plain)
    marks = [marks_of(layer) if alone[name] > 1 else [] for layer, name in zip(chosen, plain, strict=True)]
    found = []
    for name, own in zip(plain, marks, strict=True):
        rivals = [theirs for other, theirs in zip(plain, marks, strict=True) if other == name]
        found.append(", ".join([name, *(mark for mark in own if not all(mark in theirs for theirs in rivals))]))
    many = Counter(found)
    return [
        f"{name}, kind {found[: at + 1].count(name)} of {many[name]}" if many[name] > 1 else name
        for at, name in enumerate(found)
    ]


def plain_name(layer: s.Layer) -> str:
    """Its mixer and its MLP in a few words each."""
    halves = ((layer.mixer, words.mixer_words(layer.mixer)), (layer.mlp, words.mlp_words(layer.mlp)))
    return " + ".join(part for half, part in halves if half is not None) or "nothing"


def marks_of(layer: s.Layer) -> list[str]:
    """What a layer has that its name does not tell, each once."""
    parts = [part for half in (layer.mixer, layer.mlp) for part in words.halves(half)]
    said = [says(getattr(part, word)) for part in parts for word, says in MARKS if hasattr(part, word)]
    return [mark for mark in dict.fromkeys([*said, *(extra.label.partition(",")[0] for extra in layer.extras)]) if mark]
