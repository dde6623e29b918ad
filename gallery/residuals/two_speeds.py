"""Two states that think at two speeds: a low stack of layers runs several times, then a high one once, and again; each
reads the sum of both states and its answer, normalised, is the new state (HRM)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Stage, Wires
from cutaway.gallery.records import Normal
from cutaway.gallery.residuals.plain import Plain
from cutaway.gallery.residuals.plain import graph as plain
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.spec import Layer, ModelSpec


@dataclass(frozen=True, slots=True)
class TwoSpeeds:
    """`stack` low layers come first, as many high ones after them."""

    high_cycles: int
    low_cycles: int
    stack: int
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)


def graph(m: TwoSpeeds, spec: ModelSpec, layer: Layer) -> Graph:
    """A plain layer."""
    return plain(Plain(), spec, layer)


def stage(m: TwoSpeeds, word: str) -> Graph:
    """What a stack's answer becomes."""
    g = Wires()
    return g.graph(g.norm(word, "stream", 0, normal=m.normal, words=f"the {word} state, normalised"))


def course(m: TwoSpeeds) -> tuple[Stage, ...]:
    """Low, low, low, high, and again."""
    g = Wires()
    both = g.graph(g.add("sum", "add", "model:low", "model:high", words="low + high"))
    low = Stage(both, tuple(range(m.stack)), stage(m, "low"))
    high = Stage(both, tuple(range(m.stack, 2 * m.stack)), stage(m, "high"))
    return (*(low,) * m.low_cycles, high) * m.high_cycles


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The high state begins as the embedding, the low one as a stored vector, the same for every token."""
    tensors = {"value": g.tensor("z_L_init", spec.hidden_size, part="other")}
    g.add("low", "fill", x, tensors=tensors, words="the low state: one vector for all")
    return g.add("high", "keep", x, words="the high state: the embedding")


def leave(spec: ModelSpec, g: Wires, stream: str) -> str:
    """The high state, already normalised."""
    return stream


def words(scheme: TwoSpeeds) -> str:
    """How many streams, and what is unusual about them."""
    return "2, at two speeds"


def restack(scheme: TwoSpeeds, sources: Sequence[int]) -> TwoSpeeds:
    """No other depth: a layer belongs to the low stack or to the high one."""
    raise FixedDepth("layers belong to two stacks that run in turn")


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = TwoSpeeds, graph, enter, leave, words, restack
