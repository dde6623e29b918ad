"""What formulas are made of: a number as a reader writes it, the names of inputs, the lines of an operation's own."""

from __future__ import annotations

from cutaway.gallery.drawing.annotations import value_name
from cutaway.gallery.graph import Node


def number(value: float) -> str:
    """10,000 or 0.000001, as a reader writes it."""
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e9):
        return f"{int(value):,}"
    return f"{value:.9f}".rstrip("0") if 1e-9 <= abs(value) < 1e-2 else f"{value:,.4g}"


def inputs(node: Node) -> list[str]:
    """What it reads, as formulas call it; two of one name by where they come from: 0.out_scaled and 1.out_scaled."""
    values = [name.partition(":")[2] or name for name in node.inputs]
    names = [value_name(name) for name in values]
    alike = {name for i, name in enumerate(names) if names.count(name) > 1 and values.count(values[i]) == 1}
    return [
        ".".join(value.split(".")[-2:]) if name in alike else name for value, name in zip(values, names, strict=True)
    ]


def own_lines(node: Node) -> str:
    """The lines of an operation that brings its own."""
    return "; ".join(node.facts["lines"])
