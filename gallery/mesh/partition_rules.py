"""SPLITS: how every operation of a graph splits over tensor ranks, one row each; an operation without one fails here.

A row says the rule of its lanes (partition.py), and whether it looks at one token at a time. Matrices are cut by
columns where what comes out is wanted in lanes, by rows where what goes in is there in lanes, and are copied otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.mesh import lane_rules as rules
from cutaway.gallery.mesh import state_rules as states
from cutaway.gallery.mesh.partition import Rule, elementwise_rule, head_rule, number_rule
from cutaway.gallery.operations import OPERATIONS


class PartitionRule(NamedTuple):
    """How one operation splits."""

    kind: str  # "matrix" | "numbers" | "heads" | "experts" | "vocabulary" | "whole": for readers
    rule: Rule | None = None  # None: every rank does the whole of it
    tokens: bool = True  # one token at a time
    rows: bool = True  # what comes out has a row for each token
    here: tuple[int, ...] = ()  # inputs of which a rank needs its own tokens alone, though it looks at others


NUMBERS, HEADS = PartitionRule("numbers", number_rule), PartitionRule("heads", head_rule())
TOGETHER, WHOLE = PartitionRule("numbers", elementwise_rule), PartitionRule("whole")
ALL_TOKENS = PartitionRule("whole", tokens=False)
NO_ROWS = PartitionRule("whole", tokens=False, rows=False)

PARTITION_RULES: dict[str, PartitionRule] = {
    "linear": PartitionRule("matrix", rules.linear),
    "embed": PartitionRule("vocabulary", rules.embed),
    "experts": PartitionRule("experts", rules.experts),
    "norm": PartitionRule("heads", rules.norm),
    "attend": PartitionRule("heads", rules.attend, tokens=False, here=(0, 4)),
    "delta": PartitionRule("heads", states.delta, tokens=False),
    "decay": PartitionRule("heads", states.decay),
    "lightning": PartitionRule("heads", states.lightning, tokens=False),
    "scan": PartitionRule("heads", states.scan, tokens=False),
    "conv": PartitionRule("numbers", states.conv, tokens=False),
    "step": PartitionRule("numbers", states.step),
    "slice": PartitionRule("numbers", rules.sliced),
    "concat": PartitionRule("numbers", rules.concat),
    "scale": PartitionRule("numbers", rules.scale),
    "shift": PartitionRule("numbers", rules.shift),
    "sparse": PartitionRule("whole", rules.numbers_apart),
    "differ": PartitionRule("whole", rules.heads_apart, tokens=False),
    "glu": PartitionRule("numbers", rules.glu),
    "multiply": TOGETHER,
    "add": TOGETHER,
    "act": NUMBERS,
    "xielu": NUMBERS,
    "clip": NUMBERS,
    "softcap": NUMBERS,
    "keep": NUMBERS,
    "rope": HEADS,
    "temperature": HEADS,
    "learned_temperature": PartitionRule("heads", head_rule("scale", "bias")),
    "log_scale": HEADS,
    "l2_clip": HEADS,
    "delay": PartitionRule("numbers", states.delay, tokens=False),
    "previous": PartitionRule("numbers", number_rule, tokens=False),
    **dict.fromkeys(
        ("positions", "sinusoid", "fill", "gated_sum", "score", "choose", "weigh", "head_mean", "group_mean",
         "attend_depth", "lerp", "blend", "rated", "bonus", "per_head", "stack", "pick", "match", "predict", "correct",
         "add_to", "copies", "flatten", "stream_weights", "sinkhorn", "collapse", "expand", "mix_streams",
         "mean_streams", "grouped_linear", "signed_root", "product_keys", "one_number_experts", "expert_queries",
         "expert_outputs", "unknown"),
        WHOLE,
    ),
    **dict.fromkeys(
        ("attend_entries", "dynamic_conv", "mlstm", "wkv", "wkv7", "rg_lru", "ngram_ids", "segments"),
        ALL_TOKENS,
    ),
    **dict.fromkeys(
        ("parameter", "rows", "in_front", "behind", "distance_bias", "relative", "dynamic_mask", "means",
         "their_tokens", "pool", "index_scores", "best_tokens", "block_scores", "best_blocks"),
        NO_ROWS,
    ),
}  # fmt: skip
if OPERATIONS.keys() != PARTITION_RULES.keys():
    raise ImportError(f"operations and their splits differ: {sorted(OPERATIONS.keys() ^ PARTITION_RULES.keys())}.")
