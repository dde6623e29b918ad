"""ModelSpec -> the growth sheet: what decoding keeps, folded by what layers keep, so that any bytes are a short sum.

    loops     how often the stack runs
    longest   max_position_embeddings, or null
    usual     [layers, KV heads, head_dim] as the common formula takes them, or null: no attention to take them from
    kinds     [[how many layers, [row, ...]], ...], in the order in which they are first met
    row       [kind, numbers in the cache's format, bits in another, every, cap, fixed, {packed layout: bits}]: one
              entry for every `every` tokens, at most `cap` (null: no end), or one where fixed is 1

The arithmetic is on whole numbers below 2^53, so that the same lines in app/weigh/cache-bytes.js give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import STORAGES, rules_for
from cutaway.gallery.counting.memory import cache_per_layer
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.sublayers import parts_of

Sheet = dict[str, Any]
Row = list[Any]
KIND, NUMBERS, BITS, EVERY, CAP, FIXED, PACKED = range(7)
STEPS = 8  # of an octave of contexts, all equally wide: 8k, 9k, ... 15k, 16k, 18k
SHORTEST, LONGEST = 2**10, 2**20
CONTEXTS = (*(2**power * (STEPS + step) // STEPS for power in range(10, 20) for step in range(STEPS)), LONGEST)


def growth_rows(spec: s.ModelSpec) -> list[list[Row]]:
    """What each layer keeps; layers that keep the same share one list.

    Bits are linear in those of a number, so two widths tell how many numbers there are."""
    wide, narrow = (cache_per_layer(spec, rules_for(spec, dtype)) for dtype in ("bfloat16", "float8_e4m3fn"))
    packed = {name: cache_per_layer(spec, rules_for(spec, name)) for name in STORAGES}
    known: dict[int, list[Row]] = {}
    for index, layer in enumerate(wide):
        if id(layer) in known:
            continue
        found = known[id(layer)] = []
        for place, (one, half) in enumerate(zip(layer, narrow[index], strict=True)):
            numbers = (one.bits - half.bits) // 8
            others = {name: every[index][place].bits for name, every in packed.items()} if numbers else {}
            found.append([one.kind, numbers, one.bits - 16 * numbers, one.every, one.cap, int(one.fixed), others])
    return [known[id(layer)] for layer in wide]


def usual_shape(spec: s.ModelSpec) -> list[int] | None:
    """What layers x 2 x KV heads x head_dim takes from a config: the heads of most of its attention, latent or not."""
    found: Counter[tuple[int, int]] = Counter()
    for layer in spec.layers:
        for mixer in parts_of(layer.mixer):
            heads = getattr(mixer, "num_key_value_heads", 0)
            if isinstance(mixer, s.LatentAttention):
                found[mixer.num_attention_heads, mixer.v_head_dim] += 1
            elif isinstance(mixer, s.CompressedAttention):
                found[1, mixer.head_dim] += 1
            elif heads and not getattr(mixer, "cross", False):
                found[heads, mixer.head_dim] += 1
    return [spec.num_hidden_layers, *found.most_common(1)[0][0]] if found else None


def growth_sheet(spec: s.ModelSpec) -> Sheet:
    """All that the bytes of a cache follow from."""
    kinds: list[list[Any]] = []
    for found in growth_rows(spec):
        place = next((one for one in kinds if one[1] == found), None)
        if place:
            place[0] += 1
        else:
            kinds.append([1, found])
    return {"loops": spec.loops, "longest": spec.max_position_embeddings, "usual": usual_shape(spec), "kinds": kinds}


# ---------------------------------------------------------------- bytes


def entries(row: Row, context: int) -> int:
    if row[FIXED]:
        return 1
    found = context // row[EVERY]
    return found if row[CAP] is None else min(found, row[CAP])


def row_bytes(row: Row, loops: int, context: int, cache_dtype: str) -> int:
    """Of one layer, rounded up to whole bytes."""
    bits = row[PACKED].get(cache_dtype)
    if bits is None:
        bits = row[BITS] + row[NUMBERS] * stored_bits(cache_dtype)
    return -(-bits * entries(row, context) * loops // 8)


def is_growing(row: Row) -> bool:
    """Whether it has no end: no state, and no window."""
    return not row[FIXED] and row[CAP] is None


def layer_bytes(told: Sheet, kind: int, context: int, cache_dtype: str) -> tuple[int, int]:
    """(what grows with every token, what does not) of one layer of a kind."""
    found = [0, 0]
    for row in told["kinds"][kind][1]:
        found[not is_growing(row)] += row_bytes(row, told["loops"], context, cache_dtype)
    return found[0], found[1]


def cache_bytes(told: Sheet, context: int, cache_dtype: str = "bfloat16", batch: int = 1) -> int:
    """What decoding keeps of `batch` sequences."""
    return batch * sum(
        count * sum(layer_bytes(told, kind, context, cache_dtype)) for kind, (count, _) in enumerate(told["kinds"])
    )


def by_kind(told: Sheet, context: int, cache_dtype: str = "bfloat16", batch: int = 1) -> dict[str, int]:
    """The same by what it is."""
    found: dict[str, int] = {}
    for count, kept in told["kinds"]:
        for row in kept:
            more = batch * count * row_bytes(row, told["loops"], context, cache_dtype)
            found[row[KIND]] = found.get(row[KIND], 0) + more
    return found


def usual_bytes(told: Sheet, context: int, cache_dtype: str = "bfloat16", batch: int = 1) -> int:
    """What layers x 2 x KV heads x head_dim x bytes gives; packed layouts stand for 8 bits."""
    if not told["usual"]:
        return 0
    layers, heads, head_dim = told["usual"]
    bits = 8 if cache_dtype in STORAGES else stored_bits(cache_dtype)
    return -(-2 * layers * heads * head_dim * bits * context * batch // 8)


def crossings(a: Sheet, b: Sheet, cache_dtype: str = "bfloat16") -> list[int]:
    """The contexts from 1k to 1M from which on the other of two models keeps more."""

    def more(context: int) -> int:
        left, right = cache_bytes(a, context, cache_dtype), cache_bytes(b, context, cache_dtype)
        return (left > right) - (left < right)

    found, before, low = [], more(CONTEXTS[0]), CONTEXTS[0]
    for context in CONTEXTS[1:]:
        now = more(context)
        if now and before and now != before:
            found.append(find_crossing(more, low, context, now))
        before, low = (now, context) if now else (before, low)
    return found


def find_crossing(more: Any, low: int, high: int, now: int) -> int:
    """The first context in (low, high] of a change of sign."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if more(middle) == now else (middle, high)
    return high
