"""What a view of a model keeps of what it has worked out."""

from __future__ import annotations

from cutaway.app.model.view import MOST_LARGE
from tests.one_site import SITE

VIEWS = [view for view in SITE.views if view.spec][: MOST_LARGE + 2]


def large(view) -> bool:
    """Whether it holds a list of tensors, or its spec the graphs that these are read from."""
    return "weights" in vars(view) or bool(view.spec.graphs)


def test_few_views_hold_their_tensors_at_once():
    """A page about all models asks each for them, and those who asked longest ago forget theirs: 200 MB of a crawl."""
    assert all(view.weights for view in VIEWS)
    assert [large(view) for view in VIEWS] == [False] * 2 + [True] * MOST_LARGE
    assert VIEWS[0].weights
    assert [large(view) for view in VIEWS] == [True] + [False] * 2 + [True] * (MOST_LARGE - 1)


def test_what_was_forgotten_is_worked_out_again():
    """The same tensors, bytes and kinds; small results stay."""
    first = VIEWS[0]
    before = (first.weights, first.stored_bytes, len(first.kinds), first.parameters)
    assert all(view.weights for view in VIEWS[1:])
    assert not large(first) and "parameters" in vars(first)
    assert (first.weights, first.stored_bytes, len(first.kinds), first.parameters) == before
