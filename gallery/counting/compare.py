"""Two specs -> their structural differences, as rows (what, value in a, value in b); equal parts are left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from gallery.spec import ModelSpec

FRAME = (
    "hidden_size", "vocab_size", "num_hidden_layers", "max_position_embeddings", "tie_word_embeddings", "head_bias",
    "embedding_size", "has_head", "bidirectional", "loops", "hyper_connections", "final_norm",
)  # fmt: skip


class Difference(NamedTuple):
    """One thing that differs; "" stands for "has none"."""

    where: str  # "model", "mixer", "mlp", "norms", "layers", "extras", "mtp"
    what: str
    a: str
    b: str


def word(value: object) -> str:
    """A value as a short text."""
    if value is None or value == () or value == frozenset():
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, frozenset):
        return ", ".join(sorted(value))
    if is_dataclass(value):
        return type(value).__name__
    return str(value)


def leaves(record: Any, prefix: str = "") -> dict[str, object]:
    """A record's fields, those of records inside it too."""
    out: dict[str, object] = {"": type(record).__name__} if not prefix else {prefix: type(record).__name__}
    for item in fields(record):
        value, name = getattr(record, item.name), f"{prefix}.{item.name}".lstrip(".")
        if is_dataclass(value):
            out |= leaves(value, name)
        elif isinstance(value, tuple) and value and all(is_dataclass(part) for part in value):
            for position, part in enumerate(value):
                out |= leaves(part, f"{name}.{position}")
        else:
            out[name] = value
    return out


def counted(spec: ModelSpec, half: str) -> Counter:
    """How many layers have each distinct mixer (or MLP)."""
    return Counter(getattr(layer, half) for layer in spec.layers if getattr(layer, half) is not None)


def paired(a: Counter, b: Counter) -> list[tuple[object | None, object | None]]:
    """Kinds of both sides matched: equal ones left out, the rest by type and then by how many fields agree."""
    left = [kind for kind, _ in a.most_common() if kind not in b]
    right = [kind for kind, _ in b.most_common() if kind not in a]
    out = []
    for kind in left:
        same = [other for other in right if type(other) is type(kind)]
        if same:
            best = max(same, key=lambda other: agreement(kind, other))
            right.remove(best)
            out.append((kind, best))
        else:
            out.append((kind, None))
    return out + [(None, kind) for kind in right]


def agreement(a: object, b: object) -> int:
    """How many leaves two records share."""
    first, second = leaves(a), leaves(b)
    return sum(second.get(name) == value for name, value in first.items())


def half_differences(a: ModelSpec, b: ModelSpec, half: str) -> list[Difference]:
    """What differs in the mixers (or the MLPs) of two models."""
    out, left, right = [], counted(a, half), counted(b, half)
    for one, other in paired(left, right):
        if one is None or other is None:
            kind = one or other
            sides = [f"{number:,} layers" if number else "" for number in (left[kind], right[kind])]
            out.append(Difference(half, type(kind).__name__, *sides))
            continue
        first, second = leaves(one), leaves(other)
        out += [
            Difference(half, name or "kind", word(first.get(name)), word(second.get(name)))
            for name in dict.fromkeys((*first, *second))
            if first.get(name) != second.get(name) and not name.endswith(("weights_of", "kv_source"))
        ]
    shared = [kind for kind in left if kind in right and left[kind] != right[kind]]
    if shared or sorted(left.values()) != sorted(right.values()):
        every = left | right
        mix = [", ".join(f"{n} {told(kind, every)}" for kind, n in side.most_common(6)) for side in (left, right)]
        out.append(Difference("layers", half, *mix))
    elif left == right:
        out += moved(a, b, half, left)
    return list(dict.fromkeys(out))


def told(kind: object, among: Counter) -> str:
    """The name of a kind of mixer or MLP; beside others of that name, with the first field in which it differs."""
    own = leaves(kind)
    for other in among:
        if type(other) is type(kind) and other != kind:
            theirs = leaves(other)
            apart = [name for name, value in own.items() if value != theirs.get(name) and word(value) not in ("", "0")]
            if apart:
                return f"{type(kind).__name__} ({apart[0]} {word(own[apart[0]])})"
    return type(kind).__name__


def moved(a: ModelSpec, b: ModelSpec, half: str, among: Counter) -> list[Difference]:
    """The first layer that has another kind, where both models have the same kinds equally often."""
    for one, other in zip(a.layers, b.layers, strict=False):
        pair = (getattr(one, half), getattr(other, half))
        if pair[0] != pair[1]:
            return [
                Difference(
                    "layers", f"{half} of layer {one.index}", *(told(kind, among) if kind else "" for kind in pair)
                )
            ]
    return []


def sets(a: ModelSpec, b: ModelSpec) -> list[Difference]:
    """Norms, extras, MTP layers and towers, as words."""

    def norms(spec: ModelSpec) -> str:
        return ", ".join(f"{norm.kind} {norm.position}" for norm in spec.layers[-1].norms)

    def extras(spec: ModelSpec) -> str:
        found = [*spec.extras, *(extra for layer in spec.layers for extra in layer.extras)]
        return ", ".join(dict.fromkeys(extra.kind for extra in found))

    rows = [
        Difference("norms", "norms of a layer", norms(a), norms(b)),
        Difference("extras", "beside mixer and MLP", extras(a), extras(b)),
        Difference("mtp", "MTP layers", word(len(a.mtp)), word(len(b.mtp))),
        Difference("model", "towers", *(", ".join(tower.name for tower in side.towers) for side in (a, b))),
        Difference("model", "halves side by side", *(word(side.layers[0].parallel) for side in (a, b))),
    ]
    return [row for row in rows if row.a != row.b]


def compare(a: ModelSpec, b: ModelSpec) -> list[Difference]:
    """Everything structural in which two models differ; an empty list means the same architecture and sizes."""
    out = [
        Difference("model", name, word(getattr(a, name)), word(getattr(b, name)))
        for name in FRAME
        if getattr(a, name) != getattr(b, name)
    ]
    return out + half_differences(a, b, "mixer") + half_differences(a, b, "mlp") + sets(a, b)


def distance(a: ModelSpec, b: ModelSpec) -> int:
    """How many structural differences there are: 0 between a model and its quantized twin."""
    return len(compare(a, b))
