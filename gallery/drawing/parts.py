"""The tensors of one mixer or MLP, struck off one by one as a picture shows them, so that none is left undrawn.

`Inside` is what a panel shows. Whatever a picture does not take is listed under it by name and shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from cutaway.gallery.counting.cache import Rules, kept_by
from cutaway.gallery.counting.naming import rename
from cutaway.gallery.drawing.flow import Flow
from cutaway.gallery.drawing.words import count, shape_words, size
from cutaway.gallery.graph import Graph, Tensor
from cutaway.gallery.halves import graph_of

if TYPE_CHECKING:
    from cutaway.gallery.drawing.band import Band
    from cutaway.gallery.drawing.mlps import Experts


@dataclass(slots=True)
class Inside:
    """One opened mixer or MLP: words, flows from top to bottom, and what stands beside them."""

    role: str
    title: str
    says: str
    flows: list[Flow] = field(default_factory=list)
    experts: Experts | None = None  # an Experts picture (mlps.py) stands in for the flows
    band: Band | None = None  # a small picture of who sees whom
    chips: list[str] = field(default_factory=list)
    alarm: str = ""  # what is not understood
    scale: float = 1.0
    parameters: int = 0
    graph: Graph | None = None  # what the flows are a picture of
    where: str = ""  # what that graph is called: "layer3.mixer"

    def wires(self) -> list[tuple[str, str]]:
        """What the lines of the picture can be: the graph's edges, its output, a tensor that is shown by itself."""
        if self.graph is None:
            return []
        sinks = [(node.tensors["sinks"].name, node.name) for node in self.graph.nodes if "sinks" in node.tensors]
        return [*self.graph.edges(), (self.graph.out, "out"), *sinks]

    def lines(self) -> list[str]:
        """The outline of the panel."""
        out = [self.title, "  " + self.says] if self.says else [self.title]
        if self.alarm:
            out.append("  not understood yet: " + self.alarm)
        if self.band:
            out += ["  " + line for line in self.band.lines()]
        if self.experts:
            out += ["  " + line for line in self.experts.lines()]
        for flow in self.flows:
            out += flow.lines("  ")
        return out + ["  also " + chip for chip in self.chips]


class Parts:
    """What one half of a layer is made of: its graph, its tensors, those that no picture has shown yet."""

    def __init__(self, m: Any, h: int, names: tuple[tuple[str, str], ...], rules: Rules) -> None:
        self.m, self.h = m, h
        self.graph = graph_of(m, h)
        self.own = {t.name: t.shape for t in self.graph.tensors() if t.of is None and t.part != "buffer"}
        self.total = sum(prod(shape) for shape in self.own.values())
        self.names, self.rules = names, rules
        self.left = dict(self.own)
        self.renamed: dict[str, str] = {}
        self.slices: dict[str, list[str]] = {}
        self.shapes = {t.name: t.shape for t in self.graph.tensors()}

    def stored(self, name: str) -> str:
        """The checkpoint's name, where a rule renames this tensor alone."""
        if not self.names:
            return name
        if name not in self.renamed:
            self.renamed[name] = rename([(name, self.shapes[name], "")], self.names)[0][0]
        return self.renamed[name]

    def kept(self, kind: str = "") -> list:
        """What this half keeps while decoding, of one kind or of all."""
        return [k for k in kept_by(self.m, self.rules) if not kind or k.kind == kind]

    def said(self, tensor: Tensor) -> str:
        """A tensor in words, struck off the list of those that no picture shows."""
        self.left.pop(tensor.name, None)
        return f"{self.stored(tensor.name)} {shape_words(tensor.shape)}"

    def chips(self) -> list[str]:
        """Every tensor that the picture did not show, and the whole of every matrix it showed in slices."""
        out = []
        for name, labels in self.slices.items():
            rows, columns = self.own[name]
            short = self.stored(name).removesuffix(".weight").rpartition(".")[2]
            out.append(f"{short} {columns:,} → {rows:,} holds {', '.join(labels)}")
        out += self.fused()
        for name, shape in self.left.items():
            words = [word for word in self.stored(name).removesuffix(".weight").split(".") if word != "lora"]
            plain = words[-1] != "bias" and not words[-1].isdigit()
            short = words[-1] if plain else ".".join(words[-3:] if words[-2].isdigit() else words[-2:])
            out.append(f"{short} {shape_words(shape)}")
        return out

    def fused(self) -> list[str]:
        """Matrices that the checkpoint stores together although the picture shows them apart."""
        if not any(" + " in ours for ours, *_ in self.names):
            return []
        whole = rename([(name, shape, "") for name, shape in self.own.items()], self.names)
        alone = {self.stored(name) for name in self.own}
        return [
            f"stored fused: {name.removesuffix('.weight').rpartition('.')[2]} {shape_words(shape)}"
            for name, shape, _ in whole
            if name not in alone and not name.endswith("bias")
        ]


def bytes_kept(kept: list) -> str:
    """1,152 B per token, or what a capped or fixed thing takes in all."""
    slope = sum(float(k.slope_bits) for k in kept) / 8
    fixed = sum(k.fixed_bits for k in kept) / 8
    words = [f"{size(slope)} per token"] if slope else []
    caps = {k.cap for k in kept if k.cap}
    until = f" at {caps.pop():,} tokens" if len(caps) == 1 else ""
    return " + ".join(words + ([size(fixed) + until] if fixed else []))


def per_layer(parts: Parts) -> str:
    return f"{count(parts.total)} parameters per layer"
