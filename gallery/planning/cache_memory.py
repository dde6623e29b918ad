"""A sheet and a layout -> the bytes that one sequence keeps on a rank while decoding, and what pages add to them."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.gallery.counting.kv_cache import storage
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.planning.engine import pages
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio

CacheRow = tuple[int, int, int, int | None, int, int | None]  # rule, bits of one entry, every, cap, fixed, most read


def cache_rows(sheet: PlannerModel, cache_dtype: str, kinds: dict[int, int]) -> list[CacheRow]:
    """What one sequence keeps of so many layers of each kind; `bits` of one entry of all of them together."""
    storage(cache_dtype)  # an unknown name ends here, with the known ones
    each = stored_bits(cache_dtype)
    return [
        (rule, (packed[cache_dtype] if cache_dtype in packed else bits + numbers * each) * layers * sheet["loops"],
         every, cap, fixed, most)
        for kind, layers in kinds.items()
        for _, numbers, bits, packed, every, cap, fixed, rule, most in sheet["kinds"][kind]["keeps"]
    ]  # fmt: skip


def cache_bytes(sheet: PlannerModel, layout: Layout, kept: Iterable[CacheRow], context: int) -> int:
    """What one sequence keeps on one rank, as gallery.memory counts it, cut over tp, its tokens over dcp."""
    sums: dict[tuple[int, int], int] = {}
    for rule, bits, every, cap, fixed, _ in kept:
        key = (rule, 1 if fixed else layout.dcp)
        sums[key] = sums.get(key, 0) + bits * count_entries(context, every, cap, fixed)
    return sum(part_of(bits, ratio(sheet["rules"][rule], layout, dcp), 8) for (rule, dcp), bits in sums.items())


def padding_bytes(sheet: PlannerModel, layout: Layout, kinds: dict[int, int], context: int, cached: int) -> int:
    """What pages of one size add to what one sequence keeps, as vLLM deals them out."""
    found = pages(sheet, layout, kinds, context) if layout.framework_bytes is None else None
    return max(found.bytes - cached, 0) if found else 0


def read_rows(kept: Iterable[CacheRow]) -> list[CacheRow]:
    """The same as far as one step reads it."""
    return [
        (rule, bits, every, cap if most is None else most if cap is None else min(cap, most), fixed, most)
        for rule, bits, every, cap, fixed, most in kept
    ]


def count_entries(context: int, every: int, cap: int | None, fixed: int) -> int:
    """How many entries a context leaves: one for every `every` tokens, at most `cap`, or one that is always there."""
    if fixed:
        return 1
    return context // every if cap is None else min(context // every, cap)
