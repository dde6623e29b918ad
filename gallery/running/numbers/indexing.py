"""Operations of an indexer: scores of earlier tokens or blocks, and which of them a query reads."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.experts import largest


def past(run, every: int = 1, entries: int = 0) -> np.ndarray:
    """[query, key] True where the key is no later than the query, or its entry of `every` tokens is complete."""
    closed = (run.positions + 1) // every
    return closed[:, None] > np.arange(entries or len(run.positions) // every)[None, :]


def index_scores(run, node, tensors, q, k, weights=None):
    """[query, key] Σ over heads of weight · ReLU(q·k); -inf for what lies ahead."""
    each = np.maximum(np.einsum("qhd,kd->qhk", q, k), 0)
    each = each if weights is None else weights[:, :, None] * each
    scores = each.sum(1) * node.facts["scale"]
    return np.where(past(run, node.facts.get("every", 1)), scores, -np.inf)


def best_tokens(run, node, tensors, scores):
    """[query, key] True for the k best; a query with fewer tokens behind it reads them all."""
    chosen = np.zeros(scores.shape, bool)
    np.put_along_axis(chosen, largest(scores, node.facts["k"]), True, axis=-1)
    return chosen & np.isfinite(scores)


def means(run, node, tensors, k):
    """[block, size of a key] the mean of each complete block's keys."""
    whole, size = len(k) // node.facts["size"], node.facts["size"]
    return k[: whole * size].reshape(whole, size, *k.shape[1:]).mean(1)


def their_tokens(run, node, tensors, chosen):
    """[query, key] True for the tokens of the chosen blocks and, with `tail`, for those after the last complete one."""
    size, n = node.facts["size"], len(run.tokens)
    out = np.zeros((n, n), bool)
    out[:, : chosen.shape[1] * size] = np.repeat(chosen, size, axis=1)
    if not node.facts.get("tail", True):
        return out
    first = (run.positions + 1) // size * size
    return out | ((run.positions[None, :] >= first[:, None]) & past(run))


def block_scores(run, node, tensors, q, k):
    """[head, query, block] the largest q·k of a block's tokens; -inf for blocks that lie ahead."""
    scores = np.where(past(run), np.einsum("qhd,kd->hqk", q, k), -np.inf)
    starts = range(0, len(k), node.facts["size"])
    return np.stack([scores[..., start : start + node.facts["size"]].max(-1) for start in starts], axis=-1)


def best_blocks(run, node, tensors, scores):
    """[head, query, key] True for tokens of the k best blocks; the query's own last blocks always count as best."""
    facts, n = node.facts, len(run.tokens)
    own = run.positions // facts["size"]
    for back in range(facts["local"]):
        scores[:, np.arange(n), np.maximum(own - back, 0)] = np.inf
    chosen = np.zeros(scores.shape, bool)
    np.put_along_axis(chosen, largest(scores, facts["k"]), True, axis=-1)
    chosen &= scores > -np.inf
    return np.repeat(chosen, facts["size"], axis=-1)[..., :n] & past(run)


def learned_temperature(run, node, tensors, q):
    """Each head times scale · ln(position + 1) + bias."""
    by = tensors["scale"] * np.log(run.positions + 1)[:, None] + tensors["bias"]
    return q * by[..., None]


NUMBERS = {"index_scores": index_scores, "best_tokens": best_tokens, "block_scores": block_scores,
           "best_blocks": best_blocks, "learned_temperature": learned_temperature, "means": means,
           "their_tokens": their_tokens}  # fmt: skip
