"""A sheet and a layout -> its pipeline stages, equal ones once."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.planning.holdings import NUMBERS, RULE, by_rule, per_stage, table_stages
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.sheet import Sheet
from cutaway.gallery.planning.stages import first_stages, in_flight, last_stages, on_stage, stages
from cutaway.gallery.planning.talks import Kinds, apart, sends


class Part(NamedTuple):
    """One of several equal stages: the one that holds most activations."""

    stage: int
    layers: list[int]
    counts: dict[int, int]
    kinds: Kinds
    sums: dict[int, int]  # rule -> numbers
    last: bool
    sends: tuple[int, int]


def parts(sheet: Sheet, layout: Layout) -> list[Part]:
    """The stages of a layout, equal ones once."""
    found: dict[tuple, Part] = {}
    rows, firsts, lasts = per_stage(sheet, layout), first_stages(layout), last_stages(layout)
    tables = table_stages(sheet, layout)
    for stage, layers in enumerate(stages(len(sheet["layers"]), layout)):
        counts, sent = on_stage(sheet, layout, stage, layers), sends(layout, stage)
        ends = stage in firsts, stage in lasts
        key = (tuple(sorted(counts.items())), ends, sent, apart(layout, stage), stage in tables)
        if key in found and in_flight(found[key].stage, layout) >= in_flight(stage, layout):
            continue
        kinds = [(sheet["kinds"][kind], many) for kind, many in counts.items()]
        sums = by_rule((piece[RULE], piece[NUMBERS] * times) for piece, times in rows[stage])
        found[key] = Part(stage, layers, counts, kinds, sums, ends[1], sent)
    return list(found.values())
