"""What mypy is told about halves of a layer is what the rooms hold."""

from typing import get_args

import pytest

from cutaway.gallery import mixers, mlps, spec


@pytest.mark.parametrize(("union", "room"), [(spec.Mixer, mixers), (spec.Mlp, mlps)], ids=["Mixer", "Mlp"])
def test_a_union_names_every_kind_of_its_room(union, room):
    """A new kind is added to the union in gallery/spec.py too, so that a checker knows where it may stand."""
    assert set(room.GRAPHS) == set(get_args(union)) - {spec.Combined, spec.NotUnderstood}
    assert {kind.__name__ for kind in room.GRAPHS} <= set(spec.__all__)
