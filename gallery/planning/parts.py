"""A sheet and a layout -> its pipeline stages, equal ones once."""

from __future__ import annotations

from typing import NamedTuple

from gallery.planning.holdings import NUMBERS, RULE, by_rule, per_stage
from gallery.planning.layout import Layout
from gallery.planning.sheet import Sheet
from gallery.planning.stages import counted, last_stage, stages
from gallery.planning.talks import Kinds, sends


class Part(NamedTuple):
    """One of several equal stages: the first, which holds most activations."""

    stage: int
    layers: list[int]
    counts: dict[int, int]
    kinds: Kinds
    sums: dict[int, int]  # rule -> numbers
    last: bool
    sends: tuple[int, int]


def parts(sheet: Sheet, layout: Layout) -> list[Part]:
    """The stages of a layout, equal ones once."""
    seen, out, rows = set(), [], per_stage(sheet, layout)
    last = last_stage(layout)
    for stage, layers in enumerate(stages(len(sheet["layers"]), layout)):
        counts, sent = counted(sheet, layers), sends(layout, stage)
        key = (tuple(sorted(counts.items())), stage == 0, stage == last, sent)
        if key in seen:
            continue
        seen.add(key)
        kinds = [(sheet["kinds"][kind], many) for kind, many in counts.items()]
        sums = by_rule((piece[RULE], piece[NUMBERS] * times) for piece, times in rows[stage])
        out.append(Part(stage, layers, counts, kinds, sums, stage == last, sent))
    return out
