"""A spec -> its distinct mixers, MLPs and norms with their layers, and the questions that mechanisms ask of them.

A question takes `Seen` and gives hits: what has the mechanism, and in which layers. No hit: the model lacks it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.sublayers import parts_of


class Hit(NamedTuple):
    """One thing that has a mechanism, and where it stands."""

    half: str  # "mixer", "mlp", "norm", "stream", "mtp", "head", "embed", "stack"
    part: Any  # the mixer, the MLP, the norm, the residual scheme; None where it is the layer as such
    layers: tuple[int, ...] = ()
    at: int = -1  # its place where several parts make a half; -1 = it is the half
    node: str = ""  # of the layer's graph, where the part is no half


class Seen:
    """A spec, each distinct part of it looked at once."""

    def __init__(self, spec: s.ModelSpec) -> None:
        self.spec = spec
        self.mixers = self._halves("mixer")
        self.mlps = self._halves("mlp")
        norms: dict[s.Norm, list[int]] = {}
        for layer in spec.layers:
            for norm in layer.norms:
                norms.setdefault(norm, []).append(layer.index)
        self.norms = [Hit("norm", norm, tuple(at), node=f"{norm.position}_norm") for norm, at in norms.items()]

    def _halves(self, half: str) -> list[Hit]:
        found: dict[tuple[int, int], tuple[Any, list[int]]] = {}
        for layer in self.spec.layers:
            parts = parts_of(getattr(layer, half))
            for place, part in enumerate(parts):
                key = (id(part), place if len(parts) > 1 else -1)
                found.setdefault(key, (part, []))[1].append(layer.index)
        return [Hit(half, part, tuple(layers), at) for (_, at), (part, layers) in found.items()]


seen_in = cached_for_spec(Seen)  # a page asks some forty times about one spec

Question = Callable[[Seen], list[Hit]]


def mixer(kind: type | tuple[type, ...] = object, test: Callable[[Any, s.ModelSpec], Any] | None = None) -> Question:
    """Mixers of a kind that pass a test."""
    return lambda seen: [
        hit for hit in seen.mixers if isinstance(hit.part, kind) and (test is None or test(hit.part, seen.spec))
    ]


def mlp(kind: type | tuple[type, ...] = object, test: Callable[[Any, s.ModelSpec], Any] | None = None) -> Question:
    """MLPs of a kind that pass a test."""
    return lambda seen: [
        hit for hit in seen.mlps if isinstance(hit.part, kind) and (test is None or test(hit.part, seen.spec))
    ]


def mixer_field(name: str, kind: type | tuple[type, ...] = object) -> Question:
    """Mixers with this field, and something in it."""
    return mixer(kind, lambda part, spec: getattr(part, name, None))


def mlp_field(name: str, kind: type | tuple[type, ...] = object) -> Question:
    """MLPs with this field, and something in it."""
    return mlp(kind, lambda part, spec: getattr(part, name, None))


def norm(test: Callable[[s.Norm], Any]) -> Question:
    """Norms of the stream that pass a test."""
    return lambda seen: [hit for hit in seen.norms if test(hit.part)]


def layers(test: Callable[[s.Layer], Any], half: str = "stream", node: str = "") -> Question:
    """Layers as such."""

    def found(seen: Seen) -> list[Hit]:
        at = tuple(layer.index for layer in seen.spec.layers if test(layer))
        return [Hit(half, None, at, node=node)] if at else []

    return found


def stream(kind: type, test: Callable[[Any], Any] | None = None, node: str = "") -> Question:
    """A residual scheme of a kind, in every layer."""

    def found(seen: Seen) -> list[Hit]:
        scheme = seen.spec.residual
        if not isinstance(scheme, kind) or not (test is None or test(scheme)):
            return []
        return [Hit("stream", scheme, tuple(layer.index for layer in seen.spec.layers), node=node)]

    return found


def opening_operation(op: str) -> Question:
    """An operation between the embedding and the first layer."""
    return model(lambda spec: spec.opening is not None and any(node.op == op for node in spec.opening.nodes), "embed")


def model(test: Callable[[s.ModelSpec], Any], half: str) -> Question:
    """Something that the model as a whole has."""
    return lambda seen: [Hit(half, None)] if test(seen.spec) else []


def extra(kind: str, node: str = "") -> Question:
    """Something beside mixer and MLP with weights of its own."""
    return layers(lambda layer: any(one.kind == kind for one in layer.extras), node=node)


def embedding_tables(kind: str) -> Question:
    """Tables of the model, outside its layers, that add to its embedding."""
    return model(lambda spec: any(one.kind == kind for one in spec.extras), "embed")


def all_hold(*questions: Question) -> Question:
    """What all of them hold for; the hits are those of the last."""

    def found(seen: Seen) -> list[Hit]:
        hits: list[Hit] = []
        for question in questions:
            hits = question(seen)
            if not hits:
                return []
        return hits

    return found


def with_other(question: Question, beside: Question, value: Callable[[Any], Any]) -> Question:
    """What both questions hold for, where no value of the one is a value of the other: windows with their own base."""

    def found(seen: Seen) -> list[Hit]:
        some, others = question(seen), beside(seen)
        values, theirs = ({value(hit.part) for hit in hits} for hits in (some, others))
        return [*some, *others] if values and theirs and not values & theirs else []

    return found


def first_layers(many: Callable[[s.ModelSpec], int]) -> Question:
    """The stream behind so many layers, from the first on; no hit where there are none."""

    def found(seen: Seen) -> list[Hit]:
        at = tuple(layer.index for layer in seen.spec.layers[: many(seen.spec)])
        return [Hit("stream", None, at)] if at else []

    return found


def any_holds(*questions: Question) -> Question:
    """What one of them holds for."""
    return lambda seen: [hit for question in questions for hit in question(seen)]


def none_of(*questions: Question) -> Question:
    """Holds, without a place, where none of them does."""
    return lambda seen: [] if any(question(seen) for question in questions) else [Hit("stream", None)]
