"""A node of a graph -> what it computes, as a formula with this model's numbers: one row an operation.

The formulas are those of gallery/running/numbers; a row that says nothing leaves the operation's own words.
"""

from __future__ import annotations

from collections.abc import Callable

from cutaway.gallery.drawing.annotations import act, glu_words
from cutaway.gallery.drawing.formula_attention import (
    attend,
    differ,
    entries,
    learned_temperature,
    log_scale,
    relative,
    rope,
    scores,
    temperature,
)
from cutaway.gallery.drawing.formula_states import (
    decay,
    fading_mean,
    gated_sum,
    recurrence,
    scan,
    sinkhorn,
    state,
    stream_weights,
    xielu,
)
from cutaway.gallery.drawing.formula_steps import join_by, keep_words, scale_words, slice_words
from cutaway.gallery.drawing.formula_terms import inputs, number
from cutaway.gallery.drawing.formula_weights import (
    choose,
    conv,
    embed,
    expert_outputs,
    expert_queries,
    experts,
    grouped_linear,
    linear,
    norm,
    per_head,
    score,
    weigh,
)
from cutaway.gallery.graph import Node
from cutaway.gallery.operations import OPERATIONS

FORMULAS: dict[str, Callable[[Node], str]] = {
    "linear": linear, "grouped_linear": grouped_linear, "per_head": per_head, "norm": norm, "embed": embed,
    "conv": conv, "rope": rope, "attend": attend, "differ": differ, "attend_entries": entries, "index_scores": scores,
    "block_scores": scores, "temperature": temperature, "delta": state, "lightning": state, "mlstm": state,
    "wkv7": state, "scan": scan, "decay": decay, "score": score, "choose": choose, "weigh": weigh, "experts": experts,
    "expert_queries": expert_queries, "expert_outputs": expert_outputs,
    "slice": slice_words, "add": join_by("+"), "multiply": join_by("×"), "scale": scale_words, "keep": keep_words,
    "stream_weights": stream_weights, "sinkhorn": sinkhorn, "xielu": xielu, "wkv": fading_mean,
    "rg_lru": recurrence, "learned_temperature": learned_temperature, "gated_sum": gated_sum,
    "act": lambda node: f"{act(node.facts['act'])}({inputs(node)[0]})",
    "glu": lambda node: glu_words(node.facts),
    "clip": lambda node: f"clamped to ± {number(node.facts['limit'])}",
    "softcap": lambda node: f"{number(node.facts['cap'])} · tanh(x / {number(node.facts['cap'])})",
    "shift": lambda node: f"{inputs(node)[0]} + a stored vector",
    "best_tokens": lambda node: f"the {node.facts['k']:,} with the largest scores",
    "best_blocks": lambda node: f"the {node.facts['k']:,} blocks of {node.facts['size']:,} with the largest scores",
    "dynamic_mask": lambda node: f"exp(A · softplus(dt)) for the {node.facts['keep']:,} largest keys, −∞ for others",
    "pool": lambda node: " ".join(node.facts["lines"]),
    "means": lambda node: f"the mean of each {node.facts['size']:,} tokens in a row",
    "their_tokens": lambda node: f"the tokens of the chosen blocks of {node.facts['size']:,}"
    + (", and those after the last whole block" if node.facts.get("tail", True) else ""),
    "relative": relative, "log_scale": log_scale, "mean_streams": lambda node: "(Σ stream) / number of streams",
    "step": lambda node: "softplus(x + b)" if "bias" in node.tensors else "softplus(x)",
    "concat": lambda node: "[" + ", ".join(inputs(node)) + "]",
    "copies": lambda node: f"the same vector in {node.facts['streams']} streams",
    "collapse": lambda node: "Σ share · stream", "expand": lambda node: "share · x, to every stream",
    "mix_streams": lambda node: "each stream a weighted sum of all, by the matrix",
    "lerp": lambda node: "mix · x + (1 − mix) · y", "blend": lambda node: "x + (y − x) · share",
    "rated": lambda node: "k · (1 + (a − 1) · w)", "bonus": lambda node: "(Σ r · k · w) v",
    "sparse": lambda node: f"max(x − mean − {node.facts['deviations']:.3f} deviations, 0)",
    "head_mean": lambda node: "(q + k) / 2", "predict": lambda node: "stream + Σ coefficient · stream",
    "correct": lambda node: "stream + (1 + coefficient) · what was learned",
}  # fmt: skip


def formula(node: Node, source: Node | None = None) -> str:
    """What a node computes, with its numbers; its operation's words where no row says it. `source` makes its input."""
    if node.op == "slice":
        return slice_words(node, source) or OPERATIONS[node.op].words
    row = FORMULAS.get(node.op)
    return (row(node) if row else "") or OPERATIONS[node.op].words
