"""What the last few tokens look up: hashes of them choose rows of a large table, the streams gate what comes out, and
a convolution adds the neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal

MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class NGrams:
    """One table for n-grams of 2 to `size` tokens, with `heads` rows of each."""

    width: int  # of all rows together
    size: int  # the longest n-gram, in tokens
    heads: int  # rows per length of n-gram
    base: int  # each head hashes into a prime from here on
    divisor: int  # the table's rows are a multiple of it
    number: int  # 0 for the first layer that has one, 1 for the next, ...
    seed: int
    vocabulary: int
    eos: int  # n-grams do not reach over it
    kernel: int


def is_prime(value: int) -> bool:
    """By trial: a table has a few dozen heads."""
    return value == 2 or (value > 2 and value % 2 == 1 and all(value % odd for odd in range(3, isqrt(value) + 1, 2)))


def primes_from(base: int, count: int) -> tuple[int, ...]:
    """The first `count` primes from `base` on."""
    found: list[int] = []
    value = base
    while len(found) < count:
        if is_prime(value):
            found.append(value)
        value += 1
    return tuple(found)


@lru_cache(256)
def rows_of(base: int, heads: int, number: int) -> tuple[int, ...]:
    """The primes of one layer's table: they follow those of the table before it."""
    return primes_from(rows_of(base, heads, number - 1)[-1] + 1 if number else base, heads)


def sizes(m: NGrams) -> tuple[int, ...]:
    """Rows of each head: consecutive primes, no two heads alike."""
    return rows_of(m.base, (m.size - 1) * m.heads, m.number)


def multipliers(m: NGrams) -> tuple[int, ...]:
    """An odd number per place in the n-gram, drawn by SplitMix64 from the seed and the layer."""
    bound = max(1, ((1 << 63) - 1) // max(m.vocabulary, 1) // 2)
    out = []
    for place in range(m.size):
        value = (m.seed + 10007 * m.number + 0x9E3779B97F4A7C15 * (place + 2)) & MASK
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        out.append(2 * ((value ^ (value >> 31)) % bound) + 1)
    return tuple(out)


def look_up(m: NGrams, streams: int, h: int, normal: Normal) -> Graph:
    """Rows chosen by hash, gated by each stream, and their convolution; [tokens, streams, width]."""
    g, all_streams, rows = Wires("ple.", "embedding"), streams * h, sizes(m)
    total = -(-sum(rows) // m.divisor) * m.divisor
    ids = g.add("hash", "ngram_ids", "tokens", sizes=rows, multipliers=multipliers(m), heads=m.heads, size=m.size,
                eos=m.eos, words=f"hashes of 2 to {m.size} tokens")  # fmt: skip
    table = {"weight": g.tensor("ple_embedding.ngram_embedding.weight", total, m.width // len(rows))}
    found = g.add("rows", "embed", ids, tensors=table, split=(m.width,))
    key = g.linear("key_proj", found, all_streams, m.width)
    key = g.norm("norm_key", key, all_streams, normal=normal, groups=streams, split=(streams, h))
    query = g.add("flat", "flatten", "x", words=f"{streams} streams as one vector")
    query = g.norm("norm_query", query, all_streams, normal=normal, groups=streams, split=(streams, h))
    gate = g.add("match", "signed_root", query, key, scale=h**-0.5, words="±√|q·k / √width|")
    gate = g.add("gate", "act", gate, act="sigmoid", words="σ")
    value = g.linear("value_proj", found, h, m.width)
    value = g.add("gated", "expand", value, gate, split=(all_streams,), words=f"to {streams} streams")
    near = g.norm("norm_conv", value, all_streams, normal=normal, groups=streams)
    near = g.add(
        "conv1d", "conv", near, tensors={"weight": g.tensor("conv1d.weight", all_streams, 1, m.kernel)}, act="silu",
        kernel=m.kernel, dilation=m.size, words=f"convolution, every {m.size} tokens",
        keeps=(Keep("conv", all_streams * (m.kernel - 1) * m.size, f"{all_streams} × {(m.kernel - 1) * m.size}",
                    fixed=True),),
    )  # fmt: skip
    return g.graph(g.add("both", "add", value, near, split=(streams, h)))
