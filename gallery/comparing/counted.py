"""A spec -> the few numbers that a difference can cost, counted with gallery.counting."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.counting.kv_cache import (
    CacheItem,
    cache_of_mixer,
    cache_outside_mixer,
    keeps_outside_mixer,
    rules_for,
)
from cutaway.gallery.counting.memory import cache_per_layer
from cutaway.gallery.counting.parameters import count_kind, count_mtp, parameters, sum_parts, tables_outside
from cutaway.gallery.counting.weights import model_tensors, own_tensors


class Numbers(NamedTuple):
    """What a row can cost."""

    parameters: int = 0
    active: int = 0
    apart: int = 0  # of MTP layers
    cache: Fraction = Fraction(0)  # bytes per token, BF16
    fixed: Fraction = Fraction(0)  # bytes of states and full windows, BF16

    def less(self, other: Numbers) -> Numbers:
        """The difference."""
        return self.more(other, -1)

    def more(self, other: Numbers, by: int = 1) -> Numbers:
        """The sum."""
        return Numbers(
            self.parameters + by * other.parameters, self.active + by * other.active, self.apart + by * other.apart,
            self.cache + by * other.cache, self.fixed + by * other.fixed,
        )  # fmt: skip


def numbers(spec: s.ModelSpec) -> Numbers:
    """A spec, counted."""
    counts = parameters(spec)
    slope, fixed = Fraction(0), 0
    for kept, times in cache_by_layer_count(spec):
        slope += times * sum((one.slope_bits for one in kept), Fraction(0))
        fixed += times * sum(one.fixed_bits for one in kept)
    return Numbers(counts.total, counts.active, counts.mtp, slope * spec.loops / 8, Fraction(fixed * spec.loops, 8))


numbers_of = cached_for_spec(numbers)  # of the two that are compared


class Kind(NamedTuple):
    """What one layer holds and keeps, as every layer of the same parts does."""

    layer: s.Layer  # held, so that the ids of its parts stay theirs
    size: int
    idle: int  # numbers that a token is not multiplied with: unvisited experts, tables
    slope: Fraction  # bits that each token adds
    fixed: int  # bits of states and full windows


class Counts:
    """Specs on the way from one to another, counted: a kind of layer is counted once as long as the rest stays."""

    def __init__(self) -> None:
        self.frame: s.ModelSpec | None = None  # the spec whose other fields hold
        self.kinds: dict[tuple, Kind] = {}
        self.total = self.looked_up = self.apart = 0  # outside the layers

    def numbers(self, frame: s.ModelSpec, spec: s.ModelSpec) -> Numbers:
        """What `numbers` says of a spec that has other layers than `frame`, and all else from it."""
        if frame is not self.frame:
            self.kinds, self.frame = {}, None
            before, after = model_tensors(spec)
            self.total, self.looked_up = sum(sum_parts(before + after).values()), tables_outside(spec)
            self.apart = count_mtp(spec)
            self.frame = frame
        total, idle, slope, fixed = self.total, self.looked_up, Fraction(0), 0
        for key, times in self.tell_apart(spec).items():
            kind = self.kinds[key]
            total += times * kind.size
            idle += times * kind.idle
            slope += times * kind.slope
            fixed += times * kind.fixed
        return Numbers(total, total - idle, self.apart, slope * spec.loops / 8, Fraction(fixed * spec.loops, 8))

    def tell_apart(self, spec: s.ModelSpec) -> Counter[tuple]:
        """How many layers are of each kind; kinds that are new here are counted."""
        tells, keeps = getattr(spec.residual, "tells", None), bool(getattr(spec.residual, "keeps", False))
        times: Counter[tuple] = Counter()
        for layer in spec.layers:
            told = tells(layer.index) if tells else None
            key = (*layer.made_of, told, keeps and keeps_outside_mixer(spec, layer))
            if key not in times and key not in self.kinds:
                self.kinds[key] = count_layer(spec, layer)
            times[key] += 1
        return times


def count_layer(spec: s.ModelSpec, layer: s.Layer) -> Kind:
    """One layer, counted."""
    kind, rules = count_kind(spec, layer, own_tensors(spec, layer)), rules_for(spec)
    kept = (*cache_of_mixer(layer.mixer, rules), *cache_outside_mixer(spec, layer, rules))
    slope = sum((one.slope_bits for one in kept), Fraction(0))
    return Kind(layer, kind.size, kind.inactive + kind.tables, slope, sum(one.fixed_bits for one in kept))


@cached_for_spec
def cache_by_layer_count(spec: s.ModelSpec) -> list[tuple[tuple[CacheItem, ...], int]]:
    """What layers keep, with how many layers do."""
    kept = cache_per_layer(spec, rules_for(spec))
    times = Counter(map(id, kept))
    return [(one, times[id(one)]) for one in {id(one): one for one in kept}.values()]


def cache_bytes_at(spec: s.ModelSpec, context: int) -> int:
    """Bytes kept of one sequence of so many tokens."""
    bits = sum(n * sum(one.bits_at(context) for one in kept) for kept, n in cache_by_layer_count(spec))
    return -(-bits * spec.loops // 8)
