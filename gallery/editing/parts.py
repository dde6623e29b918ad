"""One mixer or MLP -> what follows from its fields: parameters, experts at rest, what it keeps, how it is called."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from cutaway.gallery import mixers, mlps
from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import STORAGES
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.editing.edited import change_part
from cutaway.gallery.editing.sums import Axis, Sums, fit_sums
from cutaway.gallery.graph import Graph, Keep

PROBE = 7_919  # a window that no model has: what carries it follows the field
NO_SHAPE = ("sliding_window", "attention_chunk_size", "num_experts_per_tok")  # fields that no tensor shows


class Kept(NamedTuple):
    """One thing that is kept, before things that grow alike are put together."""

    kind: str
    numbers: Sums
    bits: int  # of one number; 0 = as the cache is stored
    every: int
    cap: int | str  # tokens, or the attribute that says how many; 0 = no end
    fixed: bool
    packed: tuple[tuple[int, int, int], ...]  # of each packed layout: bits a number, bits besides, bits per 128 begun


class Part(NamedTuple):
    """What a script needs of it."""

    total: Sums
    each: int  # parameters of one routed expert
    kept: tuple[Kept, ...]
    role: str
    short: str
    how: str  # the rule that colours and names it, where a field changes them: a key of HOW


HOW = {s.Attention: "plain", s.RelativeAttention: "plain", s.ConvolvedAttention: "convolved",
       s.LatentAttention: "latent", s.CompressedAttention: "compressed"}  # fmt: skip


def write_graph(part: Any, h: int) -> Graph:
    """Its graph, kept nowhere: these values are looked at once."""
    kind = type(part)
    return (mixers.GRAPHS.get(kind) or mlps.GRAPHS[kind])(part, h)


@lru_cache(2048)
def describe_part(part: Any, h: int, fields: tuple[tuple[str, bool], ...], own_bits: int) -> Part:
    """`fields`: (attribute, whether it may be 0) of what can be edited; `own_bits` of a number in the model's dtype."""
    if isinstance(part, s.NotUnderstood):
        return Part([], 0, (), role_of(part), short_of(part), "")
    names = [name for name, _ in fields]
    axes = [Axis(name, getattr(part, name), zero) for name, zero in fields if name not in NO_SHAPE]
    probes = {name: PROBE for name in names if name in NO_SHAPE[:2]}
    shapes: list[Keep] = []

    def count(values: dict[str, int]) -> list[int]:
        own = change_part(part, values | probes, h)
        graph = write_graph(own, h)
        tensors = [one for one in graph.tensors() if one.part != "buffer" and one.of is None]
        shapes[:] = [keep for node in graph.nodes for keep in node.keeps]
        each = sum(prod(one.shape) // own.num_experts for one in tensors if "{expert}" in one.name)
        return [sum(prod(one.shape) for one in tensors), each, *(keep.numbers for keep in shapes)]

    total, experts, *numbers = fit_sums(axes, count)
    each = sum(factor for factor, _ in experts)
    window = next((name for name in NO_SHAPE[:2] if name in names), "")
    kept = tuple(row(keep, sums, window, own_bits) for keep, sums in zip(shapes, numbers, strict=True))
    return Part(total, each, kept, role_of(part), short_of(part), naming_rule(part))


def naming_rule(part: Any) -> str:
    """The rule that a mixer's colour and name follow; "" where no field changes them."""
    still = getattr(part, "cross", False) or getattr(part, "compress_ratio", 0)
    return "" if still else HOW.get(type(part), "")


def row(keep: Keep, numbers: Sums, window: str, own_bits: int) -> Kept:
    """What a node keeps, its cap by name where a field says it."""
    cap: int | str = window if keep.window == PROBE else keep.window
    state = keep.kind in ("state", "conv")
    bits = (32 if keep.dtype == "float32" else own_bits) if state else 0
    packed = () if state else tuple(layout(keep, numbers, name) for name in STORAGES)
    return Kept(keep.kind, numbers, bits, keep.every, cap, keep.fixed, packed)


def layout(keep: Keep, numbers: Sums, name: str) -> tuple[int, int, int]:
    """How a packed layout stores it."""
    store = STORAGES[name]

    def bits(count: int) -> int:
        if keep.layout == "latent":
            return store.latent(count - keep.rotated, keep.rotated)
        if keep.layout == "entry":
            return store.entry(count, keep.rotated)
        return store.index(count) if keep.kind == "index" else count * store.kv

    if not any(words for _, words in numbers):
        return 0, bits(keep.numbers), 0
    slope = bits(2) - bits(1)
    blocks = bits(129) - bits(128) - slope
    return slope, bits(1) - slope - blocks, blocks
