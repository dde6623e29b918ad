"""A rule of the sheet and a layout -> the share that one rank holds, as a fraction of two whole numbers.

A rule is a list: its word, then its numbers.

    ["whole"]                        every rank holds all of it
    ["tp"]                           1 / tp
    ["heads", K]                     at least one of K key/value heads: max(K // tp, 1) / K
    ["groups", cut, width, groups]   `cut` by heads, `groups` of `width` each, at least one on every rank: B and C of
                                     Mamba-2, queries and keys of Gated DeltaNet
    ["experts", E, cut]              E experts and their spares over ep, each over etp where `cut` is 1

Bytes are held whole: a share of a sum is rounded up once for each rule. All products stay below 2^53, so that
Math.ceil(total * numerator / denominator) in JavaScript is the same number.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from cutaway.gallery.planning.layout import Layout

Rule = list[Any]


def ratio(rule: Rule, layout: Layout, dcp: int = 1) -> tuple[int, int]:
    """(numerator, denominator) in lowest terms; of what dcp ranks share by tokens, where that is more than one."""
    word, tp = rule[0], layout.tp // dcp
    above, below = 1, 1
    if word == "tp":
        below = tp
    elif word == "heads":
        above, below = max(rule[1] // tp, 1), rule[1]
    elif word == "groups":
        _, cut, width, groups = rule
        above, below = cut + tp * width * max(groups // tp, 1), tp * (cut + width * groups)
    elif word == "experts":
        above, below = rule[1] + layout.redundant, rule[1] * layout.ep * (layout.etp if rule[2] else 1)
    below *= dcp
    common = gcd(above, below)
    return above // common, below // common


def part_of(total: int, share: tuple[int, int], per: int = 1) -> int:
    """A share of a sum, over `per` (8: of bits, in bytes), rounded up."""
    return -(-total * share[0] // (share[1] * per))
