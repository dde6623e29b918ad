"""Two specs -> the steps that turn one into the other, in the order of the table, and what each costs.

Every step changes one field (or one kind of layer) of a spec between the two; after each, everything is counted again
with gallery.counting, so that the steps sum to the whole. A step that cannot stand alone is counted with the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.counted import Counts, Numbers, numbers_of
from cutaway.gallery.comparing.field_steps import Step, differing_fields, field_steps
from cutaway.gallery.comparing.model_steps import kind_steps, layer_steps, model_steps, norm_steps
from cutaway.gallery.comparing.state import HALVES, State

# part -> its heading, in the order of the table
HEADS = {
    "mixer": "Mixer",
    "mlp": "MLP",
    "norms": "Norms",
    "position": "Position",
    "sizes": "Sizes",
    "beside": "Whole model",
}
PARTS = tuple(HEADS)


def steps(state: State) -> Iterator[Step]:
    """All changes, in the order of the table."""
    found = differing_fields(state)
    for half in HALVES:
        yield from field_steps(state, half, found)
        yield from kind_steps(state, half)
    yield from field_steps(state, "norms", found)
    yield from norm_steps(state)
    yield from field_steps(state, "position", found)
    for part in PARTS[3:5]:
        yield from model_steps(state, part)
    yield from layer_steps(state)
    yield from model_steps(state, "beside")


def cost_steps(a: s.ModelSpec, b: s.ModelSpec) -> Iterator[tuple[Step, Numbers]]:
    """Each step with what it costs; the last one, without words, is what no step accounted for."""
    state = State(a, b)
    counts, last, nothing = Counts(), numbers_of(a), Numbers()
    for step in steps(state):
        step.apply()
        cost = nothing
        if step.counts:
            try:
                now = counts.numbers(state.spec, state.built())
            except (ValueError, TypeError, LookupError, AttributeError, ZeroDivisionError):
                now = last  # it cannot stand alone
            cost, last = now.less(last), now
        yield step, cost
    end = numbers_of(b).less(last)
    if end != nothing:
        yield Step("beside", "", "", ("", ""), lambda: None), end
