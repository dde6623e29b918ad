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

from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.operations import OPERATIONS

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
WHOLE = frozenset(("copies", "stack", "expand", "mix_streams", "predict", "correct", "add_to"))  # all streams
ONE = frozenset(("collapse", "mean_streams"))  # one of them
POOLED = frozenset(("pool", "means"))  # one value for several tokens
HALVES = ("mixer_in_norm", "mlp_in_norm")  # the norms in front of the halves
CHOICE = frozenset(("best_tokens", "best_blocks", "their_tokens", "dynamic_mask", "distance_bias", "relative"))

for _op in OPERATIONS:
    if sum(_op in group for group in (MATRICES, FIRST, ALL, ATTENTION, EXPERTS, OWN, NOTHING)) != 1:
        raise ImportError(f"gallery/counting/activations.py must say once what {_op!r} saves for the way back.")


class SavedActivations(NamedTuple):
    """Numbers of one token, each of 16 bits unless a format makes fewer of what matrices read."""

    others: int  # that no matrix reads; FP32 counts twice
    matrices: int  # that matrices alone read
    both: int  # that a matrix and another operation read
    normed: int  # of those, what stands behind the norms of the stream
    unpacked: int  # of the others, queries, keys and values of attention whose keys are unpacked from latents
    arriving: int  # at routed experts: the stream, once for each that a token visits
    first: int  # what their first matrices give
    last: int  # what their last matrices read


def node_shape(node: Node, known: Mapping[str, Shape], stream: Shape) -> Shape:
    """What one token has of a node's value; `stream`: of what enters a layer, several streams or one."""
    split = node.facts.get("split")
    if split:
        return tuple(split)
    found = plain_shape(node, known, stream)
    return found if split is None else (prod(found),)


def plain_shape(node: Node, known: Mapping[str, Shape], stream: Shape) -> Shape:
    """The same before it is split into heads."""
    facts, hidden, op = node.facts, stream[-1:], node.op
    given = [known[name] for name in node.inputs if name in known] or [hidden]
    if op in MATRICES:
        return node.tensors["weight"].shape[:1]
    if op == "slice":
        return (*given[0][:-1], len(range(*slice(facts.get("start", 0), facts.get("stop")).indices(given[0][-1]))))
    if op == "concat":
        parts = [known.get(name, hidden) for name in node.inputs]
        return (*max((part[:-1] for part in parts), key=prod), sum(part[-1] for part in parts))
    if op in ATTENTION:
        return (facts["heads"], facts.get("dv") or facts["d"])
    if op in ("delta", "lightning", "wkv", "wkv7", "mlstm") and "dv" in facts:
        return (facts["heads"], facts["dv"])
    if op == "parameter":
        return node.tensors["weight"].shape
    if op in EXPERTS:
        return node.tensors["down"].shape[1:2] if "down" in node.tensors else hidden
    if op in WHOLE | ONE:
        return stream if op in WHOLE else hidden
    if op == "pick":
        return given[0][-1:] if node.inputs[0] in known else (1,)  # of a table of another graph, which saves it
    if op in POOLED:
        return (facts["size"],) if op == "pool" else given[0]
    if op in ("add", "multiply", "lerp", "blend"):
        return max(given, key=prod)
    outside = bool(node.inputs) and node.inputs[0] not in known and "weight" in node.tensors
    return node.tensors["weight"].shape if outside else given[0]


def from_outside(graph: Graph) -> dict[str, Shape]:
    """What matrices read of values of other graphs: their weights say how wide it is."""
    own = {node.name for node in graph.nodes}
    return {
        node.inputs[0]: node.tensors["weight"].shape[1:]
        for node in graph.nodes
        if node.op == "linear" and node.inputs[0] not in own and node.inputs[0] != "stream"
    }


def tokens_each(node: Node, known: Mapping[str, int]) -> int:
    """For how many tokens a value stands: compressed entries come once every few."""
    if node.op in POOLED:
        return node.facts["ratio" if node.op == "pool" else "size"]
    return known.get(node.inputs[0], 1) if node.inputs and node.op not in ATTENTION | CHOICE | {"index_scores"} else 1


def expert_widths(node: Node, hidden: int) -> tuple[int, int, int]:
    """(arriving, first, last) of the experts that one token visits."""
    visits, shapes = node.facts["k"], {word: tensor.shape for word, tensor in node.tensors.items()}
    matrices = {word: one for word, one in shapes.items() if len(one) == 3}
    if node.op != "experts" or not matrices:
        return (0, 0, 0)
    width = min(min(one[1:]) for one in matrices.values()) if "down" not in matrices else matrices["down"][2]
    stream = matrices["down"][1] if "down" in matrices else hidden
    return visits * stream, visits * width * (2 if node.facts.get("gated", True) else 1), visits * width


def shapes(graph: Graph, hidden: int, streams: int = 1) -> dict[str, Shape]:
    """What one token has of every value that a graph makes or is given."""
    stream: Shape = (streams, hidden) if streams > 1 else (hidden,)
    known: dict[str, Shape] = {"stream": stream, **from_outside(graph)}
    for node in graph.nodes:
        known[node.name] = node_shape(node, known, stream)
    return known


class ActivationTally:
    """Values that are saved, each once, under the name of what it is another name of."""

    def __init__(self, graph: Graph, hidden: int, streams: int) -> None:
        self.hidden, self.known = hidden, shapes(graph, hidden, streams)
        self.named: dict[str, str] = {}
        self.tokens: dict[str, int] = {}
        self.matrices: dict[str, int] = {}
        self.others: dict[str, int] = {}

    def put(self, into: dict[str, int], *names: str) -> None:
        for name in (self.named.get(one, one) for one in names):
            into[name] = prod(self.known.get(name, (self.hidden,))) // self.tokens.get(name, 1)

    def add(self, node: Node) -> None:
        """All that one operation saves, but routed experts and attention."""
        self.tokens[node.name] = tokens_each(node, self.tokens)
        if node.op in ALIAS and node.inputs:
            self.named[node.name] = self.named.get(node.inputs[0], node.inputs[0])
        if node.op in MATRICES:
            self.put(self.matrices, node.inputs[0])
        elif node.op in FIRST | ALL:
            self.put(self.others, *(node.inputs[:1] if node.op in FIRST else node.inputs))
        elif node.op in OWN:
            self.others[node.name] = 2 * prod(self.known[node.name])

    def attend(self, node: Node, choices: set[str]) -> int:
        """Queries, keys, values, the result, a sum a head in FP32; what another layer gives is saved there."""
        seen = [name for name in node.inputs if name in self.tokens and name not in choices]
        self.put(self.others, *seen, node.name)
        self.others[f"{node.name}: sums"] = 2 * node.facts["heads"]
        return sum(prod(self.known[name]) for name in seen) if node.facts.get("absorbed") else 0


def count_activations(graph: Graph, hidden: int, streams: int = 1) -> SavedActivations:
    """What one token's way back through a graph needs."""
    kept = ActivationTally(graph, hidden, streams)
    choices = {node.name for node in graph.nodes if node.op in CHOICE}  # where attention looks: of no token alone
    unpacked, experts = 0, (0, 0, 0)
    for node in graph.nodes:
        kept.add(node)
        if node.op in ATTENTION:
            unpacked += kept.attend(node, choices)
        if node.op in EXPERTS:
            arriving, first, last = expert_widths(node, hidden)
            experts = experts[0] + arriving, experts[1] + first, experts[2] + last
    normed = {node.name for node in graph.nodes if node.op == "norm" and node.name.startswith(HALVES)}
    matrices, others = kept.matrices, kept.others
    both = sum(size for name, size in matrices.items() if name in others)
    behind = sum(size for name, size in matrices.items() if name in normed and name not in others)
    return SavedActivations(
        sum(others.values()) - both, sum(matrices.values()) - both, both, behind, unpacked, *experts
    )
