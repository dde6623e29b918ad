"""A catalogued model -> its spec, and its sheet as it would come out of a file: once for all the planner's tests."""

import json
from functools import cache

from gallery import catalog
from gallery.planning.sheet import sheet


def spec_of(slug):
    """The spec of a catalogued model."""
    return catalog.spec(slug)


@cache
def sheet_of(slug):
    """Its sheet, as it would come out of a file."""
    return json.loads(json.dumps(sheet(spec_of(slug))))
