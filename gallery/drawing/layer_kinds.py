"""ModelSpec -> its distinct layers, each looked at once -> the kinds of layers that get a card, and the words on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cmp_to_key, lru_cache
from typing import Any, NamedTuple

from cutaway.gallery.drawing.pictures import picture_of, role_of, short_of
from cutaway.gallery.drawing.words import count, layers, others, some
from cutaway.gallery.spec import Combined, Layer, ModelSpec, MoE
from cutaway.gallery.sublayers import parts_of


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
def picture_key(half: Any) -> Any:
    """A half without what does not change its picture: which layer it borrows from, how experts are scored."""
    if isinstance(half, Combined):
        return replace(half, parts=tuple(picture_key(part) for part in half.parts))
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
    return {picture_key(part): part for part in parts if getattr(part, "weights_of", 0) is None}


# ---------------------------------------------------------------- kinds of layers

MOST_CARDS, MOST_FULL = 7, 3


@dataclass(slots=True)
class Kind:
    """Layers that are alike: one of them, their numbers, and the words on their card."""

    layer: Layer
    indices: list[int]
    role: str = "plain"
    which: str = ""
    says: str = ""
    full: bool = True
    wired: Any = None  # its layer's graph and what the card shows of it, once someone asked
    opened: list = field(default_factory=list)  # the mixers and MLPs whose panels this card opens, top to bottom


def kind_key(layer: Layer) -> tuple:
    """What makes two layers one kind: everything but the index and the layers they point at."""
    extras = tuple((extra.label, tuple(shape for _, shape in extra.tensors)) for extra in layer.extras)
    return (picture_key(layer.mixer), picture_key(layer.mlp), layer.norms, layer.parallel, extras)


def coarse_key(layer: Layer) -> tuple:
    """A coarser kind for models in which nearly every layer differs in size (Nemotron-NAS)."""
    return tuple(tuple((type(p), picture_of(p).role(p)) for p in parts_of(half)) for half in (layer.mixer, layer.mlp))


def group_by(tallies: list[Tally], key) -> list[Kind]:
    """Tallies by kind, in order of first appearance."""
    found: dict[tuple, Kind] = {}
    for layer, indices in tallies:
        kind = found.setdefault(key(layer), Kind(layer, []))
        kind.indices = sorted(kind.indices + indices)
    return list(found.values())


def kinds_of(spec: ModelSpec, tallies: list[Tally], per_layer: list[int]) -> list[Kind]:
    """The kinds of layers, top card first."""
    kinds = group_by(tallies, kind_key)
    if len(kinds) > MOST_CARDS:
        kinds = group_by(tallies, coarse_key)
    mixers = {role_of(kind.layer.mixer) for kind in kinds}
    for kind in kinds:
        mixer, mlp = kind.layer.mixer, kind.layer.mlp
        kind.role = (role_of(mixer) if len(mixers) > 1 or mlp is None else role_of(mlp)) or role_of(mlp) or "plain"
        kind.which = layers(kind.indices, len(spec.layers))
        kind.says = _says(kind, [per_layer[i] for i in kind.indices])
    _name_the_rest(kinds)
    return _order_cards(kinds)


def _name_the_rest(kinds: list[Kind]) -> None:
    """Kinds without a short rule list their layers; of those too scattered for that the largest is "the others"."""
    scattered = []
    for kind in kinds:
        if not kind.which:
            kind.which = some(kind.indices)
            scattered += [kind] if kind.which.startswith("among") else []
    if scattered:
        kind = max(scattered, key=lambda kind: len(kind.indices))
        kind.which = others(kind.indices)


def _says(kind: Kind, sizes: list[int]) -> str:
    least, most = min(sizes), max(sizes)
    each = f"{count(least)} each" if least == most else f"{count(least)} to {count(most)}"
    halves = [short_of(half) for half in (kind.layer.mixer, kind.layer.mlp) if half is not None]
    return " · ".join([" + ".join(halves) or "nothing", each])


def _above(a: Kind, b: Kind) -> int:
    """Kinds that lie wholly above others stand above them, so that no fan crosses; else the rarest is on top."""
    if a.indices[0] > b.indices[-1]:
        return -1
    if b.indices[0] > a.indices[-1]:
        return 1
    return len(a.indices) - len(b.indices) or b.indices[-1] - a.indices[-1]


def _order_cards(kinds: list[Kind]) -> list[Kind]:
    """Cards top to bottom; the commonest kinds with a mixer of their own are drawn in full, the others compact."""
    kinds = sorted(kinds, key=cmp_to_key(_above))
    seen: set[str] = set()
    left = MOST_FULL
    for kind in sorted(kinds, key=lambda k: -len(k.indices)):
        mixer = short_of(kind.layer.mixer) or short_of(kind.layer.mlp)
        kind.full = left > 0 and mixer not in seen
        seen.add(mixer)
        left -= kind.full
    return kinds
