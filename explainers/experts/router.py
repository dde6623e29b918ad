"""A seeded router over 4,096 tokens: logits, choices by the rule of gallery.running, and a bias that levels the load.

A logit is an expert's popularity, the same for all tokens, plus 1.3 times a draw of its own. The rule for choosing is
the one whose results equal the models' own code. Twin of router.js.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from cutaway.explainers.experts import draw
from cutaway.gallery.running.numbers.experts import choose, softmax

TOKENS, BATCH, NODES = 4096, 512, 8  # tokens that are counted, tokens of an update, groups (each on a node)
SPREAD = 1.3  # how far a token's own wishes reach; popularity's share is the skew
LIKED, WALL = 2**20 + 18, 2**21  # rows of the draw: popularity, and from where on one token's layers
FRESH = TOKENS  # from this row on every update's tokens, none of them twice


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def chosen(ranked: np.ndarray, k: int, kept: int, groups: int = NODES) -> np.ndarray:
    """[tokens, k] the best experts, the largest first, in the groups whose two best are largest together."""
    facts = {"k": k, "groups": groups if kept < groups else 1, "topk_group": kept, "group_score": "top2"}
    return choose(None, SimpleNamespace(facts=facts), {}, ranked)


def logits_of(rows: np.ndarray, experts: int, skew: float) -> np.ndarray:
    liked = skew * draw.normal(np.array([LIKED]), experts)
    return liked + SPREAD * draw.normal(rows, experts)


@lru_cache(3)
def logits(experts: int, skew: float) -> np.ndarray:
    """[tokens, experts] of those that are counted."""
    return logits_of(np.arange(TOKENS), experts, skew)


@lru_cache(3)
def scores(experts: int, skew: float) -> np.ndarray:
    return sigmoid(logits(experts, skew))


@lru_cache(16)
def probable(experts: int, skew: float) -> np.ndarray:
    """Each expert's mean softmax over all tokens: what an auxiliary loss can pull at."""
    return softmax(logits(experts, skew)).mean(0)


@lru_cache(32)
def flips(experts: int, k: int, skew: float) -> int:
    """Tokens whose chosen experts are others when every logit is rounded to BF16."""
    one, other = (np.sort(chosen(x, k, NODES), axis=1) for x in (scores(experts, skew), bf16(logits(experts, skew))))
    return int((one != other).any(axis=1).sum())


def bf16(x: np.ndarray) -> np.ndarray:
    """The nearest BF16 number, of two equally near the even one; by way of FP32, as programs go."""
    bits: np.ndarray = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(float)


def count_choices(choice: np.ndarray, experts: int) -> np.ndarray:
    return np.bincount(choice.ravel(), minlength=experts)


_WALKED: dict[tuple, list[np.ndarray]] = {}


def balance(experts: int, k: int, kept: int, skew: float, step: float, updates: int) -> np.ndarray:
    """The biases after so many updates: each looks at fresh tokens, raises who got too little, lowers the others."""
    if len(_WALKED) > 8:
        _WALKED.clear()
    walked = _WALKED.setdefault((experts, k, kept, skew, step), [np.zeros(experts)])
    while len(walked) <= updates:
        rows = FRESH + BATCH * (len(walked) - 1) + np.arange(BATCH)
        ranked = sigmoid(logits_of(rows, experts, skew)) + walked[-1]
        got = count_choices(chosen(ranked, k, kept), experts)
        walked.append(walked[-1] + step * np.sign(BATCH * k / experts - got))
    return walked[updates]


@lru_cache(64)
def wall(layers: int, experts: int, k: int, groups: int, kept: int) -> list[list[int]]:
    """The experts of one token in every layer, the best first."""
    ranked = sigmoid(draw.normal(WALL + np.arange(layers), experts))
    return [[int(e) for e in row] for row in chosen(ranked, k, kept, groups)]
