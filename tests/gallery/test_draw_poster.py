"""The poster: towers of any models on one sheet, to one scale, nothing cut or over another."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.command import cli
from cutaway.gallery.drawing import poster
from cutaway.gallery.drawing.poster import Entry, lay_out, runs_of
from tests.gallery.test_draw_svg import small

ROWS = catalog.bases_by_date()
ALL = [Entry(row.slug, row.title, row.company, "", catalog.spec(row.slug)) for row in ROWS]


@pytest.mark.parametrize("entries", [ALL[:1], ALL[:7], ALL], ids=["one", "seven", "all"])
def test_nothing_leaves_the_sheet_or_lies_over_another(entries):
    """Every model is drawn once; no tower or name overlaps another."""
    sheet = lay_out(entries)
    spots = sheet.spots
    assert sheet.scale >= 1 and sheet.width / sheet.height == pytest.approx(poster.WIDTH / poster.HEIGHT)
    assert sorted(spot.entry.slug for spot in spots) == sorted(entry.slug for entry in entries)
    boxes = [
        (
            spot.x - poster.NAME,
            spot.y - max(spot.high, poster.LETTER * len(spot.entry.title)),
            spot.x + spot.wide,
            spot.y,
        )
        for spot in spots
    ]
    width, height = sheet.width - poster.MARGIN, sheet.height - poster.MARGIN
    assert all(x >= 0 and y >= poster.HEAD and right <= width + 1 and low <= height + 1 for x, y, right, low in boxes)
    over = [(a, b) for a, b in combinations(boxes, 2) if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]]
    assert over == []


@pytest.mark.parametrize("width", [65_536, 1_000_000])
def test_a_tower_as_wide_as_a_sheet_stays_on_it(width):
    """One layer leaves room for every scale, the width of its stream does not."""
    sheet = lay_out([Entry("a", "A", "A", "", replace(small(), hidden_size=width))])
    [spot] = sheet.spots
    assert spot.x + spot.wide <= sheet.width - poster.MARGIN + 1 and spot.y <= sheet.height


def test_towers_are_to_one_scale():
    """126 layers of width 16,384 beside 61 of 7,168: heights and widths have these ratios."""
    sizes = {spot.entry.slug: (spot.high, spot.wide) for spot in lay_out(ALL).spots}
    [large] = [size for slug, size in sizes.items() if "405B" in slug]
    other = sizes["deepseek-ai/DeepSeek-V3"]
    assert large[0] / other[0] == pytest.approx(126 / 61)
    assert large[1] / other[1] == pytest.approx(16384 / 7168)


def test_families_stand_together():
    """The models of a company are next to each other, with its name above the first in each row."""
    families = [spot.entry.family for spot in lay_out(ALL).spots]
    assert len({*families}) == sum(a != b for a, b in zip(["", *families], families, strict=False))
    named = {spot.family for spot in lay_out(ALL).spots if spot.family}
    assert named == {row.company for row in ROWS}


def test_runs_of_layers():
    """aab -> two from 0, one from 2."""
    assert list(runs_of("aab")) == [("a", 0, 2), ("b", 2, 1)]


def test_a_sheet_is_well_formed_and_hostile_names_stay_text():
    """As a file and in a page, light and dark."""
    hostile = '<script>"&'
    entries = [Entry(hostile, hostile, hostile, hostile, small())]
    pages = [
        poster.poster(entries),
        poster.poster(entries, True),
        poster.poster_in_page(lay_out(entries), lambda slug: f"/{slug}/"),
    ]
    for text in pages:
        drawn = ElementTree.fromstring(text)
        assert "<script" not in text
        assert hostile in [one.text for one in drawn.iter()]


def test_the_command_draws_the_models_it_is_given(tmp_path, capsys):
    """SVG to standard output, PDF to a file; families are companies; a wrong ending is one sentence."""
    assert cli.main(["poster", "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b", "--offline"]) == 0
    svg = capsys.readouterr().out
    assert re.search(r"<title>2 open-weight language models to scale</title>", svg)
    assert [name in svg for name in (">DeepSeek<", ">OpenAI<", ">DeepSeek V3<", ">GPT-OSS 20B<")] == [True] * 4
    target = tmp_path / "one.pdf"
    assert cli.main(["poster", "openai/gpt-oss-20b", "--offline", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF")
    assert cli.main(["poster", "", "--offline"]) == 4
    assert "names no repo" in capsys.readouterr().err
    assert cli.main(["poster", "-o", "x.gif"]) == 2
    assert "written as .svg, .png or .pdf" in capsys.readouterr().err
