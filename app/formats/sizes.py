"""A model's weights -> bytes in each format, by the rules that the site counts published checkpoints with.

What a format converts are the matrices of the layers; embeddings, the output head, routers and norms stay in BF16.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from cutaway.app.formats.rows import CHOICES, Choice
from cutaway.gallery.counting.stored_bytes import cost, is_matrix, transposed_names
from cutaway.gallery.counting.weights import weights

if TYPE_CHECKING:
    from cutaway.gallery.spec import ModelSpec

BF16 = 2
K_BLOCK = 256  # a row that it does not divide is stored as Q5_0: llama.cpp's fallback


def packed(spec: ModelSpec) -> list[int]:
    """Bytes of all weights in BF16, then in each of CHOICES."""
    turned = transposed_names(spec)
    shapes: dict[tuple[tuple[int, ...], bool, bool], int] = {}
    for weight in weights(spec):
        converted = is_matrix(weight) and weight.part != "head"
        key = (weight.shape, converted, any(name in weight.name for name in turned))
        shapes[key] = shapes.get(key, 0) + 1
    plain = sum(many * prod(shape) * BF16 for (shape, converted, _), many in shapes.items() if not converted)
    matrices = [(shape, across, many) for (shape, converted, across), many in shapes.items() if converted]
    whole = plain + sum(many * prod(shape) * BF16 for shape, _, many in matrices)
    return [
        whole,
        *(plain + sum(many * one(row, shape, across) for shape, across, many in matrices) for row in CHOICES),
    ]


def one(row: Choice, shape: tuple[int, ...], across: bool) -> int:
    """Bytes of one matrix, or of a stack of them."""
    inputs = shape[-2] if across else shape[-1]
    scheme = "q5_0" if row.scheme == "q4_k" and inputs % K_BLOCK else row.scheme
    return cost(shape, scheme, 0, across, row.method)[0]
