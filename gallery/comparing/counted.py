"""A spec -> the few numbers that a difference can cost, counted with gallery.counting."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import CacheItem, rules_for
from cutaway.gallery.counting.memory import cache_per_layer
from cutaway.gallery.counting.parameters import parameters


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


def cache_by_layer_count(spec: s.ModelSpec) -> list[tuple[tuple[CacheItem, ...], int]]:
    """What layers keep, with how many layers do."""
    kept = cache_per_layer(spec, rules_for(spec))
    times = Counter(map(id, kept))
    return [(one, times[id(one)]) for one in {id(one): one for one in kept}.values()]


def cache_bytes_at(spec: s.ModelSpec, context: int) -> int:
    """Bytes kept of one sequence of so many tokens."""
    bits = sum(n * sum(one.bits_at(context) for one in kept) for kept, n in cache_by_layer_count(spec))
    return -(-bits * spec.loops // 8)
