"""gallery/cached.py: a function of a spec is asked once for each of the last specs."""

from dataclasses import replace

from cutaway.gallery.cached import LAST, cached_for_spec
from tests.gallery.comparing import FULL, model


def test_each_object_is_asked_once_and_an_equal_one_is_another():
    """One call for a spec; one more for an equal spec, and for the first again after many others."""
    asked = []
    width = cached_for_spec(lambda spec: asked.append(spec) or spec.hidden_size)
    one = model(FULL)
    two = replace(one)
    assert one == two
    assert [width(one), width(one), width(two), len(asked)] == [one.hidden_size] * 3 + [2]
    for _ in range(LAST):
        width(replace(one))
    width(one)
    assert len(asked) == 2 + LAST + 1
