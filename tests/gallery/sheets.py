"""What the planner's tests share: a model's spec and its sheet as it would come out of a file, and layouts."""

import json
from functools import cache

from cutaway.gallery import catalog
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import make_planner_model


def spec_of(slug):
    """The spec of a catalogued model."""
    return catalog.spec(slug)


@cache
def sheet_of(slug):
    """Its sheet, as it would come out of a file."""
    made = make_planner_model(spec_of(slug))
    again = json.loads(json.dumps(made))
    assert again == made, "a sheet is plain JSON: no tuples, no whole numbers as keys"
    return again


def layout(nodes=1, per_node=8, device="h200_sxm", **more):
    """A layout on nodes of a device."""
    return Layout(DEVICES[device], nodes, per_node, **more)
