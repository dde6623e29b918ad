"""A sheet and a layout -> the pieces of each pipeline stage, and how many numbers and bits of them a rank holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio
from cutaway.gallery.planning.stages import count_on_stage, first_stages, last_stages, mtp_stages, stages

WEIGHT_BITS = {"bfloat16": 16, "float16": 16, "fp8": 8, "int8": 8, "fp4": 4, "int4": 4}
TABLE = "model.embed_tokens.weight"
Piece = list[Any]  # a row of the sheet
NAME, _, PART, NUMBERS, BYTES, RULE, MATRIX = range(7)


def per_stage(sheet: PlannerModel, layout: Layout) -> list[list[tuple[Piece, int]]]:
    """The pieces of each stage, and how often each; a tied embedding stands on the last once more, as the head.

    So it does where further tokens are predicted (Megatron-LM, GPTModel: pre_process or mtp_process).
    """
    out: list[list[tuple[Piece, int]]] = []
    for stage, own in enumerate(stages(len(sheet["layers"]), layout)):
        kinds = count_on_stage(sheet, layout, stage, own, stored=True).items()
        out.append([(piece, layers) for kind, layers in kinds for piece in sheet["kinds"][kind]["pieces"]])
    for first in first_stages(layout):
        out[first] = [*((piece, 1) for piece in sheet["before"]), *out[first]]
    for last in last_stages(layout):
        out[last] += [(piece, 1) for piece in sheet["after"]]
    for stage in table_stages(sheet, layout):
        if stage not in first_stages(layout):
            out[stage] += [(piece, 1) for piece in sheet["before"] if piece[NAME] == TABLE]
    return out


def table_stages(sheet: PlannerModel, layout: Layout) -> tuple[int, ...]:
    """The stages that hold the embedding's table: to look up tokens, as the head, or to look up further ones."""
    heads = last_stages(layout) if sheet["tied"] else ()
    ahead = mtp_stages(layout) if layout.mtp else ()
    return tuple(dict.fromkeys((*first_stages(layout), *heads, *ahead)))


def table_numbers(sheet: PlannerModel, layout: Layout) -> int:
    """Numbers of that table on one rank."""
    rows = [(piece[RULE], piece[NUMBERS]) for piece in sheet["before"] if piece[NAME] == TABLE]
    return sum(rank_numbers(sheet, layout, sum_by_rule(rows)))


def sum_by_rule(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
    """(rule, amount) rows -> how much of each rule."""
    sums: dict[int, int] = {}
    for rule, amount in rows:
        sums[rule] = sums.get(rule, 0) + amount
    return sums


def rank_numbers(sheet: PlannerModel, layout: Layout, sums: dict[int, int], per: int = 1) -> tuple[int, int]:
    """What a rank holds of the sums of each rule: (all but routed experts, routed experts)."""
    found = [0, 0]
    for rule, total in sums.items():
        row = sheet["rules"][rule]
        found[row[0] == "experts"] += part_of(total, ratio(row, layout), per)
    return found[0], found[1]


def stored_bits_by_rule(
    sheet: PlannerModel, layout: Layout, own: Iterable[tuple[Piece, int]]
) -> Iterator[tuple[int, int]]:
    """(rule, bits): matrices in the format that was asked for, without scales, the rest in the model's own."""
    asked = layout.weights_dtype
    if asked and asked not in WEIGHT_BITS:
        raise LayoutError(f"No format of weights is called {asked!r}; known are {', '.join(WEIGHT_BITS)}.")
    for piece, times in own:
        each = WEIGHT_BITS[asked] if asked and piece[MATRIX] else sheet["dtype_bits"]
        yield piece[RULE], times * (piece[NUMBERS] * each if asked else 8 * piece[BYTES])


def is_head(sheet: PlannerModel, layout: Layout, piece: Piece, stage: int) -> bool:
    """Where head and embedding are tied, the table on the last stage is the head."""
    return sheet["tied"] and stage in last_stages(layout) and piece[NAME] == TABLE
