"""A sheet and a layout -> who owns every tensor: how it is cut, how large a slice is, which ranks hold which slice."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.ranks import group, steps
from cutaway.gallery.planning.sharding.arithmetic import Rule, ratio
from cutaway.gallery.planning.stage_weights import NAME, PART, RULE, TABLE, table_stages
from cutaway.gallery.planning.stages import first_stages, homes, last_stages, mtp_kinds, mtp_stages

SHAPE = 1


class Owner(NamedTuple):
    """One tensor of the sheet, in all layers that have it."""

    name: str
    part: str
    layers: tuple[int, ...]  # empty: outside the layers
    stages: tuple[int, ...]
    shape: tuple[int, ...]
    rule: Rule
    numbers: int  # of one slice
    slices: int  # that differ
    copies: int  # ranks of all stages that hold the same slice


def split_pieces(sheet: PlannerModel, layout: Layout) -> Iterator[tuple[list[Any], tuple[int, ...], tuple[int, ...]]]:
    """(piece, its layers, its stages) of every tensor, in the order in which a token meets them."""
    at, firsts, lasts = homes(len(sheet["layers"]), layout), first_stages(layout), last_stages(layout)
    for piece in sheet["before"]:
        yield piece, (), table_stages(sheet, layout) if piece[NAME] == TABLE else firsts
    for place, kind in enumerate(sheet["kinds"]):
        layers = tuple(layer for layer, own in enumerate(sheet["layers"]) if own == place)
        for piece in kind["pieces"] if layers else ():
            yield piece, layers, tuple(dict.fromkeys(stage for layer in layers for stage in at[layer]))
    for kind in dict.fromkeys(mtp_kinds(sheet, layout)):
        for name, *rest in sheet["kinds"][kind]["pieces"]:
            yield [f"mtp.{name}", *rest], (), mtp_stages(layout)
    for piece in sheet["after"]:
        yield piece, (), lasts


def count_slices(rule: Rule, layout: Layout) -> int:
    """How many slices of a tensor differ."""
    if rule[0] == "heads":
        return min(layout.tp, rule[1])
    if rule[0] == "experts":
        return layout.ep * (layout.etp if rule[2] else 1)
    return 1 if rule[0] == "whole" else layout.tp


def list_owners(sheet: PlannerModel, layout: Layout) -> list[Owner]:
    """Every tensor."""
    out, stage_ranks = [], layout.gpus // layout.pp
    for piece, layers, where in split_pieces(sheet, layout):
        rule = sheet["rules"][piece[RULE]]
        above, below = ratio(rule, layout)
        slices = count_slices(rule, layout)
        numbers = -(-prod(piece[SHAPE]) * above // below)
        shape = tuple(piece[SHAPE])
        copies = stage_ranks // slices * (layout.copies if layers else len(where))
        out.append(Owner(piece[NAME], piece[PART], layers, where, shape, rule, numbers, slices, copies))
    return out


def rank_on_axis(layout: Layout, axis: str, rank: int) -> int:
    """Where a rank stands along an axis."""
    found, times = 0, 1
    for size, stride in steps(layout, axis):
        found, times = found + rank // stride % size * times, times * size
    return found


def slice_of(rule: Rule, layout: Layout, rank: int) -> int:
    """Which slice of a tensor a rank of its stage holds."""
    if rule[0] == "experts":
        own = rank_on_axis(layout, "ep", rank)
        return own * layout.etp + rank_on_axis(layout, "etp", rank) if rule[2] else own
    return rank_on_axis(layout, "tp", rank) * count_slices(rule, layout) // layout.tp if rule[0] != "whole" else 0


def ranks_of(layout: Layout, stage: int) -> list[int]:
    """All ranks of a stage."""
    first = min(rank for rank in group(layout, "pp") if rank_on_axis(layout, "pp", rank) == stage)
    return sorted(rank for start in group(layout, "tp", first) for rank in group(layout, "dp", start))


def holders(layout: Layout, owner: Owner, stage: int, part: int = 0) -> list[int]:
    """The ranks that hold one slice of a tensor on a stage."""
    return [rank for rank in ranks_of(layout, stage) if slice_of(owner.rule, layout, rank) == part]
