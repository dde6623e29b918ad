"""A small step without weights -> its formula: slices, sums and products, scales, and what stays in memory."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.gallery.drawing.formula_terms import inputs, number
from cutaway.gallery.graph import Keep, Node

MOST_INPUTS = 3  # of a sum that are named


def slice_words(node: Node, source: Node | None = None) -> str:
    """Numbers 128 to 191 of each vector; of each head, where what is cut comes in heads."""
    start, stop, step = (node.facts.get(key) for key in ("start", "stop", "step"))
    if start is None or stop is None:
        return ""
    every = f", every {step}th" if step and step > 1 else ""
    split = source.facts.get("split") if source else None
    each = f"each {split[-1]:,} numbers of " if split and len(split) > 1 else ""
    return f"numbers {start:,} to {stop - 1:,} of {each}{inputs(node)[0]}{every}"


def join_by(sign: str) -> Callable[[Node], str]:
    """a + b + c."""

    def words(node: Node) -> str:
        names = inputs(node)
        more = f" {sign} …" if len(names) > MOST_INPUTS else ""
        return f" {sign} ".join(names[:MOST_INPUTS]) + more

    return words


def scale_words(node: Node) -> str:
    """x × 0.0884, or times a stored vector."""
    x, by = inputs(node)[0], node.facts.get("by")
    if "weight" in node.tensors:
        return f"{x} × stored numbers"
    if isinstance(by, tuple):
        parts = ", ".join(f"{number(one)} on {many:,}" for one, many in zip(by, node.facts["widths"], strict=True))
        return f"{x}, part by part: × {parts} numbers"
    return f"{x} × {number(by)}" if isinstance(by, int | float) else f"{x} × constants, part by part"


def keep_words(node: Node) -> str:
    """What stays in memory."""
    return "; ".join(f"keeps {keep.words}{often(keep)}" for keep in node.keeps)


def often(keep: Keep) -> str:
    """For how many tokens one is kept."""
    if keep.fixed:
        return ""
    window = f", of the last {keep.window:,}" if keep.window else ""
    return f" for every {keep.every:,} tokens{window}" if keep.every > 1 else f" for every token{window}"
