"""tests/bench/synthetic.py and growing.py: made-up models can be read, and a straight line has slope one."""

import sys
from pathlib import Path

from cutaway.gallery import catalog, read
from cutaway.gallery.catalog import snapshot
from cutaway.gallery.comparing.mechanisms import mechanisms

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
import growing
import synthetic


def test_made_up_models_are_changed_copies_under_names_of_their_own():
    """Every one reads; nearly all differ from their base in sizes, some in a mechanism; always the same are made."""
    made = list(synthetic.made(200))
    rows = [row for row, _ in made]
    assert len({row.slug for row in rows}) == 200 and not {row.slug for row in rows} & set(catalog.BY_SLUG)
    assert [row for row, _ in synthetic.made(200)] == rows
    same = other = 0
    for row, snap in made[::4]:
        title = row.title.rpartition(" ")[0]
        base = next(
            one for one in catalog.drawable_rows() if one.title == title and not one.variant_of and not one.config_of
        )
        mine, theirs = read(snapshot.from_snapshot(snap)), catalog.spec(base.slug)
        same += mine == theirs
        other += mechanisms(mine) != mechanisms(theirs)
    assert 0 < other < 25 and same < 5


def test_the_slope_says_how_much_more_a_further_one_costs():
    """One for a straight line wherever it begins, more where cost grows with the square."""
    sizes = [{"models": many} for many in (400, 800, 1600)]
    assert growing.slope(sizes, lambda one: 7 + 3 * one["models"]) == 1
    assert growing.slope(sizes, lambda one: one["models"] ** 2) == 2
