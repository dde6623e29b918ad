"""A sheet and a layout -> what cannot be: which input, why, and the legal values nearest to it."""

from __future__ import annotations

from dataclasses import replace

from cutaway.gallery.planning import legal_axes, legal_job
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal_axes import Problem
from cutaway.gallery.planning.planner_model import PlannerModel

RULES = (legal_axes.at_least_one, legal_job.job, *legal_axes.RULES, *legal_job.RULES)  # later ones rest on earlier ones


def problems(sheet: PlannerModel, layout: Layout) -> list[Problem]:
    """What breaks the first rule that a layout breaks; none if it is legal."""
    return next((found for rule in RULES if (found := list(rule(sheet, layout)))), [])


def problem(sheet: PlannerModel, layout: Layout) -> str:
    """The first thing that is wrong, as a sentence; "" if the layout is legal."""
    return next((one.says for one in problems(sheet, layout)), "")


def mend_layout(sheet: PlannerModel, layout: Layout, one: Problem) -> list[Layout]:
    """The layouts with each nearest legal value in place; `gpus` are given whole nodes where they can be."""
    out = []
    for value in one.nearest:
        if one.field != "gpus":
            out.append(replace(layout, **{one.field: value}))
        elif value % layout.per_node == 0:
            out.append(replace(layout, nodes=value // layout.per_node))
        elif value <= layout.device.domain:
            out.append(replace(layout, nodes=1, per_node=value))
    return out
