"""Where things stand: nothing lies on anything else, in every arrangement of every catalogued model."""

from __future__ import annotations

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.drawing.arrangements import ARRANGEMENTS
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.layout import place
from cutaway.gallery.drawing.marks import Marks
from tests.gallery import drawn

FEW = catalog.drawable_rows()[::4]  # of the models, for who cannot wait: `make check`


def faults(row, layout: str, header: bool) -> tuple[int, list[str]]:
    """(marks of a drawing, what is wrong with where they stand)."""
    page = place(figure(catalog.spec(row.slug), row.title, row.slug), layout, header=header)
    return len(page.marks), [f"{row.slug}: {fault}" for fault in drawn.faults(page)]


def test_nothing_overlaps_or_crosses_in_a_few():
    """The same as below, for every fourth model, wide."""
    assert [fault for row in FEW for fault in faults(row, "wide", True)[1]] == []


@pytest.mark.whole
@pytest.mark.parametrize("layout", ARRANGEMENTS)
def test_nothing_overlaps_or_crosses(layout, verified):
    """Words keep clear of words, lines and edges with 12 % to spare; lines and fans do not cross.

    All models wide, where words are nearest, and every other one in the two narrower arrangements, by turns.
    """
    turn = list(ARRANGEMENTS).index(layout)
    rows = [(row, True) for place, row in enumerate(catalog.drawable_rows()) if not turn or place % 2 == turn % 2]
    rows += [(row, False) for row in FEW[turn::3]]
    looked = [faults(row, layout, header) for row, header in rows]
    found = [fault for _, wrong in looked for fault in wrong]
    assert found[:5] == []
    verified(
        f"marks that do not collide in drawings of {layout} layout",
        sum(n for n, _ in looked),
        len(found),
        "the geometry rules of tests.gallery.drawn",
    )


@pytest.mark.parametrize("layout", ARRANGEMENTS)
@pytest.mark.parametrize("more", [{}, {"residual_multiplier": 0.5}])
def test_a_column_longer_than_its_axis_is_spread_beside_it(layout, more):
    """Halves side by side, of which one is two MLPs, their sum and its factors: no config says so, but one may."""
    config = {**catalog.load("xai-org/grok-2"), "use_parallel_residual": True, **more}
    page = place(figure(read(config), "Grok", "grok"), layout)
    assert [fault for fault in drawn.faults(page) if "fans" not in fault] == []  # the panels stand in graph order


def test_the_checks_see_what_they_look_for():
    """Words on words, a line through words, words out of a box, crossing lines and crossing fans are each reported."""
    marks = Marks()
    marks.text("label", 10, 20, "one")
    marks.text("label", 12, 22, "two")
    marks.edge(0, 16, 60, 16)
    marks.edge(30, 0, 30, 60)
    marks.rect("pill", 100, 100, 24, 20, 4)
    marks.middle("small", 112, 110, "wider than its box")
    marks.path("fan moe", "M0 0L90 50V90L0 20z")
    marks.path("fan full", "M0 60L90 0V20L0 90z")
    assert len(drawn.words_on_words(marks)) == 1
    assert drawn.words_on_lines(marks)[0] == "a line runs through 'one'"
    assert drawn.words_out_of_box(marks, 300, 300) == ["'wider than its box' leaves its box"]
    assert drawn.lines_crossing(marks) == ["lines cross at 30, 16"]
    assert drawn.fans_crossing(marks) != []


def test_areas_are_to_scale():
    """The drawn area of every matrix is its share of the parameters, wherever no side is at its floor."""
    from cutaway.gallery.drawing.items import Matrix
    from cutaway.gallery.drawing.panel import Panel

    for row in catalog.drawable_rows():
        for _, inside in figure(catalog.spec(row.slug)).panels:
            panel = Panel(inside, 876)
            for flow in panel.flows:
                for m in (item for item in flow.flow.items() if isinstance(item, Matrix)):
                    if min(m.w, m.h) > 12:
                        want = m.fan_in * m.fan_out * inside.scale**2
                        assert abs(m.w * m.h - want) <= 0.09 * want, (row.slug, m.name)
