"""A text -> which tokens each method reads and with which weights. METHODS has a row for each. Twin of methods.js."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cutaway.explainers.hash32 import hash32
from cutaway.explainers.sparse.texts import TOKENS, Text, order

FINE, COARSE = 4, 16  # tokens of an entry of CSA, and of HCA's here (128 in V4)
STEPS = 10  # of a gate
GATE = 6.0  # how much the length of a key counts for its share of an entry


class Read(NamedTuple):
    """What a method reads for the last token."""

    weights: np.ndarray  # [heads, n]: of each token in the output; one of an entry has its share of the entry's
    single: np.ndarray  # [heads, n]: whether it is read by itself
    reads: int  # entries of keys and values that one head reads
    scored: int  # keys that choosing looks at


def softmax(scores: np.ndarray) -> np.ndarray:
    """Weights of the last axis; -inf is 0."""
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def scores_of(text: Text) -> np.ndarray:
    """[heads, n]: q·k over the root of the dims."""
    return text.q @ text.k.T / np.sqrt(text.q.shape[1])


def means(rows: np.ndarray, block: int) -> np.ndarray:
    """The mean of each block of so many rows."""
    return rows.reshape(-1, block, rows.shape[1]).mean(1)


def over(text: Text, chosen: np.ndarray, scored: int = 0) -> Read:
    """Attention over chosen tokens [heads or 1, n]."""
    scores = scores_of(text)
    single = np.broadcast_to(chosen, scores.shape)
    return Read(softmax(np.where(single, scores, -np.inf)), single, int(single[0].sum()), scored)


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """True at the `count` largest values."""
    found = np.zeros(len(values), bool)
    found[order(values)[:count]] = True
    return found


def blocks(values: np.ndarray, block: int, budget: int) -> np.ndarray:
    """Tokens of the best blocks that a budget has room for; the last token's own is always one of them."""
    kept = values.copy()
    kept[-1] = np.inf
    return np.repeat(largest(kept, max(1, budget // block)), block)


def index_scores(text: Text, keys: np.ndarray) -> np.ndarray:
    """The lightning indexer: products of the index heads with each key, below 0 cut off, added up."""
    return np.maximum(text.index_q @ keys.T, 0).sum(0)


def last(count: int) -> np.ndarray:
    """True for the last `count` tokens."""
    return np.arange(TOKENS) >= TOKENS - count


# ---------------------------------------------------------------- the methods: (text, state) -> Read


def full(text: Text, state: dict[str, Any]) -> Read:
    """Every token."""
    return over(text, np.ones((1, TOKENS), bool))


def best(text: Text, state: dict[str, Any]) -> Read:
    """The tokens with the largest weights, of each head: what no chooser can know without all scores."""
    return over(text, np.array([largest(row, state["budget"]) for row in scores_of(text)]), TOKENS)


def window(text: Text, state: dict[str, Any]) -> Read:
    """The last tokens."""
    return over(text, last(state["budget"]))


def strided(text: Text, state: dict[str, Any]) -> Read:
    """Half the budget for the last tokens, half for every so many-th before."""
    half = state["budget"] // 2
    return over(text, last(half) | ((TOKENS - 1 - np.arange(TOKENS)) % (TOKENS // half) == 0))


def bigbird(text: Text, state: dict[str, Any]) -> Read:
    """Two eighths for the first tokens, three for the last, three for random ones between."""
    eighth, places = state["budget"] // 8, np.arange(TOKENS)
    ends = (places < 2 * eighth) | last(3 * eighth)
    drawn = hash32(places + 65536 * (8 * int(state["seed"]) + 4)).astype(float)
    return over(text, ends | largest(np.where(ends, -1.0, drawn), 3 * eighth))


def moba(text: Text, state: dict[str, Any]) -> Read:
    """Each head picks the blocks whose mean key has the largest product with its query."""
    found = text.q @ means(text.k, state["block"]).T
    return over(text, np.array([blocks(row, state["block"], state["budget"]) for row in found]), found.shape[1])


def block_max(text: Text, state: dict[str, Any]) -> Read:
    """A group of heads picks the blocks whose best token has the largest index score."""
    found = (text.index_k @ text.index_q.mean(0)).reshape(-1, state["block"]).max(1)
    return over(text, blocks(found, state["block"], state["budget"]), TOKENS)


def pooled(text: Text, state: dict[str, Any]) -> Read:
    """All heads read the blocks whose mean index key the indexer scores highest."""
    found = index_scores(text, means(text.index_k, state["block"]))
    return over(text, blocks(found, state["block"], state["budget"]), len(found))


def dsa(text: Text, state: dict[str, Any]) -> Read:
    """All heads read the tokens that the indexer scores highest."""
    return over(text, largest(index_scores(text, text.index_k), state["budget"]), TOKENS)


def slots(text: Text, block: int, gated: bool) -> np.ndarray:
    """[n]: what each token gives to its block's entry: all the same, or by a softmax over the lengths of their keys."""
    lengths = np.sqrt((text.k * text.k).sum(1)).reshape(-1, block)
    return softmax(GATE * lengths if gated else 0 * lengths).reshape(-1)


def blended(text: Text, block: int, given: np.ndarray, chosen: np.ndarray, window: int) -> Read:
    """One softmax over chosen entries, each a weighted mean of a block's tokens, and over the window's tokens."""
    keys = (given[:, None] * text.k).reshape(-1, block, text.k.shape[1]).sum(1)
    entries = text.q @ keys.T / np.sqrt(text.q.shape[1]) - np.log((given * given).reshape(-1, block).sum(1))
    near = np.broadcast_to(last(window), (len(text.q), TOKENS))
    weights = softmax(
        np.concatenate([np.where(chosen, entries, -np.inf), np.where(near, scores_of(text), -np.inf)], axis=1)
    )
    shared = np.repeat(weights[:, : len(chosen)], block, axis=1) * given
    return Read(weights[:, len(chosen) :] + shared, near, int(chosen.sum()) + window, 0)


def csa(text: Text, state: dict[str, Any]) -> Read:
    """Entries of four tokens, of which the indexer picks as many as cover the budget; and a window."""
    given = slots(text, FINE, state["gated"])
    found = index_scores(text, (given[:, None] * text.index_k).reshape(-1, FINE, text.index_k.shape[1]).sum(1))
    read = blended(text, FINE, given, largest(found, state["budget"] // FINE), state["window"])
    return read._replace(scored=len(found))


def hca(text: Text, state: dict[str, Any]) -> Read:
    """All entries of sixteen tokens, and a window."""
    given = slots(text, COARSE, state["gated"])
    return blended(text, COARSE, given, np.ones(TOKENS // COARSE, bool), state["window"])


def nsa(text: Text, state: dict[str, Any]) -> Read:
    """Means of blocks, the blocks they point to, and a window: three softmaxes, added by gates."""
    block = state["block"]
    coarse = softmax(text.q @ means(text.k, block).T / np.sqrt(text.q.shape[1]))
    picked = over(text, blocks(coarse.sum(0), block, state["budget"]))
    near = over(text, last(state["window"]))
    branches = np.array([np.repeat(coarse / block, block, axis=1), picked.weights, near.weights])
    weights = np.tensordot(gates(branches @ text.v, softmax(scores_of(text)) @ text.v), branches, 1)
    reads = coarse.shape[1] + picked.reads + near.reads
    return Read(weights, picked.single | near.single, reads, coarse.shape[1])


def gates(outputs: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The three gates, in tenths, whose sum of outputs [3, heads, dims] is nearest to what is wanted [heads, dims]."""
    flat, aim = outputs.reshape(3, -1), wanted.reshape(-1)
    products, hits = flat @ flat.T, flat @ aim
    tried = np.array(np.meshgrid(*[np.arange(STEPS + 1) / STEPS] * 3, indexing="ij")).reshape(3, -1).T
    return tried[int(((tried @ products * tried).sum(1) - 2 * tried @ hits).argmin())]


# ---------------------------------------------------------------- facts


class Method(NamedTuple):
    """A row: a method, how it chooses, and a published setting of it."""

    key: str
    label: str
    kind: str  # "all" | "fixed" | "chosen" | "blended"
    read: Callable[[Text, dict[str, Any]], Read]
    says: str
    source: str
    setting: str = ""  # who has so many
    scores: int = 0  # one key is scored for so many tokens; 0: none
    parts: tuple[tuple[int, int], ...] = ()  # (an entry for so many tokens, at most so many read; 0: all)


METHODS = (
    Method("full", "full attention", "all", full, "Every head reads every token.",
           "Vaswani et al. 2017, arXiv 1706.03762", "most models", 0, ((1, 0),)),
    Method("best", "the best of each head", "all", best,
           "The largest weights of each head. Only all scores tell which they are: a yardstick, no method.",
           "computed here"),
    Method("window", "sliding window", "fixed", window, "The last tokens, whatever they say.",
           "Longformer, arXiv 2004.05150; gpt-oss-120b", "gpt-oss-120b", 0, ((1, 128),)),
    Method("strided", "strided", "fixed", strided, "The last tokens, and every so many-th before them.",
           "Child et al. 2019, Sparse Transformers, arXiv 1904.10509", "stride 128", 0, ((128, 0), (1, 128))),
    Method("bigbird", "BigBird", "fixed", bigbird, "The first tokens, the last, and some at random.",
           "Zaheer et al. 2020, Big Bird, arXiv 2007.14062: 8 blocks of 64, here single tokens", "BigBird-base", 0,
           ((1, 512),)),
    Method("moba", "MoBA", "chosen", moba, "Each head reads the blocks whose mean key suits its query.",
           "Lu et al. 2025, MoBA, arXiv 2502.13189", "MoBA at 1M", 4096, ((1, 12 * 4096),)),
    Method("nsa", "NSA", "blended", nsa,
           "Means of blocks, the blocks that they point to, and a window. Gates add the three, here the best ones.",
           "Yuan et al. 2025, Native Sparse Attention, arXiv 2502.11089", "NSA 27B", 16,
           ((16, 0), (1, 1024), (1, 512))),
    Method("block_max", "block maximum", "chosen", block_max,
           "A group of heads reads the blocks that hold the best index scores.", "MiniMax M3, config.json",
           "MiniMax M3", 1, ((1, 2048),)),
    Method("pooled", "pooled indexer", "chosen", pooled,
           "The indexer scores the mean index key of each block; all heads read the best blocks.",
           "Qwen3.8-Flash-Next, config.json", "Qwen3.8-Flash-Next", 4, ((1, 2048),)),
    Method("dsa", "DSA", "chosen", dsa, "The indexer scores every token; all heads read the best.",
           "DeepSeek-V3.2 report, arXiv 2512.02556", "DeepSeek V3.2", 1, ((1, 2048),)),
    Method("csa", "CSA", "blended", csa, "One entry for 4 tokens; the indexer picks entries. And a window.",
           "DeepSeek-V4 report, section 2.3.1", "DeepSeek V4-Pro", 4, ((4, 1024), (1, 128))),
    Method("hca", "HCA", "blended", hca, "One entry for many tokens, all read. And a window.",
           "DeepSeek-V4 report, section 2.3.2: 128 tokens an entry, here 16", "DeepSeek V4-Pro", 0,
           ((128, 0), (1, 128))),
)  # fmt: skip
KEYS = tuple(one.key for one in METHODS)


def reads_at(parts: tuple[tuple[int, int], ...], tokens: int) -> int:
    """Entries that a published setting reads after so many tokens."""
    return sum(min(tokens // every, cap) if cap else tokens // every for every, cap in parts)
