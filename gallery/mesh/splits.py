"""SPLITS: how every operation of a graph splits over tensor ranks, one row each; an operation without one fails here.

A row says the rule of its lanes (cuts.py), and whether it looks at one token at a time. Matrices are cut by columns
where what comes out is wanted in lanes, by rows where what goes in is there in lanes, and are copied otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.mesh import lane_rules as rules
from cutaway.gallery.mesh import state_rules as states
from cutaway.gallery.mesh.cuts import Rule, each_head, each_number, together
from cutaway.gallery.operations import OPERATIONS


class Split(NamedTuple):
    """How one operation splits."""

    kind: str  # "matrix" | "numbers" | "heads" | "experts" | "vocabulary" | "whole": for readers
    rule: Rule | None = None  # None: every rank does the whole of it
    tokens: bool = True  # one token at a time
    rows: bool = True  # what comes out has a row for each token
    here: tuple[int, ...] = ()  # inputs of which a rank needs its own tokens alone, though it looks at others


NUMBERS, HEADS = Split("numbers", each_number), Split("heads", each_head())
TOGETHER, WHOLE = Split("numbers", together), Split("whole")
ALL_TOKENS = Split("whole", tokens=False)
NO_ROWS = Split("whole", tokens=False, rows=False)

SPLITS: dict[str, Split] = {
    "linear": Split("matrix", rules.linear),
    "embed": Split("vocabulary", rules.embed),
    "experts": Split("experts", rules.experts),
    "norm": Split("heads", rules.norm),
    "attend": Split("heads", rules.attend, tokens=False, here=(0, 4)),
    "delta": Split("heads", states.delta, tokens=False),
    "decay": Split("heads", states.decay),
    "lightning": Split("heads", states.lightning, tokens=False),
    "scan": Split("heads", states.scan, tokens=False),
    "conv": Split("numbers", states.conv, tokens=False),
    "step": Split("numbers", states.step),
    "slice": Split("numbers", rules.sliced),
    "concat": Split("numbers", rules.concat),
    "scale": Split("numbers", rules.scale),
    "shift": Split("numbers", rules.shift),
    "sparse": Split("whole", rules.numbers_apart),
    "differ": Split("whole", rules.heads_apart, tokens=False),
    "glu": Split("numbers", rules.glu),
    "multiply": TOGETHER,
    "add": TOGETHER,
    "act": NUMBERS,
    "xielu": NUMBERS,
    "clip": NUMBERS,
    "softcap": NUMBERS,
    "keep": NUMBERS,
    "rope": HEADS,
    "temperature": HEADS,
    "learned_temperature": Split("heads", each_head("scale", "bias")),
    "log_scale": HEADS,
    "l2_clip": HEADS,
    "delay": Split("numbers", states.delay, tokens=False),
    "previous": Split("numbers", each_number, tokens=False),
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
if OPERATIONS.keys() != SPLITS.keys():
    raise ImportError(f"operations and their splits differ: {sorted(OPERATIONS.keys() ^ SPLITS.keys())}.")
