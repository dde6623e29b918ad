"""OPERATIONS: what a node of a graph can do, one row each: what it says, and what it costs per token.

`running/` has the numbers of every row, and fails at import if one lacks them or has no row here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from cutaway.gallery.graph import Node


class Reads(NamedTuple):
    """A sum that runs over past entries: `flops` for each; one entry per `every` tokens, at most `cap` of them."""

    what: str
    flops: int
    every: int = 1
    cap: int | None = None
    when: str = ""  # "decode" | "prefill": only then

    def for_token(self, context: int) -> int:
        """Of one token that sees `context` tokens."""
        entries = context // self.every
        return self.flops * (entries if self.cap is None else min(entries, self.cap))

    def over(self, tokens: int) -> int:
        """Sum of `at` over contexts 1..tokens, without a loop."""
        limit = tokens if self.cap is None else min(tokens, self.cap * self.every + self.every - 1)
        full, rest = divmod(limit, self.every)
        entries = self.every * full * (full - 1) // 2 + full * (rest + 1)
        return self.flops * (entries + (tokens - limit) * (self.cap or 0))


class Operation(NamedTuple):
    """One kind of node."""

    words: str  # what it does to its inputs
    flops: Callable[[Node], int] | None = None  # per token, whatever the context; None: nothing worth counting
    reads: Callable[[Node], tuple[Reads, ...]] | None = None  # per past entry
    what: str = ""  # what its work is called in a sum; "" = `words`


def matrix(node: Node) -> int:
    """Two FLOPs for each number of the matrix."""
    return 2 * prod(node.tensors["weight"].shape)


def state(times: int) -> Callable[[Node], int]:
    """So many FLOPs for each number of the state."""
    return lambda node: times * node.facts["heads"] * node.facts["d"] * node.facts["dv"]


def scan_flops(node: Node) -> int:
    """Decay, take in and read each number of the state; where each has a decay of its own, that one as well."""
    return (9 if node.facts["per_state"] else 6) * sum(kept.numbers for kept in node.keeps)


def chosen_experts(node: Node) -> int:
    """Two FLOPs for each number of the matrices of the experts that one token uses."""
    each = sum(prod(t.shape[1:]) for word, t in node.tensors.items() if not word.endswith("bias"))
    return 2 * node.facts["k"] * each


def attend_flops(node: Node) -> tuple[Reads, ...]:
    """Each head's q·k and its share of v, for every entry in sight; decoding MLA, every head reads the latent."""
    facts = node.facts
    if facts.get("cross"):
        return ()
    cap = facts.get("at_most") or facts.get("window") or facts.get("chunk") or None
    own = Reads("scores and values", 2 * facts["heads"] * (facts["d"] + facts["dv"]), cap=cap)
    if not facts.get("absorbed"):
        return (own,)
    latent = own._replace(flops=2 * facts["heads"] * facts["absorbed"], when="decode")
    return (latent, own._replace(when="prefill"))


def attend_entries_flops(node: Node) -> tuple[Reads, ...]:
    """The same where one vector is key and value: over the window, and over compressed entries."""
    facts, flops = node.facts, 4 * node.facts["heads"] * node.facts["d"]
    window = Reads("scores and values in the window", flops, cap=facts["window"])
    if not facts["every"]:
        return (window,)
    far = Reads("scores and values of compressed entries", flops, facts["every"], facts["at_most"] or None)
    return (far, window)


def score_flops(node: Node) -> tuple[Reads, ...]:
    """Each indexer head's q·k for every entry."""
    facts = node.facts
    return (Reads("indexer scores", 2 * facts["heads"] * facts["d"], facts.get("every", 1)),)


OPERATIONS: dict[str, Operation] = {
    "unknown": Operation("not understood yet"),
    "embed": Operation("rows of a table, one per token"),
    "parameter": Operation("a learned number"),
    "positions": Operation("rows of a table, one per position"),
    "rows": Operation("rows of a table, the same for every text"),
    "in_front": Operation("in front of the tokens"),
    "behind": Operation("the tokens alone"),
    "segments": Operation("a row for the segment of each token"),
    "distance_bias": Operation("a number per head for each distance"),
    "sinusoid": Operation("sines and cosines of the position"),
    "linear": Operation("x W' + b", matrix, what="matrices"),
    "norm": Operation("vectors divided by their size"),
    "rope": Operation("pairs rotated by the position"),
    "slice": Operation("some of the numbers"),
    "concat": Operation("concatenated"),
    "keep": Operation("kept for later tokens"),
    "act": Operation("a function of each number"),
    "xielu": Operation("a function of each number, with two learned ones"),
    "clip": Operation("clamped"),
    "scale": Operation("times a constant"),
    "softcap": Operation("cap · tanh(x / cap)"),
    "add": Operation("the sum"),
    "multiply": Operation("the product"),
    "temperature": Operation("queries scaled by their position"),
    "relative": Operation("a bias for each distance"),
    "l2_clip": Operation("norm clipped to a limit"),
    "log_scale": Operation("scaled by the logarithm of the position"),
    "dynamic_conv": Operation("each channel over its last few tokens, by taps of the token's own"),
    "attend_depth": Operation("a softmax over earlier sums"),
    "delay": Operation("delayed by one token"),
    "head_mean": Operation("the mean of a query and its key"),
    "group_mean": Operation("the mean of the queries that share a key"),
    "conv": Operation("each channel over its last few tokens", matrix),
    "decay": Operation("how much of the state is kept"),
    "delta": Operation("the delta rule", state(7)),  # decay 1, k·S 2, the outer product 2, q·S 2
    "lightning": Operation("linear attention", state(5)),
    "previous": Operation("the token before"),
    "lerp": Operation("mixed with the token before"),
    "blend": Operation("moved towards another value"),
    "rated": Operation("keys scaled by their learning rate"),
    "bonus": Operation("the current token once more"),
    "wkv": Operation("a decaying mean of values", state(3)),
    "wkv7": Operation("a generalised delta rule", state(8)),
    "mlstm": Operation("a matrix memory", state(5)),
    "step": Operation("Δ = softplus"),
    "scan": Operation("h ← exp(Δ A) h + Δ B ⊗ x", scan_flops),
    "rg_lru": Operation("h ← a h + √(1 − a²) (i × x)", lambda node: 8 * sum(kept.numbers for kept in node.keeps)),
    "per_head": Operation("a matrix for each head", matrix, what="matrices"),
    "attend": Operation("softmax(q·k) v", reads=attend_flops),
    "differ": Operation("one group of heads minus λ times the other", reads=attend_flops),
    "attend_entries": Operation("softmax(q·kv) kv over a window and compressed entries", reads=attend_entries_flops),
    "means": Operation("the mean of every few tokens"),
    "their_tokens": Operation("the tokens of the chosen blocks"),
    "ngram_ids": Operation("rows of a table, by hashes of the last tokens"),
    "signed_root": Operation("±√|q·k|"),
    "fill": Operation("one stored vector for every token"),
    "stack": Operation("stacked as streams"),
    "pick": Operation("one of several"),
    "match": Operation("scaled to another value's size"),
    "predict": Operation("every stream plus a mixture of all"),
    "correct": Operation("one stream's change, added to every stream"),
    "add_to": Operation("added to some streams"),
    "sparse": Operation("values far enough above the mean, 0 elsewhere"),
    "copies": Operation("the same vector in every stream"),
    "flatten": Operation("all streams as one vector"),
    "stream_weights": Operation("a weight for each stream, from 0 to a maximum"),
    "sinkhorn": Operation("rows and columns made to sum to one"),
    "collapse": Operation("Σ share · stream"),
    "expand": Operation("to every stream, by its weight"),
    "mix_streams": Operation("weighted sums of all streams"),
    "mean_streams": Operation("the mean of the streams"),
    "pool": Operation("a weighted mean of the tokens in a window"),
    "grouped_linear": Operation("x W' + b, each group its own rows", matrix, what="matrices"),
    "learned_temperature": Operation("queries scaled by their position, each head by its own factor"),
    "index_scores": Operation("Σ w · ReLU(q·k) of every earlier token", reads=score_flops),
    "best_tokens": Operation("the tokens with the largest scores"),
    "block_scores": Operation("the largest q·k of each block", reads=score_flops),
    "best_blocks": Operation("the blocks with the largest scores"),
    "glu": Operation("act(gate) × up"),
    "score": Operation("router logits become scores"),
    "choose": Operation("the largest k"),
    "weigh": Operation("weights of the chosen experts"),
    "shift": Operation("plus a stored vector"),
    "gated_sum": Operation("a learned share of the stream, and of what is added"),
    "dynamic_mask": Operation("which keys are seen, and how strongly"),
    "expert_queries": Operation("queries of the chosen experts", chosen_experts, what="experts"),
    "expert_outputs": Operation("through the chosen experts, weighted and summed", chosen_experts, what="experts"),
    "product_keys": Operation("the largest sums of two lists of scores, and their weights"),
    "one_number_experts": Operation("rows of two tables, each gated by one number", chosen_experts, what="experts"),
    "experts": Operation("the chosen experts, weighted and summed", chosen_experts, what="experts"),
}
