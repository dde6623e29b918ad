"""A node with weights -> its formula: linear layers, norms, tables, convolutions, and the experts with their router."""

from __future__ import annotations

from math import prod

from cutaway.gallery.drawing.annotations import SCORES, act, expert_words
from cutaway.gallery.drawing.formula_terms import number
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.graph import Node
from cutaway.gallery.records import Normal

# ---------------------------------------------------------------- weights


def heads_of(node: Node) -> str:
    """= 64 × 128, where the rows of a matrix are heads."""
    split = node.facts.get("split") or ()
    return f" = {shape_words(split)}" if len(split) > 1 else ""


def linear(node: Node) -> str:
    """y = W x + b, 2,048 → 8,192 = 64 × 128."""
    *rows, columns = node.tensors["weight"].shape
    bias = " + b" if "bias" in node.tensors else ""
    return f"y = W x{bias}, {columns:,} → {prod(rows):,}{heads_of(node)}"


def grouped_linear(node: Node) -> str:
    """Each group its own rows."""
    rows, columns = node.tensors["weight"].shape[-2:]
    groups = node.facts["groups"]
    return f"y = W x in {groups} groups, {columns:,} → {rows // groups:,} each"


def per_head(node: Node) -> str:
    """y = W x + b, 256 → 256, a matrix for each of 10 heads."""
    heads, rows, columns = node.tensors["weight"].shape
    rows, columns = (columns, rows) if node.facts.get("turned") else (rows, columns)
    bias = " + b" if "bias" in node.tensors else ""
    return f"y = W x{bias}, {columns:,} → {rows:,}, a matrix for each of {heads:,} heads"


def norm(node: Node) -> str:
    """x / √(mean(x²) + 0.000001) · w, over 128 numbers."""
    normal: Normal = node.facts["normal"]
    weight = node.tensors.get("weight")
    by = "" if weight is None else " · (1 + w)" if normal.plus_one else " · w"
    plus = f" + {number(normal.eps)}" if normal.eps else ""
    bias = " + b" if "bias" in node.tensors else ""
    x = f"(x{by})" if normal.weight_first and by else "x"
    under = {"L2Norm": f"√(Σ x²{plus})", "LayerNorm": f"√(var(x){plus})"}.get(normal.kind, f"√(mean(x²){plus})")
    top = f"({x} − mean)" if normal.kind == "LayerNorm" else x
    groups = node.facts.get("groups", 1)
    over = "" if weight is None else f", over {weight.shape[-1] // groups:,} numbers"
    return f"{top} / {under}{'' if normal.weight_first else by}{bias}{over}" + (
        f", {groups} groups apart" if groups > 1 else ""
    )


def embed(node: Node) -> str:
    """A row of the table for each token."""
    if "weight" not in node.tensors:
        return ""
    rows, columns = node.tensors["weight"].shape[-2:]
    return f"row [token] of {rows:,} × {columns:,}" + (f": {node.words}" if node.words else "")


def conv(node: Node) -> str:
    """Σ over the last 4 tokens, channel by channel."""
    channels, kernel = node.tensors["weight"].shape[0], node.facts["kernel"]
    words = f"Σ weight · x over the last {kernel} tokens, each of {channels:,} channels for itself"
    return f"{act(node.facts['act'])}({words})" if node.facts.get("act") else words


# ---------------------------------------------------------------- experts


def score(node: Node) -> str:
    """Router logits become scores."""
    return f"{SCORES.get(node.facts['act'], node.facts['act'])}(logits)"


def choose(node: Node) -> str:
    """The 8 largest of 256, in 4 of 8 groups."""
    facts = node.facts
    bias = " of score + bias" if "bias" in node.tensors else ""
    groups = f", in the {facts['topk_group']} best of {facts['groups']} groups" if facts["groups"] > 1 else ""
    return f"the {facts['k']:,} largest{bias}{groups}"


def weigh(node: Node) -> str:
    """Their weights."""
    facts = node.facts
    first = f"{facts['score']}(the chosen logits)" if facts["score"] else "the chosen scores"
    over = " / their sum" if facts["normalise"] else ""
    by = f" × {number(facts['scale'])}" if facts["scale"] != 1 else ""
    return f"{first}{over}{by}"


def experts(node: Node) -> str:
    """Σ weight · down(SiLU(gate) × up) over 8 of 256."""
    facts = node.facts
    each = (
        f"weight · down({expert_words(node)})" if not facts["on_input"] else f"down({expert_words(node)}) of weight · x"
    )
    return f"Σ {each} over {facts['k']:,} of {facts['experts']:,} experts"


def expert_queries(node: Node) -> str:
    """y = W x, 2,048 → 2,048, for each of the 2 chosen of 8 experts."""
    many, rows, columns = node.tensors["weight"].shape
    return f"y = W x, {columns:,} → {rows:,}, for each of the {node.facts['k']:,} chosen of {many:,} experts"


def expert_outputs(node: Node) -> str:
    """Σ weight · W y + b over the 2 chosen of 8 experts, 2,048 → 2,048."""
    many, rows, columns = node.tensors["weight"].shape
    bias = " + b" if "bias" in node.tensors else ""
    return f"Σ weight · W y{bias} over the {node.facts['k']:,} chosen of {many:,} experts, {columns:,} → {rows:,}"
