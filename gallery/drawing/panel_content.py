"""What the panel of an opened mixer or MLP shows: its words, the flows of its graph, what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.dataflow import Flow
from cutaway.gallery.drawing.experts import Experts
from cutaway.gallery.drawing.graph_to_dataflow import flows_of
from cutaway.gallery.drawing.mask_picture import Band
from cutaway.gallery.drawing.node_items import Parts
from cutaway.gallery.graph import Graph


@dataclass(slots=True)
class PanelContent:
    """One opened mixer or MLP: words, flows from top to bottom, and what stands beside them."""

    role: str
    title: str
    says: str
    flows: list[Flow] = field(default_factory=list)
    experts: Experts | None = None  # an Experts picture stands in for the flows
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


def graph_panel(parts: Parts, role: str, title: str, says: str, band: Band | None = None) -> PanelContent:
    """A panel whose picture is the graph of its mixer or MLP."""
    return PanelContent(role, title, says, flows_of(parts.graph, parts, role), band=band, graph=parts.graph)


def not_understood(parts: Parts) -> PanelContent:
    """A half that the spec cannot express: said, not left out."""
    m: s.NotUnderstood = parts.m
    says = "this half of the layer is drawn as a box, and counted nowhere"
    return PanelContent("plain", "Not understood yet", says, alarm=m.what[:160])
