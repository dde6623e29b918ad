"""The figure of a model's cache against context: what it says is what counting says, and its words stand apart."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from cutaway.app.embed import page as embed
from cutaway.app.site import Site
from cutaway.app.weigh import curve
from cutaway.explainers import fmt
from cutaway.gallery import catalog, memory
from cutaway.gallery.drawing.measure import SPARE, wide
from tests import noded

SLUGS = (
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "fla-hub/rwkv7-2.9B-world",
    "openai/gpt-oss-20b",
)
TOP, LINE = 66, 16  # of app/weigh/curve-first.js
PAGE = (104, 170)  # right of the curve of a model's page: FRAMES of app/weigh/weigh-curve.js
TEXT = re.compile(r'<text class="([^"]*)" x="([\d.-]+)" y="([\d.-]+)">([^<]*)</text>')


@pytest.fixture(scope="module")
def site() -> Site:
    return Site()


@pytest.mark.parametrize("slug", SLUGS)
def test_the_bytes_on_the_line_are_the_bytes_counted(site, slug):
    """At 8k, 128k and a million tokens, in each of its three widths and in its label."""
    spec = catalog.spec(slug)
    expected = [fmt.in_bytes(memory(spec, context).total_bytes) for context in (8192, 131072, 1048576)]
    drawn = curve.figure(site.view(slug), site)
    for picture in drawn.split("<svg ")[1:]:
        assert [words for kind, _, _, words in TEXT.findall(picture) if "c-halo" in kind] == expected
        assert f"8k tokens {expected[0]}; 128k tokens {expected[1]}; 1M tokens {expected[2]}" in picture


@pytest.mark.parametrize("slug", SLUGS)
def test_a_higher_point_keeps_more(site, slug):
    """Ten times the bytes stand one gap of the grid higher; the lines of all models are on one scale."""
    view = site.view(slug)
    for frame, picture in zip(curve.FRAMES, curve.figure(view, site).split("<svg ")[1:], strict=True):
        grid = {words: float(y) - 4 for kind, _, y, words in TEXT.findall(picture) if kind == "f-dim f-end"}
        gaps = [low - high for low, high in pairwise(grid.values())]
        assert max(gaps) - min(gaps) < 0.2
        assert list(grid.values())[-1] == pytest.approx(TOP, abs=0.1)
        for title, points in zip(titles(view, site), paths(picture), strict=True):
            assert [x for x, _ in points] == sorted({x for x, _ in points})
            sizes = [memory(spec_of(site, title), 2**power).total_bytes for power in range(10, 21)]
            for (_, y), kept in zip(points, [one for one in sizes if one], strict=True):
                unit, at = next((words, place) for words, place in grid.items() if words == "1 GB")
                from_gb = (at - y) / gaps[0]
                assert 10**from_gb * 1e9 == pytest.approx(kept, rel=0.02), (unit, frame.kind)


def titles(view, site) -> list[str]:
    """The models whose lines are drawn, this one first."""
    return [title for title, _ in curve.asked(view, site)["rows"]]


def spec_of(site, title: str):
    return next(one.spec for one in site.views if one.title == title)


def paths(picture: str) -> list[list[tuple[float, float]]]:
    """The points of each model's line, this model's first."""
    found = re.findall(r'<path class="c-(own|other)[^"]*" d="M([^"]+)"', picture)
    return [[tuple(map(float, one.split())) for one in d.split("L")] for _, d in reversed(found)]


@pytest.mark.parametrize("slug", [*SLUGS, "google/gemma-3-27b-it"])
def test_names_stand_apart_and_inside(site, slug):
    """No two names at the right overlap, and none leaves the picture."""
    for frame, picture in zip(curve.FRAMES, curve.figure(site.view(slug), site).split("<svg ")[1:], strict=True):
        right = frame.width - frame.right
        names = sorted((float(y), words) for _, x, y, words in TEXT.findall(picture) if float(x) > right)
        assert len(names) == 5
        assert names[0][0] - 4 == pytest.approx(min(points[-1][1] for points in paths(picture)), abs=0.2)  # at its end
        assert all(below[0] - above[0] >= LINE - 0.2 for above, below in pairwise(names))
        assert all(0 < y < frame.height for y, _ in names)
        assert all(drawn_wide(words, "keptsays") <= frame.right - 10 for _, words in names)


def drawn_wide(words: str, style: str) -> float:
    """Pixels of words in the site's own face."""
    return wide(words, style) / SPARE


def shortened(*asked: tuple[str, int]) -> list[str]:
    """Names as the curves cut them to so many pixels."""
    return noded.called("weigh-curve.js", "shortened", [list(one) for one in asked])


@pytest.mark.parametrize("right", [*PAGE, *(frame.right for frame in curve.FRAMES)])
def test_the_name_of_every_model_fits_beside_its_line(right):
    """In bold, in every width of both figures; cut names end in an ellipsis, and nothing else is cut."""
    names = [row.title for row in catalog.drawable_rows()]
    for title, said in zip(names, shortened(*((one, right - 12) for one in names)), strict=True):
        assert drawn_wide(said, "keptsays") <= right - 11, said
        assert said == title or (said.endswith("…") and title.startswith(said[:-1]) and len(said) > 7)


def test_a_strange_name_is_cut_by_its_letters():
    """Wide letters leave room for fewer of them, in any script; a name that fits is whole."""
    names = ("WWWWWWWWWW", "illlllllllllllllllll", "模型模型模型模型", "DeepSeek - - - long name")
    said = shortened(*((name, 92) for name in names))
    assert said == ["WWWWWW…", "illlllllllllllllllll", "模型模型模型…", "DeepSeek…"]


def test_a_frame_is_as_tall_as_its_figure_at_every_width(site):
    """The declared points follow figure.css: a drawing grows with its room until it is as wide as it gets."""
    found = embed.frames(((288, 460, 460, 920), (560, 860, 860, 430), (1100, 1600, 1100, 550)))
    one = embed.Embed("/embed/x/", "x", found, ())
    edge, foot = embed.FRAME
    for width, tall in (
        (320, 576),
        (492, 920),
        (560, 920),
        (592, 280),
        (892, 430),
        (1100, 430),
        (1132, 550),
        (1232, 600),
    ):
        assert 0 <= one.height(width) - (tall + foot) <= 3, width
    assert edge == 32
