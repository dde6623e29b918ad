"""A router's rule -> in how many of so many equal parts of the experts (ranks, or nodes) a token's choice lies.

Experts are equally likely; those without weights (LongCat's zero experts) are in no part. Which groups stay depends on
the scores, so a rule with groups is simulated once: the same tokens each time, their logits normal, as many as keep the
mean within 0.01 nodes. Only the largest scores of a group are drawn, each from the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp, lgamma, log1p
from random import Random
from statistics import NormalDist
from typing import Any

TOKENS = 4_096
SCORES: dict[str, Callable[[float], float]] = {  # up to a factor that all experts of a token share
    "softmax": exp, "sigmoid": lambda x: 1 / (1 + exp(-x)), "sqrtsoftplus": lambda x: log1p(exp(x)) ** 0.5,
}  # fmt: skip


Reach = dict[str, Sequence[float]]
SIMULATED: dict[tuple, Reach] = {}  # by rule: a tenth of a second each, half a second in a browser, which gets them


def expert_reach(experts: int, chosen: int, groups: int, kept: int, two: bool, scoring: str, zero: int = 0) -> Reach:
    """{"used": tokens by how many groups they use, "picks": (token, group) pairs by how many experts of the group the
    token uses}, both from 0 on; of a rule without groups one token that uses all of its experts in one group, or its
    shares where some of these are among `zero` further ones without weights."""
    if groups < 2 or experts % groups or chosen > kept * (experts // groups):
        picks = share_with_weights(experts, zero, chosen)
        return {"used": [picks[0], 1 - picks[0]], "picks": picks}
    rule = (experts // groups, chosen, groups, min(kept, groups), two, scoring)
    if rule not in SIMULATED:
        SIMULATED[rule] = simulate_groups(*rule)
    return SIMULATED[rule]


def share_with_weights(experts: int, zero: int, chosen: int) -> Sequence[float]:
    """The share of tokens by how many of the chosen are among `experts`, not among `zero` others: hypergeometric."""
    if not zero or chosen > experts + zero:
        return [0] * chosen + [1]
    ways = [log_choose(experts, some) + log_choose(zero, chosen - some) for some in range(chosen + 1)]
    shares = [exp(one - max(ways)) for one in ways]
    return [one / sum(shares) for one in shares]


def log_choose(many: int, some: int) -> float:
    """The logarithm of how often `some` can be taken out of `many`."""
    if some > many:
        return float("-inf")
    return lgamma(many + 1) - lgamma(some + 1) - lgamma(many - some + 1)


def simulate_groups(size: int, chosen: int, groups: int, kept: int, two: bool, scoring: str) -> Reach:
    """The same of so many tokens, for `groups` groups of `size` experts of which `kept` stay."""
    draw = Random(kept).random
    used, picks = [0] * (kept + 1), [0] * (chosen + 1)
    for rows in ordered_groups(size, groups, two, scoring):
        taken = take_largest([list(row) for row in rows[:kept]], size, chosen, draw)
        used[sum(1 for one in taken if one)] += 1
        for one in taken:
            picks[one] += 1
    picks[0] += TOKENS * (groups - kept)
    return {"used": used, "picks": picks}


@cache
def ordered_groups(size: int, groups: int, two: bool, scoring: str) -> list[list[tuple[float, ...]]]:
    """Of every token its groups, the best first: the largest of each group's scores, or the two largest where they make
    its mark; as quantiles."""
    draw, quantile, score = Random(size).random, NormalDist().inv_cdf, SCORES.get(scoring, float)
    out = []
    for _ in range(TOKENS):
        rows: list[tuple[float, ...]] = [(draw() ** (1 / size),) for _ in range(groups)]
        if two and size > 1:
            rows = [(best, best * draw() ** (1 / (size - 1))) for (best,) in rows]
        out.append(sorted(rows, key=lambda row: sum(score(quantile(one)) for one in row), reverse=True))
    return out


def take_largest(rows: list[list[float]], size: int, chosen: int, draw: Callable[[], float]) -> list[int]:
    """How many of the largest `chosen` numbers of all groups are in each; further ones of a group are drawn when asked
    for."""
    taken = [0] * len(rows)
    heads = [row[0] for row in rows]
    for _ in range(chosen):
        at = heads.index(max(heads))
        row = rows[at]
        taken[at] += 1
        if taken[at] == size:
            heads[at] = -1.0
            continue
        if taken[at] == len(row):
            row.append(row[-1] * draw() ** (1 / (size - len(row))))
        heads[at] = row[taken[at]]
    return taken


def missed(all_of_them: float, some: float, draws: int) -> float:
    """The chance that none of so many draws without replacement is one of some."""
    chance = 1.0
    for drawn in range(draws):
        chance *= max(all_of_them - some - drawn, 0) / (all_of_them - drawn)
    return chance


def count_parts(moe: Mapping[str, Any], parts: float) -> float:
    """On how many of so many equal parts of the experts a token's choice is on average. Parts are whole groups, or
    equal shares of one group."""
    groups = moe["n_group"] if sum(moe["used"]) > 1 else 1
    whole = parts <= groups
    reach, room = (moe["used"], groups) if whole else (moe["picks"], moe["num_experts"] / groups)
    some = (groups if whole else moe["num_experts"]) / parts
    found = sum(many * (1 - missed(room, some, draws)) for draws, many in enumerate(reach))
    return parts * found / sum(reach)


def count_chosen(moe: Mapping[str, Any]) -> float:
    """How many experts with weights a token uses on average."""
    groups, picks = moe["n_group"] if sum(moe["used"]) > 1 else 1, moe["picks"]
    return groups * sum(at * many for at, many in enumerate(picks)) / sum(picks)


def count_other_parts(moe: Mapping[str, Any], parts: float) -> float:
    """The same, of parts that are not the token's own."""
    return count_parts(moe, parts) * (1 - 1 / parts)
