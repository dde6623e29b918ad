"""Numbers on a drawing: each stands somewhere and on nothing else, in every arrangement; links in a page alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cutaway import gallery
from cutaway.gallery import catalog, comparing
from cutaway.gallery.comparing.mechanisms import mechanisms
from cutaway.gallery.drawing import svg
from cutaway.gallery.drawing.arrangements import ARRANGEMENTS
from cutaway.gallery.drawing.callouts import RADIUS, Callout, Numbered, places
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.layout import Page, place
from tests.gallery import drawn

FEW = catalog.drawable_rows()[::16]
QWEN = "Qwen/Qwen3-Next-80B-A3B-Instruct"
SOLID = {"box", "strong", "pill", "norm", "keep", "alarm"}


def numbered(spec) -> list[Numbered]:
    """Everything that a model has, numbered: far more than a page ever does."""
    return [Numbered(i, key, f"New {i}.", f"#new-{i}") for i, key in enumerate(mechanisms(spec)[:12], 1)]


def covered(disc: Callout, boxes: np.ndarray) -> np.ndarray:
    """Which boxes [4, many] a disc reaches into, by the shortest way from its middle."""
    x, y = np.clip(disc.x, boxes[0], boxes[2]), np.clip(disc.y, boxes[1], boxes[3])
    return np.flatnonzero((x - disc.x) ** 2 + (y - disc.y) ** 2 < (RADIUS + 1) ** 2)


def wrong(page: Page) -> list[str]:
    """What is wrong with where discs stand."""
    said, lines = drawn.texts(page.marks), drawn.spans(drawn.columns(drawn.segments(page.marks)), 0)
    boxes = drawn.columns([box for box, _ in said])
    out = [f"{one.number} lies on {said[at][1]!r}" for one in page.callouts for at in covered(one, boxes)]
    for i, one in enumerate(page.callouts):
        out += [f"{one.number} lies on {two.number}" for two in page.callouts[i + 1 :]
                if (one.x - two.x) ** 2 + (one.y - two.y) ** 2 < (2 * RADIUS + 2) ** 2]  # fmt: skip
        if not (-3 + RADIUS <= one.x <= page.width + 3 - RADIUS and -3 + RADIUS <= one.y <= page.height + 3 - RADIUS):
            out.append(f"{one.number} is cut off")
        out += [f"{one.number} lies on a line" for _ in covered(one, lines)]
    return out


def hidden(page: Page) -> list[str]:
    """Boxes of the picture that a disc stands in the middle of."""
    boxes = [m[2:6] for m in page.marks if m[0] == "rect" and m[1].split()[0] in SOLID]
    return [f"{one.number} hides a box" for one in page.callouts for x, y, w, h in boxes
            if x + 2 < one.x < x + w - 2 and y + 2 < one.y < y + h - 2]  # fmt: skip


def faults(row, layout: str, header: bool) -> list[str]:
    spec = catalog.spec(row.slug)
    wanted = numbered(spec)
    page = place(figure(spec, row.title), layout, header, wanted)
    missing = {one.number for one in wanted} - {disc.number for disc in page.callouts}
    found = wrong(page) + hidden(page) + [f"{number} stands nowhere" for number in sorted(missing)]
    return [f"{row.slug} {layout}: {fault}" for fault in found]


def test_discs_cover_nothing_in_a_few():
    """Up to twelve numbers on every sixteenth model, in all arrangements."""
    assert [fault for row in FEW for layout in ARRANGEMENTS for fault in faults(row, layout, False)] == []


@pytest.mark.whole
@pytest.mark.parametrize("layout", ARRANGEMENTS)
def test_discs_cover_nothing(layout, verified):
    """Twelve numbers on every other model, by turns: on no word, line or disc, each at least once, none cut off."""
    turn = list(ARRANGEMENTS).index(layout)
    drawings = [(row, place % 8 != turn) for place, row in enumerate(catalog.drawable_rows()) if place % 2 == turn % 2]
    found = [fault for row, header in drawings for fault in faults(row, layout, header)]
    assert found[:5] == []
    verified(
        f"numbers that hide nothing in drawings of {layout} layout",
        len(drawings),
        len(found),
        "the other marks of the drawing",
    )


def test_hash_routing_stands_on_the_card_of_its_layers():
    """Of the cards that show a mechanism, the one whose layers all have it comes first."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V4-Flash")
    assert next(name for kind, name in places(spec, "hash-router") if kind == "card").startswith("layer0 ")


def test_a_page_links_its_discs():
    """In a page a disc is a link with words; the drawing stays an image, the links stand beside it."""
    spec = catalog.spec(QWEN)
    html = svg.figure_html(spec, marks=[Numbered(1, "gated-deltanet", 'New 1, "Gated" DeltaNet.', "#new-1")])
    links = re.findall(r'<a href="#new-1"( tabindex="-1")?(?: aria-label="([^"]+)")? transform=', html)
    assert [words for again, words in links if not again] == 3 * ["New 1, &quot;Gated&quot; DeltaNet."]
    assert len(links) == 9  # tower, card and panel; one stop of the keyboard in each of three drawings
    for one in re.findall(r"<svg.*?</svg>", html):
        assert 'role="group"' in one.partition(">")[0]
        assert "<a " not in one[one.index('<g role="img"') : one.index('<g class="f-discs">')]


def test_a_drawing_without_numbers_is_as_before():
    """No marks: no disc, no link, and the drawing itself is the image."""
    html = svg.figure_html(catalog.spec(QWEN))
    assert "f-disc" not in html
    assert html.count('<svg class="cf cf-wide" viewBox=') == 1
    assert html.count('role="img"') == 3


@pytest.mark.parametrize("layout", ARRANGEMENTS)
@pytest.mark.parametrize("dark", [False, True])
def test_a_file_has_discs_if_asked(layout, dark):
    """A standalone drawing has numbers when it is given marks: with titles and literal colours, without links."""
    spec = catalog.spec(QWEN)
    assert "<title>New 1.</title>" not in gallery.draw(spec, layout=layout, dark=dark)
    text = gallery.draw(spec, layout=layout, dark=dark, marks=[Numbered(1, "gated-deltanet", "New 1.")])
    assert "<title>New 1.</title>" in text
    assert "<a " not in text
    assert "class=" not in text
    assert "var(" not in text


def test_items_are_marked_where_they_are():
    """What a page numbers of a known model is found on its tower, its cards and its panels."""
    from cutaway.gallery.comparing import novelty

    found = novelty.find_novelty(comparing.catalogue_lineage(), QWEN)
    spec = catalog.spec(QWEN)
    page = place(figure(spec), "wide", False, [Numbered(one.number, one.key, one.word) for one in found.items])
    tower = [one for one in page.callouts if one.x < 130]
    assert [(one.number, one.y < 200) for one in tower if one.number in (1, 2, 4)] == [(1, True), (2, True), (4, True)]
