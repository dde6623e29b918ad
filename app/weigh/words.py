"""A growth sheet and what is chosen -> the words that the cache's weighing prints; the same as
static/js/cache-bytes.js."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.explainers import fmt
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.cache_growth import Sheet
from cutaway.gallery.counting.kv_cache import STORAGES
from cutaway.gallery.counting.memory import KINDS
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.planning.devices import DEVICES


class Cache(NamedTuple):
    """A format of cache entries as an address, a button and the counting name it."""

    word: str
    label: str
    dtype: str
    packed: bool = False  # offered where it differs from eight bits a number


CACHES = (
    Cache("bf16", "BF16", "bfloat16"),
    Cache("fp8", "FP8", "float8_e4m3fn"),
    Cache("fp4", "FP4", "float4_e2m1fn"),
    Cache("packed", "FP8 packed", "fp8_ds_mla", True),
    Cache("v4", "V4’s own", "fp8_bf16rope_fp4index", True),
)
DTYPES = {one.word: one.dtype for one in CACHES}
MOST_BATCH, MOST_GPUS = 4096, 4096


class State(NamedTuple):
    """What a reader chose; these are the defaults that an address leaves out."""

    ctx: int = 2**17
    batch: int = 1
    kv: str = "bf16"
    gpu: str = "h100_sxm"
    gpus: int = 8

    @property
    def choice(self) -> tuple[int, str, int]:
        """As the functions of growth take it."""
        return self.ctx, DTYPES[self.kv], self.batch


def offered(told: Sheet) -> list[Cache]:
    """The formats that make a difference to a model."""
    packs = any(row[cache_growth.PACKED] for _, kept in told["kinds"] for row in kept
                if set(row[cache_growth.PACKED].values())
                != {row[cache_growth.BITS] + 8 * row[cache_growth.NUMBERS]})  # fmt: skip
    return [one for one in CACHES if packs or not one.packed]


def title(state: State) -> str:
    many = f" × {state.batch:,} sequences" if state.batch > 1 else ""
    return f"Cache at {state.ctx:,} token{'s' * (state.ctx != 1)}{many}"


def made(told: Sheet, state: State) -> str:
    """What the sum is made of."""
    kinds = cache_growth.by_kind(told, *state.choice)
    return " + ".join(f"{fmt.in_bytes(kinds[kind])} {word}" for kind, word in KINDS.items() if kinds.get(kind))


def slope(told: Sheet, state: State) -> float:
    """Bytes that a further token of each sequence adds at last."""
    total = 0.0
    for count, kept in told["kinds"]:
        for row in kept:
            if cache_growth.is_growing(row):
                bits = row[cache_growth.PACKED].get(DTYPES[state.kv])
                bits = (
                    row[cache_growth.BITS] + row[cache_growth.NUMBERS] * stored_bits(DTYPES[state.kv])
                    if bits is None
                    else bits
                )
                total += count * bits * told["loops"] / row[cache_growth.EVERY]
    return state.batch * total / 8


def grows(told: Sheet, state: State) -> str:
    """How much is added with every token, and how much never grows."""
    each = slope(told, state)
    still = state.batch * sum(
        count * cache_growth.layer_bytes(told, kind, state.ctx, DTYPES[state.kv])[1]
        for kind, (count, _) in enumerate(told["kinds"])
    )
    many = " of every sequence" if state.batch > 1 else ""
    first = f"Each further token{many} adds {fmt.in_bytes(each)}" if each else "Nothing grows for ever"
    return first + (f"; {fmt.in_bytes(still)} are windows and states, which stop growing." if still else ".")


def beyond(told: Sheet, state: State) -> str:
    longest = told["longest"]
    return f"beyond the config, which ends at {longest:,}" if longest and state.ctx > longest else ""


def usual(told: Sheet, state: State) -> str:
    """The formula that most calculators use, beside ours."""
    if not told["usual"]:
        return "Layers × 2 × KV heads × head_dim × bytes has nothing to take from this config: it has no such heads."
    layers, heads, head_dim = told["usual"]
    bits = 8 if DTYPES[state.kv] not in ("bfloat16", "float4_e2m1fn") else stored_bits(DTYPES[state.kv])
    each = {16: "2 bytes", 8: "1 byte", 4: "½ byte"}[bits]
    many = f" × {state.batch:,}" if state.batch > 1 else ""
    gives, ours = cache_growth.usual_bytes(told, *state.choice), cache_growth.cache_bytes(told, *state.choice)
    sum_ = f"{layers:,} layers × 2 × {heads:,} KV heads × {head_dim:,} × {each} × {state.ctx:,}{many}"
    return f"{sum_} = {fmt.in_bytes(gives)}, {factor(gives, ours)}."


def factor(gives: int, ours: int) -> str:
    if gives == ours:
        return "the same as ours"
    return f"{fmt.times(gives / ours, 1)} ours" if ours else "but nothing is kept"


def device_words(name: str) -> str:
    return name.replace("_", " ").upper()


def nodes(state: State) -> str:
    """The GPUs as an address of /plan/ names them: in the largest equal nodes that there are of this device."""
    most = DEVICES[state.gpu].gpus_per_node
    each = next(size for size in range(most, 0, -1) if state.gpus % size == 0)
    return f"{state.gpu}:{state.gpus // each}x{each}"


def room(told: Sheet, weights_bytes: int, state: State) -> str:
    """What some GPUs have left beside the weights."""
    held = state.gpus * DEVICES[state.gpu].memory_bytes
    kept = cache_growth.cache_bytes(told, *state.choice)
    left = held - weights_bytes - kept
    start = f"{state.gpus:,} × {device_words(state.gpu)} hold {fmt.in_bytes(held)}. Weights as stored take "
    start += f"{fmt.in_bytes(weights_bytes)}, this cache {fmt.in_bytes(kept)}: "
    each = cache_growth.cache_bytes(told, state.ctx, DTYPES[state.kv])
    fit = max(held - weights_bytes, 0) // each if each else 0
    many = f" {fit:,} sequence{'s' * (fit != 1)} of this length would fit." if each else ""
    if left < 0:
        return f"{start}{fmt.in_bytes(-left)} too much.{many}"
    return f"{start}{fmt.in_bytes(left)} left for all else.{many}"


def beside(own: Sheet, other: Sheet, state: State) -> tuple[str, str, str]:
    """(bytes, how many times ours, where the lines cross) of another model."""
    theirs, ours = cache_growth.cache_bytes(other, *state.choice), cache_growth.cache_bytes(own, *state.choice)
    return fmt.in_bytes(theirs), fmt.times(theirs / ours, 2) if ours else "", crossing(own, other, state)


def crossing(own: Sheet, other: Sheet, state: State) -> str:
    """Where another model begins to keep more or less than this one."""
    dtype = DTYPES[state.kv]
    found = cache_growth.crossings(other, own, dtype)
    more = cache_growth.cache_bytes(other, cache_growth.LONGEST, dtype) - cache_growth.cache_bytes(
        own, cache_growth.LONGEST, dtype
    )
    word = "more" if more > 0 else "less" if more < 0 else "the same"
    if not found:
        return f"{word} at every length"
    return f"{word} from {' and '.join(f'{at:,}' for at in found[-1:])} tokens on" + (
        f", after crossing at {' and '.join(f'{at:,}' for at in found[:-1])}" if found[1:] else ""
    )


def ceiling(most: int) -> int:
    """The next of 1, 2, 5, 10, 20, 50 ... that is no less."""
    size = 1
    while size * 10 < most:
        size *= 10
    return next(size * step for step in (1, 2, 5, 10) if size * step >= most)


def stored(state: State) -> str:
    """What a packed layout is."""
    found = STORAGES.get(DTYPES[state.kv])
    return f"{found.words} ({found.source})." if found else ""


def told_all(own: Sheet, weights_bytes: int, state: State) -> dict[str, str]:
    """Every sentence by its place on the page."""
    return {
        "title": title(state), "total": fmt.in_bytes(cache_growth.cache_bytes(own, *state.choice)),
        "made": made(own, state), "grows": grows(own, state), "beyond": beyond(own, state),
        "usual": usual(own, state), "stored": stored(state), "room": room(own, weights_bytes, state),
        "on": nodes(state),
    }  # fmt: skip
