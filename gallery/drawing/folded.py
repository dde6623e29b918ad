"""Panels of a tall drawing -> which of them need no picture of their own, and the line that stands in its place.

A panel is folded into a line where another one shows its wiring; the line says what differs: sizes, and what is absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cutaway.gallery.drawing.dataflow import Flow
from cutaway.gallery.drawing.head_items import CacheBox, Heads
from cutaway.gallery.drawing.items import Box, Matrix
from cutaway.gallery.drawing.panel_content import PanelContent
from cutaway.gallery.joined import join_words


class Fold(NamedTuple):
    """What a panel has in place of its picture."""

    title: str  # of the panel that shows its wiring
    says: str  # of the panel's words those that the other has not
    words: str  # the line
    flows: tuple[Flow, ...] = ()  # those that differ


Opened = tuple[object, PanelContent]  # a mixer or MLP, and what its panel shows


def fold_order(panels: Sequence[Opened]) -> list[tuple[int, int]]:
    """(a panel, one that shows its wiring): first those whose wirings are the same, then the smallest; of several that
    show it the largest."""
    at = sorted(range(len(panels)), key=lambda i: panels[i][1].parameters)
    found = [(i, j) for i in at for j in reversed(at) if i != j and wired_by(panels[j], panels[i])]
    return sorted(found, key=lambda pair: not wired_by(panels[pair[0]], panels[pair[1]]))


def wired_by(one: Opened, other: Opened) -> bool:
    """Whether the picture of `one` shows the wiring of `other`: halves of one class, and no edge between nodes of the
    other that the one lacks (keys of an earlier layer come from outside)."""
    (a, content), (b, small) = one, other
    if type(a) is not type(b):
        return False
    if content.graph is None or small.graph is None:
        return content.graph is small.graph
    own = {node.name for node in small.graph.nodes}
    return {(x, y) for x, y in small.graph.edges() if x in own} <= content.graph.edges()


def fold(content: PanelContent, other: PanelContent, where: str) -> Fold:
    """The line of a folded panel: whose wiring it has, above or below, and what differs. A further flow that differs is
    still drawn."""
    theirs = {flow.heading: facts_of(flow) for flow in other.flows}
    drawn = tuple(flow for flow in content.flows[1:] if facts_of(flow) != theirs.get(flow.heading))
    said = [f"Wired like “{other.title}” {where}"]
    headings = {flow.heading for flow in content.flows}
    absent = dict.fromkeys(f"{heading.partition(',')[0].lower()}" for heading in theirs if heading not in headings)
    here: dict[str, str | None] = {}
    for flow in content.flows:
        if flow not in drawn and flow.heading in theirs:
            mine, known = facts_of(flow), theirs[flow.heading]
            here |= dict.fromkeys(words for name, words in mine.items() if known.get(name) != words)
            absent |= dict.fromkeys(one.name for one in flow_matrices(other, flow.heading) if one.name not in mine)
    if content.experts and other.experts:
        shown = [heading for heading, _ in other.experts.groups]
        groups = [heading for heading, _ in content.experts.groups if heading not in shown]
        here |= dict.fromkeys(heading.replace(" · ", ", ") for heading in groups)
    own = [words for words in content.says.split(" · ") if words not in other.says.split(" · ")]
    said += [f"without {join_words(list(absent))}"] * bool(absent)
    return Fold(other.title, " · ".join(own), " · ".join([*said, *here]), drawn)


def flow_matrices(content: PanelContent, heading: str) -> list[Matrix]:
    """The matrices of one flow of a panel."""
    return next((flow.matrices() for flow in content.flows if flow.heading == heading), [])


def facts_of(flow: Flow) -> dict[str, str]:
    """Name -> words, of everything that the picture of a flow names."""
    found: dict[str, str] = {}
    for item in flow.items():
        words = item.lines()[0].partition(" [")[0]
        if isinstance(item, Matrix):
            found[item.name] = f"{item.name} {item.shape}"
        elif isinstance(item, Heads):
            found["heads"] = item.text
        elif isinstance(item, CacheBox):
            found[item.text.partition(" ")[0]] = item.text + (f", {item.bytes}" if item.bytes else "")
        else:
            found[item.name if isinstance(item, Box) else words] = words
    return found | {"the operation": " ".join(flow.op.words)}
