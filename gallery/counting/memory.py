"""ModelSpec -> the bytes a model keeps while it decodes: KV cache, compressed entries, indexer keys, fixed states.

Everything is a sum over what `kept.py` says each mixer keeps. Layers of a looped model count once per pass.
Multi-token-prediction layers and other towers keep their own memory and are not counted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.cached import Same
from cutaway.gallery.counting.kv_cache import (
    CONVENTIONS,
    KINDS,
    STORAGES,
    CacheItem,
    Rules,
    cache_of_mixer,
    cache_outside_mixer,
    keeps_outside_mixer,
    rules_for,
)
from cutaway.gallery.records import Shown

__all__ = ["CONVENTIONS", "KINDS", "PER_TOKEN", "STORAGES", "Memory", "kv_bytes_per_token", "memory"]


class LayerMemory(NamedTuple):
    """One layer: its bytes at the context, by kind, and how they grow. Looped layers count once per pass."""

    index: int  # type: ignore[assignment]  # tuple.index is not needed
    what: str
    bytes: int
    by_kind: dict[str, int]
    per_token_bytes: float
    fixed_bytes: int


@dataclass(frozen=True, slots=True)
class Memory(Shown):
    """What the whole model keeps. `per_token_bytes` is the slope for long contexts, `fixed_bytes` the rest at them."""

    context: int  # tokens
    cache_dtype: str  # how each number of the cache is stored
    convention: str  # which tokens a window keeps between steps
    batch: int  # sequences
    total_bytes: int  # for all sequences of the batch
    per_token_bytes: float  # of one sequence
    fixed_bytes: int  # of one sequence: states, and windows once they are full
    by_kind: dict[str, int]  # of one sequence, at the context
    layers: tuple[LayerMemory, ...]  # what each layer keeps
    filling_bytes: float = 0  # what each of the first tokens adds, while no window is full
    full_at: int = 0  # tokens after which every window is full; 0: no window

    @property
    def growth(self) -> tuple[float, str]:
        """(bytes, what they are): what a token adds; of windows and states alone, adds until they are full."""
        return say_growth(self.per_token_bytes, self.filling_bytes, self.full_at)


def say_growth(slope: float, filling: float, full_at: int) -> tuple[float, str]:
    """Mistral 7B keeps 131 KB per token, up to 4,096 tokens: "no cache per token" is true of states alone."""
    if slope or not full_at:
        return slope, "cache per token"
    return filling, f"cache per token, up to {full_at:,} tokens"


def _number(value: Fraction) -> float:
    return int(value) if value.denominator == 1 else float(value)


def _bytes(bits: int) -> int:
    return -(-bits // 8)


def cache_per_layer(spec: s.ModelSpec, rules: Rules) -> list[tuple[CacheItem, ...]]:
    """What each layer keeps in one pass; equal layers are worked out once."""
    return _cache_per_layer(Same(spec), rules)


@lru_cache(16)  # a page asks for many contexts under the same rules
def _cache_per_layer(same: Same, rules: Rules) -> list[tuple[CacheItem, ...]]:
    spec = same.spec
    seen: dict[tuple[int, bool], tuple[CacheItem, ...]] = {}
    found = []
    for layer in spec.layers:
        key = _key(spec, layer)
        if (kept := seen.get(key)) is None:
            kept = seen[key] = (*cache_of_mixer(layer.mixer, rules), *cache_outside_mixer(spec, layer, rules))
        found.append(kept)
    return found


def _key(spec: s.ModelSpec, layer: s.Layer) -> tuple[int, bool]:
    """Layers with equal keys keep the same: their mixer, and whether they keep anything outside it."""
    return id(layer.mixer), keeps_outside_mixer(spec, layer)


def _words(mixer: s.Mixer | None, kept: tuple[CacheItem, ...], keeps: bool) -> str:
    if kept:
        return "; ".join(f"{KINDS[k.kind]}: {k.what}" for k in kept)
    if not keeps:
        return "nothing: every token sees every other"
    if isinstance(mixer, s.NotUnderstood):
        return f"not understood yet: {mixer.what}"
    if (source := getattr(mixer, "kv_source", None)) is not None:
        return f"nothing: reads the keys and values of layer {source}"
    return (
        "nothing that grows with the text: keys and values of the image"
        if getattr(mixer, "cross", False)
        else "nothing"
    )


def _layer(layer: s.Layer, kept: tuple[CacheItem, ...], context: int, loops: int, keeps: bool) -> LayerMemory:
    by_kind: dict[str, int] = {}
    for one in kept:
        by_kind[one.kind] = by_kind.get(one.kind, 0) + _bytes(one.bits_at(context) * loops)
    slope = sum((one.slope_bits for one in kept), Fraction(0)) * loops / 8
    fixed = _bytes(sum(one.fixed_bits for one in kept) * loops)
    return LayerMemory(
        layer.index, _words(layer.mixer, kept, keeps), sum(by_kind.values()), by_kind, _number(slope), fixed
    )


def _layers(
    spec: s.ModelSpec, kept: list[tuple[CacheItem, ...]], context: int, keeps: bool
) -> tuple[tuple[LayerMemory, ...], dict[int, int]]:
    """Every layer, equal ones worked out once; and place of the first of a kind -> how many there are."""
    firsts: dict[tuple[int, bool], int] = {}
    times: dict[int, int] = {}
    out: list[LayerMemory] = []
    for place, layer in enumerate(spec.layers):
        first = firsts.setdefault(_key(spec, layer), place)
        times[first] = times.get(first, 0) + 1
        if first == place:
            out.append(_layer(layer, kept[place], context, spec.loops, keeps))
        else:
            out.append(out[first]._replace(index=layer.index))
    return tuple(out), times


def _check(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")


def memory(
    spec: s.ModelSpec, context: int, cache_dtype: str = "bfloat16", batch: int = 1, convention: str = "window"
) -> Memory:
    """Bytes kept for `batch` sequences of `context` tokens each."""
    _check("context", context, 0)
    _check("batch", batch, 1)
    rules = rules_for(spec, cache_dtype, convention)
    kept = cache_per_layer(spec, rules)
    layers, times = _layers(spec, kept, context, rules.keeps)
    by_kind = {
        kind: total for kind in KINDS if (total := sum(times[at] * layers[at].by_kind.get(kind, 0) for at in times))
    }
    slope = sum((times[at] * one.slope_bits for at in times for one in kept[at]), Fraction(0)) * spec.loops / 8
    return Memory(
        *(context, cache_dtype, convention, batch),
        total_bytes=batch * sum(times[at] * layers[at].bytes for at in times),
        per_token_bytes=_number(slope),
        fixed_bytes=sum(times[at] * layers[at].fixed_bytes for at in times),
        by_kind=by_kind,
        layers=layers,
        filling_bytes=_number(
            sum((times[at] * one.first_bits for at in times for one in kept[at]), Fraction(0)) * spec.loops / 8
        ),
        full_at=max((one.full_at for at in times for one in kept[at]), default=0),
    )


# ---------------------------------------------------------------- the two figures other people print

PER_TOKEN = {
    "growing": "keys and values of the layers that keep growing; windows and indexer keys left out",
    "all": "keys and values of every attention layer as if none had a window; indexer keys left out",
    "growing+index": "all that grows: keys and values, compressed entries and indexer keys",
}


def kv_bytes_per_token(spec: s.ModelSpec, layers: str = "growing", cache_dtype: str = "bfloat16") -> float:
    """KV cache per token by one of the `PER_TOKEN` ways to count it."""
    if layers not in PER_TOKEN:
        raise ValueError(f"No way to count is called {layers!r}; known are {', '.join(PER_TOKEN)}.")
    total = Fraction(0)
    for kept in cache_per_layer(spec, rules_for(spec, cache_dtype)):
        for one in kept:
            if layers == "all" and one.kind in ("kv", "compressed"):
                total += Fraction(one.bits, one.every)
            elif layers == "growing+index" or one.kind in ("kv", "compressed"):
                total += one.slope_bits if layers != "all" else 0
    return _number(total * spec.loops / 8)
