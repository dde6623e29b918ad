"""`cutaway plan`: what was typed -> a plan; plan_words.py says it to people, plan_json.py to programs."""

from __future__ import annotations

import argparse

from cutaway.gallery.command.grammar import UsageError
from cutaway.gallery.planning.fits import Plan, plan
from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.layout_from_args import layout_from_args
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.seconds import peak


def layout_of(args: argparse.Namespace) -> Layout:
    """The layout that the arguments name; what they leave out follows from the rest."""
    return layout_from_args({name: value for name, value in vars(args).items() if value is not None})


def make_plan(model: PlannerModel, args: argparse.Namespace) -> Plan:
    """The plan; UsageError with one sentence for what cannot be."""
    try:
        layout = layout_of(args)
        peak(layout, model)
        return plan(model, layout)
    except LayoutError as problem:
        raise UsageError(str(problem)) from None
    except ValueError as problem:  # an unknown cache dtype: the message lists the known ones
        raise UsageError(str(problem)) from None
