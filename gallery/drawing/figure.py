"""ModelSpec -> Figure: what is drawn, before anyone asks where: totals, tower, kinds of layers, opened panels.

Every number comes from the spec, from counting.parameters or from what counting.kv_cache says a mixer keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from cutaway.gallery.cached import Same
from cutaway.gallery.counting.kv_cache import rules_for
from cutaway.gallery.counting.parameters import Parameters, parameters
from cutaway.gallery.drawing.figure_notes import notes_of
from cutaway.gallery.drawing.figure_panels import open_panels
from cutaway.gallery.drawing.layer_kinds import Kind, Tally, census, kinds_of, parts_in
from cutaway.gallery.drawing.panel_content import PanelContent
from cutaway.gallery.drawing.totals import Segment, key_figures, segments
from cutaway.gallery.spec import ModelSpec, MoE


@dataclass(slots=True)
class Figure:
    """A whole drawing, not yet placed."""

    spec: ModelSpec
    title: str
    subtitle: str
    keys: list[tuple[str, str]]  # (value, what it is)
    tallies: list[Tally]  # distinct layers
    kinds: list[Kind]  # cards, top to bottom
    panels: list[tuple[object, PanelContent]]  # (mixer or MLP, what its panel shows), top to bottom
    bar: list[Segment]
    counted: Parameters
    notes: list[tuple[str, str]]  # (alarm or ghost, words): other towers, marks, what is not understood


def figure(spec: ModelSpec, title: str = "", subtitle: str = "") -> Figure:
    """What the drawing of a spec shows."""
    made = untitled(Same(spec))
    return replace(made, title=title or made.title, subtitle=subtitle or made.subtitle)


@lru_cache(2)  # a page draws a model in three layouts, three more with a header, and as JSON and in words
def untitled(same: Same) -> Figure:
    """The same, under the name that its config gives it."""
    spec = same.spec
    counted, tallies, rules = parameters(spec), census(spec), rules_for(spec)
    kinds = kinds_of(spec, tallies, counted.per_layer)
    return Figure(
        spec,
        spec.architecture or spec.model_type or "A language model",
        default_subtitle(spec, tallies),
        key_figures(spec, tallies, counted, rules),
        tallies,
        kinds,
        open_panels(spec, tallies, kinds, rules),
        segments(tallies, counted),
        counted,
        notes_of(spec, counted),
    )


def default_subtitle(spec: ModelSpec, tallies: list[Tally]) -> str:
    """The subtitle where nobody gave one."""
    experts = any(isinstance(part, MoE) for part, _ in parts_in(tallies))
    words = [spec.model_type, "decoder-only", "mixture of experts" if experts else "dense"]
    return " · ".join(word for word in words if word)
