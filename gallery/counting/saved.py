"""A graph -> what training saves of it for the way back: each value that an operation's derivative needs, once.

As frameworks do it: a matrix saves what it reads, a norm what it scales, attention its queries, keys, values and result
(FlashAttention: no scores, a sum a head), a product both its factors; what is only moved, added or rotated saves
nothing (Korthikanti et al., arXiv 2205.05198, section 4.1, without dropout). Routed experts save what arrives, what
their first matrices give, and what the last reads (Megatron-LM, grouped GEMM with the weights at the activation).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

from gallery.graph import Graph, Node
from gallery.operations import OPERATIONS

Shape = tuple[int, ...]  # of one token, the last axis last

MATRICES = frozenset(("linear", "grouped_linear", "per_head"))
FIRST = frozenset((  # their first input
    "norm", "act", "xielu", "clip", "softcap", "l2_clip", "signed_root", "sparse", "conv", "dynamic_conv",
    "stream_weights", "sinkhorn", "decay", "step",
))  # fmt: skip
ALL = frozenset((  # all that they read
    "multiply", "glu", "lerp", "blend", "gated_sum", "match", "delta", "lightning", "wkv", "wkv7", "mlstm", "scan",
    "rg_lru", "rated", "bonus", "predict", "correct", "collapse", "expand", "mix_streams", "attend_depth", "pool",
))  # fmt: skip
ATTENTION = frozenset(("attend", "differ", "attend_entries"))  # all that they read, and what they give
EXPERTS = frozenset(("experts", "expert_queries", "expert_outputs", "one_number_experts"))
OWN = frozenset(("score",))  # what they give, in FP32
NOTHING = frozenset((
    "unknown", "embed", "parameter", "positions", "rows", "in_front", "behind", "segments", "distance_bias",
    "sinusoid", "rope", "slice", "concat", "keep", "scale", "add", "temperature", "relative", "log_scale", "delay",
    "head_mean", "group_mean", "previous", "means", "their_tokens", "ngram_ids", "fill", "stack", "pick", "add_to",
    "copies", "flatten", "mean_streams", "learned_temperature", "index_scores", "best_tokens", "block_scores",
    "best_blocks", "choose", "weigh", "shift", "dynamic_mask", "product_keys",
))  # fmt: skip
ALIAS = frozenset(("keep", "flatten"))  # the same numbers under another name
CHOICE = frozenset(("best_tokens", "best_blocks", "their_tokens", "dynamic_mask", "distance_bias", "relative"))

for _op in OPERATIONS:
    if sum(_op in group for group in (MATRICES, FIRST, ALL, ATTENTION, EXPERTS, OWN, NOTHING)) != 1:
        raise ImportError(f"gallery/counting/saved.py must say once what {_op!r} saves for the way back.")


class Saved(NamedTuple):
    """Numbers of one token, each of 16 bits unless a format makes fewer of what matrices read."""

    others: int  # that no matrix reads; FP32 counts twice
    matrices: int  # that matrices alone read
    both: int  # that a matrix and another operation read
    normed: int  # of those, what stands behind the norms of the stream
    unpacked: int  # of the others, queries, keys and values that are unpacked from latents
    arriving: int  # at routed experts: the stream, once for each that a token visits
    first: int  # what their first matrices give
    last: int  # what their last matrices read


def shape(node: Node, known: Mapping[str, Shape], hidden: int) -> Shape:
    """What one token has of a node's value."""
    facts, first = node.facts, known.get(node.inputs[0], (hidden,)) if node.inputs else (hidden,)
    if node.op in MATRICES:
        return tuple(facts.get("split") or ()) or (node.tensors["weight"].shape[0],)
    if node.op == "slice":
        start, stop = facts.get("start", 0), facts.get("stop")
        return (*first[:-1], len(range(*slice(start, stop).indices(first[-1]))))
    if node.op == "concat":
        parts = [known.get(name, (hidden,)) for name in node.inputs]
        return (*max((part[:-1] for part in parts), key=prod), sum(part[-1] for part in parts))
    if node.op in ATTENTION:
        return (facts["heads"], facts.get("dv") or facts["d"])
    if node.op in ("delta", "lightning", "wkv", "wkv7", "mlstm") and "dv" in facts:
        return (facts["heads"], facts["dv"])
    if node.op in EXPERTS | {"collapse", "mean_streams", "pick"}:
        return (hidden,)
    if node.op in ("add", "multiply", "expand", "mix_streams", "lerp", "blend"):
        return max((known.get(name, (hidden,)) for name in node.inputs), key=prod)
    return first


def routed(node: Node, hidden: int) -> tuple[int, int, int]:
    """(arriving, first, last) of the experts that one token visits."""
    visits, shapes = node.facts["k"], {word: tensor.shape for word, tensor in node.tensors.items()}
    matrices = {word: one for word, one in shapes.items() if len(one) == 3}
    if node.op != "experts" or not matrices:
        return (0, 0, 0)
    width = min(min(one[1:]) for one in matrices.values()) if "down" not in matrices else matrices["down"][2]
    stream = matrices["down"][1] if "down" in matrices else hidden
    return visits * stream, visits * width * (2 if node.facts.get("gated", True) else 1), visits * width


def saved(graph: Graph, hidden: int) -> Saved:
    """What one token's way back through a graph needs."""
    known: dict[str, Shape] = {}
    named: dict[str, str] = {}
    matrices: dict[str, int] = {}
    others: dict[str, int] = {}
    normed: set[str] = set()
    arriving = first = last = unpacked = 0
    choices: set[str] = set()  # where attention looks, and how strongly: numbers of no token alone

    def put(into: dict[str, int], name: str) -> None:
        name = named.get(name, name)
        into[name] = prod(known.get(name, (hidden,)))

    for node in graph.nodes:
        known[node.name] = shape(node, known, hidden)
        if node.op in ALIAS and node.inputs:
            named[node.name] = named.get(node.inputs[0], node.inputs[0])
        for name in node.inputs[:1] if node.op in MATRICES else ():
            put(matrices, name)
        for name in node.inputs[:1] if node.op in FIRST else node.inputs if node.op in ALL else ():
            put(others, name)
        if node.op in CHOICE:
            choices.add(node.name)
        if node.op in ATTENTION:
            seen = [name for name in node.inputs if name in known and name not in choices]
            for name in (*seen, node.name):  # what another layer gives is saved there
                put(others, name)
            others[f"{node.name}: sums"] = 2 * node.facts["heads"]
            unpacked += sum(prod(known[name]) for name in seen) if node.facts.get("absorbed") else 0
        if node.op in OWN:
            others[node.name] = 2 * prod(known[node.name])
        if node.op == "norm" and "." not in node.name:
            normed.add(node.name)
        if node.op in EXPERTS:
            more = routed(node, hidden)
            arriving, first, last = arriving + more[0], first + more[1], last + more[2]
    both = sum(size for name, size in matrices.items() if name in others)
    behind = sum(size for name, size in matrices.items() if name in normed and name not in others)
    return Saved(
        sum(others.values()) - both, sum(matrices.values()) - both, both, behind, unpacked, arriving, first, last,
    )  # fmt: skip
