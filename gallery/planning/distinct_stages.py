"""A sheet and a layout -> its pipeline stages, equal ones once."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.planning.communication import Kinds, count_sends, crosses_nodes
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.lora import adapter_rows
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.stage_weights import NUMBERS, RULE, per_stage, sum_by_rule, table_stages
from cutaway.gallery.planning.stages import count_on_stage, first_stages, in_flight, last_stages, stages


class DistinctStage(NamedTuple):
    """One of several equal stages: the one that holds most activations."""

    stage: int
    layers: list[int]
    counts: dict[int, int]
    kinds: Kinds
    sums: dict[int, int]  # rule -> numbers
    adapters: dict[int, int]  # rule -> numbers of LoRA's
    last: bool
    sends: tuple[int, int]


def distinct_stages(sheet: PlannerModel, layout: Layout) -> list[DistinctStage]:
    """The stages of a layout, equal ones once."""
    found: dict[tuple, DistinctStage] = {}
    rows, firsts, lasts = per_stage(sheet, layout), first_stages(layout), last_stages(layout)
    tables = table_stages(sheet, layout)
    for stage, layers in enumerate(stages(len(sheet["layers"]), layout)):
        counts, sent = count_on_stage(sheet, layout, stage, layers), count_sends(layout, stage)
        ends = stage in firsts, stage in lasts
        key = (tuple(sorted(counts.items())), ends, sent, crosses_nodes(layout, stage), stage in tables)
        if key in found and in_flight(found[key].stage, layout) >= in_flight(stage, layout):
            continue
        kinds = [(sheet["kinds"][kind], many) for kind, many in counts.items()]
        sums = sum_by_rule((piece[RULE], piece[NUMBERS] * times) for piece, times in rows[stage])
        adapters = sum_by_rule(adapter_rows(layout, rows[stage]))
        found[key] = DistinctStage(stage, layers, counts, kinds, sums, adapters, ends[1], sent)
    return list(found.values())
