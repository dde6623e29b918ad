"""ModelSpec -> its weights under our own names, each with its layer and the bytes it takes in the checkpoint.

A checkpoint may fuse tensors that are cut differently (q, k and v in one matrix): each gets its part of the bytes.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import NamedTuple

from cutaway.gallery.counting.naming import Tensor, rename
from cutaway.gallery.counting.stored_bytes import MATRICES, is_matrix, list_stored
from cutaway.gallery.counting.weights import Weight, by_kind, model_tensors, split_rules, stamp
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.spec import Layer, ModelSpec


class Piece(NamedTuple):
    """One weight as a rank may hold it."""

    name: str
    shape: tuple[int, ...]
    part: str
    layer: Layer | None
    last: bool  # it stands after the layers
    bytes: int

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    @property
    def matrix(self) -> bool:
        """Whether another format of weights would change it: matrices but the head."""
        return self.part in MATRICES and self.part != "head" and is_matrix(Weight(*self[:3], None))


def tag_tensors(tensors: list[Tensor]) -> list[Tensor]:
    """Each tensor's place in the list beside its part, so that it is known again under another name."""
    return [(name, shape, f"{part}#{place}") for place, (name, shape, part) in enumerate(tensors)]


Costs = dict[int, tuple[int, int]]  # place in our list -> (numbers, bytes) of the checkpoint's tensor that begins there


def stored_costs(spec: ModelSpec, groups: list[list[Weight]]) -> list[Costs]:
    """What the checkpoint's tensors of each group take, by the places that their marks name."""
    marks = [[weight.part.rpartition("#") for weight in group] for group in groups]
    listed = [
        weight._replace(part=mark[0])
        for group, marked in zip(groups, marks, strict=True)
        for weight, mark in zip(group, marked, strict=True)
    ]
    found = iter(zip(listed, list_stored(spec, tuple(listed)), strict=True))
    out = []
    for marked in marks:
        pairs = [(int(mark[2]), next(found)) for mark in marked]
        out.append({place: (weight.size, one.bytes) for place, (weight, one) in pairs})
    return out


def spread_bytes(own: list[Tensor], at: Costs) -> list[int]:
    """The bytes of each of our own tensors out of the checkpoint's: fused ones share by their numbers."""
    spare = {place: numbers - prod(own[place][1]) for place, (numbers, _) in at.items()}
    rest = {place: taken for place, (_, taken) in at.items()}
    out = [0] * len(own)
    for place, (name, shape, part) in enumerate(own):
        if place in at:
            continue
        size = prod(shape)
        whose = next(p for p, room in spare.items() if room >= size and may_be_fused(own[p], name, part))
        numbers, taken = at[whose]
        out[place] = taken * size // max(numbers, 1)
        spare[whose], rest[whose] = spare[whose] - size, rest[whose] - out[place]
    return [rest.get(place, taken) for place, taken in enumerate(out)]


def may_be_fused(other: Tensor, name: str, part: str) -> bool:
    """Whether two tensors may be one in a checkpoint: of one part, both weights or both biases."""
    return other[2] == part and other[0].endswith("bias") == name.endswith("bias")


def mtp_pieces(spec: ModelSpec) -> list[list[Piece]]:
    """The weights of each layer that predicts a further token, with what joins it to the stream.

    Embedding and head are the model's own, whatever a checkpoint stores, so tables of the vocabulary are left out.
    """
    out = []
    for place, (layer, own) in enumerate(zip(spec.mtp, by_kind(spec, spec.mtp), strict=True)):
        joins = spec.mtp_extras[place : place + 1]
        more = [(name, shape, one.part) for one in joins for name, shape in one.tensors if shape[0] != spec.vocab_size]
        each = int(stored_bits(spec.dtype)) // 8
        out.append([Piece(*tensor, layer, True, prod(tensor[1]) * each) for tensor in (*own, *more)])
    return out


def first_alike(spec: ModelSpec) -> list[int]:
    """Of each layer the first that holds, stores and does the same; stored formats may go by a layer's number."""
    if spec.quantization is not None:
        return [layer.index for layer in spec.layers]
    firsts: dict[tuple[int, ...], int] = {}
    out = []
    for layer, own in zip(spec.layers, by_kind(spec, spec.layers), strict=True):
        key = (*layer.made_of, id(own))
        out.append(firsts.setdefault(key, layer.index))
    return out


def list_pieces(spec: ModelSpec, only: Collection[int] | None = None) -> list[Piece]:
    """Every weight, in the order in which a token meets it; of some layers, where they are named."""
    inside, outside, stack = split_rules(spec)
    before, after = model_tensors(spec)
    out: list[Piece] = []
    pairs = zip(spec.layers, by_kind(spec, spec.layers), strict=True)
    chosen = [(layer, own) for layer, own in pairs if only is None or layer.index in only]
    layers, lists = tuple(layer for layer, _ in chosen), [own for _, own in chosen]
    marked = {id(tensors): tag_tensors(tensors) for tensors in lists}
    by_layer: dict[int | None, list[Weight]] = {}
    for weight in stamp(layers, [marked[id(tensors)] for tensors in lists], inside, stack, spec.places):
        by_layer.setdefault(weight.layer, []).append(weight)
    ends = [[Weight(*one, None) for one in rename(tag_tensors(own), outside)] for own in (before, after)]
    rows: list[tuple[Layer | None, bool, list[Tensor]]] = [(None, False, before)]
    rows += [(layer, False, own) for layer, own in chosen] + [(None, True, after)]
    groups = [ends[0], *(by_layer.get(layer.index, []) for layer in layers), ends[1]]
    for (layer, last, own), at in zip(rows, stored_costs(spec, groups), strict=True):
        out += [Piece(*tensor, layer, last, cost) for tensor, cost in zip(own, spread_bytes(own, at), strict=True)]
    return out
