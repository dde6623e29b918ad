"""ModelSpec -> its distinct layers with their numbers, so that everything else looks at each of them once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from cutaway.gallery.halves import parts_of
from cutaway.gallery.spec import Combined, Layer, ModelSpec, MoE


class Tally(NamedTuple):
    """One layer and the numbers of all layers built from the same objects."""

    layer: Layer
    indices: list[int]


def census(spec: ModelSpec) -> list[Tally]:
    """Distinct layers in order of first appearance; reading shares the objects of equal layers."""
    found: dict[tuple, Tally] = {}
    for layer in spec.layers:
        tally = found.get(layer.made_of)
        if tally is None:
            found[layer.made_of] = Tally(layer, [layer.index])
        else:
            tally.indices.append(layer.index)
    return list(found.values())


@lru_cache(512)
def same(half: Any) -> Any:
    """A half without what does not change its picture: which layer it borrows from, how experts are scored."""
    if isinstance(half, Combined):
        return replace(half, parts=tuple(same(part) for part in half.parts))
    if isinstance(half, MoE):
        return replace(half, scoring="", table_rows=0, selection_bias="")
    if adapter := getattr(half, "adapter", ()):
        half = replace(half, adapter=(adapter[0], 0))
    if getattr(half, "weights_of", None) is not None:
        half = replace(half, weights_of=None)
    return replace(half, kv_source=-1) if getattr(half, "kv_source", None) is not None else half


def parts_in(tallies: list[Tally], halves: tuple[str, ...] = ("mixer", "mlp")) -> Iterator[tuple[object, int]]:
    """Every single mixer and MLP with the number of layers that have it."""
    for layer, indices in tallies:
        for half in halves:
            for part in parts_of(getattr(layer, half)):
                yield part, len(indices)


def owners_of(tallies: list[Tally]) -> dict[object, object]:
    """For parts that run on another layer's weights, the part that owns them."""
    parts = [part for part, _ in parts_in(tallies)]
    if all(getattr(part, "weights_of", None) is None for part in parts):
        return {}
    return {same(part): part for part in parts if getattr(part, "weights_of", 0) is None}
