"""What stands in a panel: words of the kind, flows of its graph."""

from __future__ import annotations

from cutaway.gallery.drawing.band import Band
from cutaway.gallery.drawing.flows import flows_of
from cutaway.gallery.drawing.parts import Inside, Parts


def drawn(parts: Parts, role: str, title: str, says: str, band: Band | None = None) -> Inside:
    """A panel whose picture is the graph of its mixer or MLP."""
    return Inside(role, title, says, flows_of(parts.graph, parts, role), band=band, graph=parts.graph)
