"""Sentences -> the queries, keys and values that the small llama of next-token makes of them, in 16 bits."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache

import numpy as np

from cutaway.explainers.next_token import forward, tokens

TEXTS = (
    "Mr. Darcy looked at Elizabeth, and Elizabeth looked at Mr.",
    "Emma smiled at Harriet, and Harriet smiled at Emma",
    "My dear Emma, said Mr. Knightley, my dear Emma",
    "It is a truth universally acknowledged, that a single man",
)
LEVELS = 32767
MOST = 16  # tokens of a text of one's own that are shown, <s> among them


@dataclass(frozen=True)
class Vectors:
    """One layer's vectors of a sentence of n tokens."""

    q: np.ndarray  # [n, heads, head_dim], rotated
    k: np.ndarray  # [n, kv_heads, head_dim], rotated
    v: np.ndarray  # [n, kv_heads, head_dim]


@cache
def ids_of(text: int) -> tuple[int, ...]:
    """The tokens of a sentence, <s> first."""
    return (tokens.FIRST, *tokens.encode(TEXTS[text]))


@cache
def ids_typed(own: str) -> tuple[tuple[int, ...], int]:
    """The first tokens of a text of one's own, <s> first, and how many are left out."""
    ids = (tokens.FIRST, *tokens.encode(own))
    return ids[:MOST], max(0, len(ids) - MOST)


@cache
def layers_of(ids: tuple[int, ...]) -> tuple[Vectors, ...]:
    """What each layer makes of some tokens."""
    return tuple(Vectors(layer.q, layer.k, layer.v) for layer in forward.run(forward.load(), ids).layers)


def exact(text: int) -> tuple[Vectors, ...]:
    """What each layer makes of a sentence."""
    return layers_of(ids_of(text))


@cache
def step_of(text: int, layer: int) -> float:
    """What one step of the 16 bits is worth in this layer."""
    one = exact(text)[layer]
    return float(max(abs(part).max() for part in (one.q, one.k, one.v)) / LEVELS)


@cache
def packed(text: int, layer: int) -> bytes:
    """Queries, then keys, then values, as steps in 16 bits, little-endian."""
    one, step = exact(text)[layer], step_of(text, layer)
    return b"".join(np.rint(part / step).astype("<i2").tobytes() for part in (one.q, one.k, one.v))


@cache
def stored(text: int, layer: int) -> Vectors:
    """The vectors as the page has them: rounded to 16 bits."""
    shapes = [part.shape for part in vars(exact(text)[layer]).values()]
    numbers = np.frombuffer(packed(text, layer), "<i2") * step_of(text, layer)
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    return Vectors(*(part.reshape(shape) for part, shape in zip(np.split(numbers, ends[:-1]), shapes, strict=True)))


def coded(parts: bytes) -> str:
    """Bytes as text."""
    return base64.b64encode(parts).decode()
