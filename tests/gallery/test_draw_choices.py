"""What a drawing chooses: words for layers, panels that become compact, lit experts, parts of the bar."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.drawing.arrangements import ARRANGEMENTS
from cutaway.gallery.drawing.card_units import units_of
from cutaway.gallery.drawing.experts import choose_example
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.layout import make_panels, place
from cutaway.gallery.drawing.totals import LEAST
from cutaway.gallery.drawing.words import layers, some
from cutaway.gallery.reading.keys import SPELLINGS


@cache
def figures() -> dict:
    """The figure of every model, by its slug."""
    return {row.slug: figure(catalog.spec(row.slug)) for row in catalog.drawable_rows()}


def test_words_for_layers():
    """A rule is named with its exception, scattered layers say between which they lie."""
    assert layers(list(range(3, 61)), 61) == "layers 3–60"
    assert layers([3, 7, 11], 12) == "every 4th, from 3"
    assert some([*range(3, 92, 4), 92]) == "layers 3, 7, 11 … 92"
    assert layers([20, 21, 22, 23, 25, 26, 27, 28, 30, 31, 32, 33], 35) == ""
    assert some([20, 21, 22, 23, 25, 26, 27, 28, 30, 31, 32, 33]) == "among layers 20–33"


def test_one_kind_at_most_is_the_others():
    """No two cards of a drawing share their words, and no two are "the others"."""
    for slug, fig in figures().items():
        words = [kind.which for kind in fig.kinds]
        assert sum(word.startswith("the others") for word in words) <= 1, slug
        assert len(set(words)) == len(words), slug


def test_lit_experts_lie_in_the_chosen_groups():
    """A token's experts lie in exactly topk_group groups, and are as many as it visits."""
    for total, take, groups, taken in ((256, 8, 8, 4), (160, 6, 8, 3), (256, 8, 5, 5), (64, 4, 4, 1)):
        lit = choose_example(total, take, groups, taken)
        assert len(lit) == take
        assert len({index // (total // groups) for index in lit}) == taken


@pytest.mark.whole
def test_figures_keep_a_height():
    """A page 1,400 wide shows a drawing at 1,320: in two screens of 900, save three that open two mixers of up to
    twenty steps, neither wired like the other."""
    heights = {slug: place(fig, "wide").height for slug, fig in figures().items()}
    tall = ["thinkingmachines/Inkling", "zai-org/GLM-5.3-Flash", "mistralai/Mistral-Large-4-1T-A52B"]
    assert min(map(heights.get, tall)) > 1800 and max(map(heights.pop, tall)) <= 2060
    assert max(heights.values()) <= 1800, max(heights, key=heights.get)


@pytest.mark.whole
def test_a_compact_panel_points_at_one_drawn_in_full():
    """Whatever is "wired like" another panel names one that shows its wiring, and says so in a line of words."""
    compact = 0
    for layout in ARRANGEMENTS.values():
        for slug, fig in figures().items():
            panels = make_panels(fig, layout)
            whole = {panel.content.title for panel in panels if not panel.like}
            compact += sum(bool(panel.like) for panel in panels)
            assert {panel.like.title for panel in panels if panel.like} <= whole, slug
            assert all(len(panel.line) <= 5 for panel in panels if panel.like), slug
    assert compact > 20


@pytest.mark.whole
def test_no_box_is_empty_or_prints_a_config_key():
    """Every panel has a picture or a line that says whose wiring it has, every box of a card has words, and no word of
    a drawing is a key of a config: of all models."""
    wrong = []
    for slug, fig in figures().items():
        page = place(fig, "wide")
        wrong += [f"{slug}: {panel.content.title} is empty" for panel in page.placed.panels
                  if not (panel.flows or panel.content.experts or panel.like or panel.content.alarm)]  # fmt: skip
        units = [unit for kind in fig.kinds for unit in units_of(kind, fig.spec)[1] if unit.kind != "half"]
        wrong += [f"{slug}: {unit.name} says {unit.words!r}" for unit in units if "_" in unit.words or not unit.words]
        said = [str(part) for mark in page.marks if mark[0] == "text" for part in mark[1:]]
        said += [words for _, words in fig.notes]
        wrong += [f"{slug}: {word}" for text in said for word in re.findall(r"[a-z]\w*_\w+", text) if word in SPELLINGS]
        wrong += [f"{slug}: {words}" for _, words in fig.notes if re.search(r"[a-z]_", words)]
    assert wrong == []


def test_neighbours_in_the_bar_differ():
    """No two parts of a bar look alike, and at most one of them is smaller than can be seen."""
    for slug, fig in figures().items():
        looks = [(part.style, part.role) for part in fig.bar if part.name != "other"]
        assert not [pair for pair in combinations(looks, 2) if pair[0] == pair[1]], (slug, looks)
        small = [part for part in fig.bar if part.value < LEAST * fig.counted.total]
        assert len(small) <= 1, slug
