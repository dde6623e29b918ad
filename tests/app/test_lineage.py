"""/lineage/: every dated model once, beside its relative, and nothing on top of anything else."""

import re
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import combinations
from types import SimpleNamespace

import pytest

from cutaway import gallery
from cutaway.app.lineage import entries, svg
from cutaway.app.lineage import page as lineage
from cutaway.app.lineage.layout import (
    BETWEEN,
    GLYPH,
    HEAD,
    LEFT,
    RIGHT,
    ROW,
    WIDTH,
    Plan,
    Spot,
    ancestors,
    label_at,
    label_width,
    laid_out,
    meets_line,
    passes,
    placed,
    tried,
)
from cutaway.app.lineage.svg import path
from cutaway.gallery import catalog, comparing

KNOWN = comparing.catalogue_lineage()
plan = cache(lineage.plan)


@cache
def by_slug():
    return {spot.one.slug: spot for spot in plan().spots}


def boxes(spot):
    """(left, top, right, bottom) of a glyph and of its label, in rows' own measure."""
    y = plan().y(spot)
    glyph = (spot.x - GLYPH, y - 8, spot.x + GLYPH, y + 8)
    start = spot.x + label_at(spot.one)
    return glyph, (start, y - 12, start + label_width(spot.one), y + (14 if spot.one.tag else 6))


def touch(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.whole
def test_every_structure_is_drawn_once_on_its_day():
    """All near-clone stacks, in the order of their dates but for a few points of room."""
    assert [spot.one.slug for spot in plan().spots] == [one.head.slug for one in KNOWN.structures]
    assert len(KNOWN.entries) == sum(1 + len(spot.one.clones) for spot in plan().spots)
    assert max(abs(spot.shift) for spot in plan().spots) <= 24


def test_no_label_and_no_glyph_meet():
    """Of any two models."""
    pairs = [(a, b, one, other) for a, b in combinations(plan().spots, 2) for one in boxes(a) for other in boxes(b)]
    apart = [(a.one.title, b.one.title) for a, b, one, other in pairs if touch(one, other)]
    assert apart == []
    assert max(boxes(spot)[1][2] for spot in plan().spots) <= WIDTH


def test_no_line_passes_through_a_model():
    """Neither upright nor level, in either row: the glyphs that a line does not belong to."""
    through = []
    for spot in plan().spots:
        if not spot.parent:
            continue
        y, top, parent = plan().y(spot), sorted((plan().y(spot), plan().y(spot.parent))), spot.parent
        upright = (spot.upright - 0.5, top[0], spot.upright + 0.5, top[1]) if y != plan().y(parent) else (0, 0, 0, 0)
        level = (min(spot.upright, spot.x), y - 0.5, spot.x - GLYPH, y + 0.5)
        leaving = (parent.x, plan().y(parent) - 0.5, spot.upright, plan().y(parent) + 0.5)
        for other in plan().spots:
            if other not in (spot, parent) and any(touch(boxes(other)[0], one) for one in (upright, level, leaving)):
                through.append((spot.one.title, other.one.title))
    assert through == []


def test_lines_lead_to_the_nearest_earlier_relative():
    """The one that gallery.comparing names, which is never later."""
    for one in KNOWN.structures:
        spot = by_slug()[one.head.slug]
        assert (spot.parent.one.slug if spot.parent else None) == (one.parent.slug if one.parent else None)
        assert not spot.parent or spot.parent.one.date <= spot.one.date


def test_lanes_go_by_the_rarest_mixer():
    """A hybrid with Mamba is a state-space model, one with a delta rule stands among the linear ones."""
    lanes = {
        "ai21labs/Jamba-v0.1": "ssm",
        "Qwen/Qwen3-Next-80B-A3B-Instruct": "linear",
        "deepseek-ai/DeepSeek-V3.2": "sparse",
        "deepseek-ai/DeepSeek-V3": "latent",
        "mistralai/Mistral-7B-v0.1": "window",
        "mistralai/Mixtral-8x7B-v0.1": "moe",
        "openai-community/gpt2-xl": "dense",
    }
    assert {slug: entries.LANES[by_slug()[slug].lane].key for slug in lanes} == lanes


def test_labels_name_what_is_first_here():
    """And nothing else; what a model changed is told with both signs."""
    assert by_slug()["deepseek-ai/DeepSeek-V3.2"].one.tag == "+ DSA indexer"
    assert by_slug()["meta-llama/Meta-Llama-3-8B"].one.tag == ""
    assert by_slug()["zai-org/GLM-5.2"].one.changes == "+ indexer shared between layers"
    assert by_slug()["Qwen/Qwen-7B"].one.changes == "+ QKV bias"
    assert by_slug()["Qwen/Qwen3-0.6B-Base"].one.changes == "+ QK-norm, − QKV bias"
    assert by_slug()["openai-community/gpt2-xl"].one.title == "GPT-2 XL 1.5B (2019)"


def test_the_way_from_the_first_ancestor():
    """Step by step back to the oldest model."""
    way = [entry.title for entry in entries.path(KNOWN, "moonshotai/Kimi-K3")]
    assert way[0] == "GPT-2 XL 1.5B"
    assert way[-3:] == ["Moonlight 16B-A3B", "Kimi Linear 48B-A3B", "Kimi K3"]


def test_near_clones_share_a_label():
    """What they have in common is said once; many are counted."""
    assert entries.stacked(["Qwen3 32B"]) == "Qwen3 32B"
    assert entries.stacked(["Qwen3 32B", "Qwen3 4B", "Qwen3 8B"]) == "Qwen3 32B · 4B · 8B"
    assert entries.stacked(["A 1B", "A 2B", "A 3B", "A 4B", "A 5B"]) == "A 1B and 4 more"
    assert entries.stacked(["Kimi", "Moonlight of another name"]) == "Kimi and 1 more"


def test_a_line_bends_once():
    """Level in one row; down or up from the glyph's edge; far offsets leave sideways."""
    assert path(100, 50, 200, 50, 0) == "M107.0 50H192.0"
    assert path(100, 50, 200, 81, 3) == "M103.0 58V76Q103.0 81 108.0 81H192.0"
    assert path(100, 81, 200, 50, 11) == "M107.0 81H111.0V55Q111.0 50 116.0 50H192.0"


def test_undated_models_are_named_and_not_placed():
    """Drawn, no packing of another, no date."""
    named = entries.undated(catalog.MODELS, KNOWN)
    assert all(row.snapshot and not row.date for row in named)
    assert not {row.slug for row in named} & set(KNOWN.of)
    keys = ("slug", "snapshot", "date", "variant_of")
    rows = [("a", "s", None, None), ("b", "", None, None), ("c", "s", "2024", None), ("d", "s", None, "a"),
            (next(iter(KNOWN.of)), "s", None, None)]  # fmt: skip
    made = [SimpleNamespace(**dict(zip(keys, one, strict=True))) for one in rows]
    assert [row.slug for row in entries.undated(made, KNOWN)] == ["a"]


def test_a_lanes_words_hold_for_its_models():
    """Linear mixers are most of a model's layers, in some models all; the cache grows with those that read all."""
    lane = next(one for one in entries.LANES if one.key == "linear")
    assert lane.says == "fixed state, most or all layers" and "convolution" in lane.title
    held = [one.head.spec for one in KNOWN.structures if entries.LANES[entries.lane_of(one.head.spec)] is lane]
    shares = [dict(entries.shares(spec, "mixer")) for spec in held]
    kept = [gallery.memory(spec, 0) for spec in held]
    assert all(share["linear"] > 0.5 for share in shares)
    assert {1.0} < {share["linear"] for share in shares}
    assert all(one.fixed_bytes for one in kept)
    assert [one.per_token_bytes > 0 for one in kept] == [not share.keys() <= {"linear", "window"} for share in shares]


def test_rows_and_heads_fill_their_lane():
    """The lowest glyph of a lane stands inside its ground."""
    tops = plan().tops()
    for spot in plan().spots:
        assert tops[spot.lane] + HEAD <= plan().y(spot) <= tops[spot.lane] + HEAD + ROW * (plan().rows[spot.lane] - 1)


def test_a_drawing_of_fewer_has_a_relative_of_each():
    """The forty that most descend from, by date, no relative missing; all are drawn while there are few."""
    few = entries.drawn(KNOWN, 40)
    slugs = [one.slug for one in few]
    assert len(few) == 40 and all(one.parent is None or one.parent.slug in slugs for one in few)
    assert slugs == [one.head.slug for one in KNOWN.structures if one.head.slug in slugs]
    assert tuple(entries.drawn(KNOWN)) == entries.shown(KNOWN)
    plan = laid_out(few)
    assert [spot.one for spot in plan.spots] == few


def test_a_crowd_of_one_day_has_rows_of_its_own():
    """Twenty models of one day, each a child of the one before: every one has a place that no other has."""
    first, second = (spot.one for spot in plan().spots[:2])
    crowd = [first]
    for number in range(20):
        link = replace(second.parent, slug=crowd[-1].slug)
        crowd.append(replace(second, slug=f"crowd/{number}", day=plan().last, parent=link))
    made = laid_out(crowd)
    assert len({(spot.lane, spot.row) for spot in made.spots[1:]}) == 20


# ---------------------------------------------------------------- by hand


def made_plan(first: date, *days: date) -> Plan:
    """A plan whose first day is given, with a model on each of the other days, in one row."""
    one = plan().spots[0].one
    spots = [Spot(replace(one, slug=str(at), day=day.toordinal()), 0, 0, 0) for at, day in enumerate(days)]
    return Plan(first.toordinal(), max(days).toordinal(), spots, [1] + [0] * (len(entries.LANES) - 1))


def test_months_are_counted_over_the_turn_of_the_year(monkeypatch):
    """From the first month drawn to the last, empty ones with nought; what is older stands in the first."""
    days = (date(2019, 2, 14), date(2023, 11, 30), date(2024, 1, 1), date(2024, 1, 31), date(2024, 2, 1))
    made = made_plan(date(2023, 11, 1), *days)
    monkeypatch.setattr(lineage, "plan", lambda: made)
    found = lineage.months([spot.one for spot in made.spots])
    assert found == [("2023-11", 2), ("2023-12", 0), ("2024-01", 2), ("2024-02", 1)]


def test_half_years_stand_where_their_days_do():
    """1 January 2024 is a quarter of the way from July 2023 to July 2025: 184 of 731 days; names are of years."""
    made = made_plan(date(2023, 7, 1), date(2025, 7, 1))
    lines = svg.months(made, 100)
    assert [re.search(r">([^<]+)</text>", one)[1] for one in lines] == ["Jul", "2024", "Jul", "2025", "Jul"]
    places = [float(re.search(r"translate\((\S+) 0\)", one)[1]) for one in lines]
    assert places[0] == LEFT and places[-1] == RIGHT
    assert places[1] == pytest.approx(LEFT + (RIGHT - LEFT) * 184 / 731, abs=0.05)
    assert all(re.search(r"translate\(\d+(\.\d)? 0\)", one) for one in lines)  # to a tenth of a pixel


def test_a_lane_says_how_many_models_it_holds():
    """Near-clones count, other lanes' models do not: the numbers of all lanes sum to the dated models."""
    tops = plan().tops()
    said = [
        int(re.search(r">(\d+) models<", svg.lane(plan(), place, tops))[1])
        for place in range(len(entries.LANES))
        if plan().rows[place]
    ]
    assert sum(said) == len(KNOWN.entries)
    assert 'transform="translate(0 126)"' in svg.lane(plan(), 0, [100.0])  # below the 26 pixels of the months
    assert said == [
        sum(1 + len(spot.one.clones) for spot in plan().spots if spot.lane == place)
        for place in range(len(entries.LANES))
        if plan().rows[place]
    ]


def test_lanes_lie_below_each_other_without_overlap():
    """Each begins where the one above ends: its head, its rows, the room between; an empty one takes none."""
    made = Plan(0, 1, [], [2, 0, 1] + [0] * (len(entries.LANES) - 3))
    second = HEAD + 2 * ROW + BETWEEN
    assert made.tops()[:4] == [0, second, second, second + HEAD + ROW + BETWEEN]
    spot = Spot(plan().spots[0].one, 0, 2, 0)
    assert made.y(spot) == second + HEAD and made.y(replace(spot, row=1)) == second + HEAD + ROW


def test_a_glyph_is_filled_by_its_shares():
    """Three quarters and a quarter of 16 pixels, the more frequent at the bottom; what has no role is plain."""
    boxes_ = re.findall(
        r'class="f-(\w+) f-solid" x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"',
        svg.glyph((("full", 0.75), ("", 0.25)), 0.5),
    )
    assert [(role, float(y), float(high)) for role, _, y, _, high in boxes_] == [("full", -4, 12), ("plain", -8, 4)]


def test_the_room_that_a_pointer_finds_lies_around_its_glyph():
    """A pixel more than the glyph on every side."""
    drawn = svg.node(plan(), plan().spots[0], lambda path: path)
    x, y, wide, high = map(
        float, re.search(r'lin-room" x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', drawn).groups()
    )
    assert (x, x + wide, y, y + high) == (-GLYPH - 1, GLYPH + 1, -svg.HIGH - 1, svg.HIGH + 1)


def test_who_has_near_clones_is_drawn_as_a_stack():
    """The upper and the right edge of a second glyph, three pixels further to the right and up; alone there is none."""
    stack = next(spot for spot in plan().spots if spot.one.clones)
    edges = re.findall(r'lin-stack" d="M(\S+) (\S+)H(\S+)V(\S+)"', svg.node(plan(), stack, lambda path: path))
    assert edges == [(str(3 - GLYPH), str(-svg.HIGH - 3), str(GLYPH + 3), str(svg.HIGH - 3))]
    alone = next(spot for spot in plan().spots if not spot.one.clones)
    assert "lin-stack" not in svg.node(plan(), alone, lambda path: path)


def test_shares_of_a_stack_are_counted_layer_by_layer():
    """Three delta layers and one of attention of four: three quarters and a quarter."""
    spec = catalog.spec("Qwen/Qwen3-Next-80B-A3B-Instruct")
    assert entries.shares(spec, "mixer") == (("linear", 0.75), ("full", 0.25))
    assert entries.shares(spec, "mlp") == (("moe", 1.0),)


def test_a_label_counts_what_it_does_not_name():
    """Three mechanisms of five and "+ 2 more"; four are three and one more; from June 2026 on one is named."""
    one = plan().spots[0].one
    early, late = date(2025, 1, 1).toordinal(), date(2026, 6, 1).toordinal()
    tags = {
        (n, day): replace(one, first=tuple("abcde"[:n]), day=day).tag for n in (0, 1, 3, 4, 5) for day in (early, late)
    }
    assert [tags[n, early] for n in (0, 1, 3, 4, 5)] == [
        "",
        "+ a",
        "+ a + b + c",
        "+ a + b + c + 1 more",
        "+ a + b + c + 2 more",
    ]
    assert [tags[n, late] for n in (1, 3)] == ["+ a", "+ a + 2 more"]
    assert replace(one, first=("a", "b"), day=late - 1).tag == "+ a + b"


def test_stacks_are_named_by_what_differs():
    """Up to three short rests are named; a fourth, or a long one, makes a count of it."""
    assert entries.stacked(["A 1B", "A 2B", "A 3B", "A 4B"]) == "A 1B · 2B · 3B · 4B"
    assert entries.stacked(["A 1B", "A 123456789012"]) == "A 1B · 123456789012"
    assert entries.stacked(["A 1B", "A 1234567890123"]) == "A 1B and 1 more"
    assert entries.stacked(["A 1B", "A 1B Base"]) == "A 1B · Base"


def test_a_line_leaves_to_the_right_in_its_row_or_past_the_glyph():
    """In the same row, or by an upright that stands beyond the glyph's edge."""
    parent = Spot(plan().spots[0].one, 100, 0, 0)
    child = Spot(plan().spots[1].one, 300, 0, 1, parent=parent)
    assert not svg.goes_right(child, parent) and not svg.goes_right(replace(child, offset=6), parent)
    assert svg.goes_right(replace(child, offset=11), parent) and svg.goes_right(replace(child, offset=-11), parent)
    assert svg.goes_right(replace(child, row=0), parent)
    assert not svg.goes_right(replace(child, row=0, parent=None), parent)


def test_uprights_of_two_relatives_keep_three_pixels():
    """Side by side in the same rows they meet below three pixels; in other rows, or of one relative, they may."""
    one = plan().spots[0].one
    a, b = Spot(one, 100, 0, 0), Spot(one, 100, 0, 0)
    down = Spot(one, 200, 0, 2, parent=a)
    assert meets_line(down, Spot(one, 200, 0, 2, parent=b, offset=2.9))
    assert not meets_line(down, Spot(one, 200, 0, 2, parent=b, offset=3))
    assert not meets_line(down, Spot(one, 200, 0, 2, parent=a))
    assert not meets_line(down, Spot(one, 200, 0, 2)) and not meets_line(down, Spot(one, 100, 0, 1))
    assert not meets_line(down, Spot(one, 200, 0, 4, parent=Spot(one, 100, 0, 2)))
    assert meets_line(down, Spot(one, 200, 0, 4, parent=Spot(one, 100, 0, 1)))


def test_an_upright_passes_what_stands_between_its_rows():
    """A glyph within nine pixels, in a row from the relative's to the model's; never either of the two."""
    one = plan().spots[0].one
    parent = Spot(one, 100, 0, 0)
    line = Spot(one, 200, 0, 3, parent=parent)
    assert passes(line, Spot(one, 108.9, 0, 2)) and not passes(line, Spot(one, 109, 0, 2))
    assert passes(line, Spot(one, 91.1, 0, 3)) and not passes(line, Spot(one, 100, 0, 4))
    assert not passes(line, parent) and not passes(line, line)
    far = Spot(one, 200, 0, 3, parent=parent, offset=60)
    assert passes(far, Spot(one, 130, 0, 0)) and not passes(far, Spot(one, 130, 0, 1))
    assert not passes(far, Spot(one, 170, 0, 0)) and not passes(far, Spot(one, 90, 0, 0))
    assert not passes(Spot(one, 200, 0, 0, parent=parent), Spot(one, 100, 0, 0))
    assert not passes(Spot(one, 200, 0, 3), Spot(one, 100, 0, 2))


def test_rows_are_as_many_as_are_used():
    """In the drawing and in a crowd, no lane counts a row in which nothing stands, nor lacks one that is used."""
    first, second = (spot.one for spot in plan().spots[:2])
    link = replace(second.parent, slug=first.slug)
    crowd = [first, *(replace(second, slug=f"c/{n}", day=plan().last, parent=link) for n in range(30))]
    for made in (plan(), laid_out(crowd)):
        for place, rows in enumerate(made.rows):
            used = {spot.row for spot in made.spots if spot.lane == place}
            assert used == set(range(rows)), place


def test_what_is_placed_early_brings_its_ancestors_and_the_plan_stays_by_date():
    """The newest is placed before all others: each has its own relative, the list of spots is as it was given."""
    found = entries.drawn(KNOWN, 40)
    known = {one.slug: one for one in found}
    early = list(ancestors(found[-1], known))
    assert early[0] == found[-1].slug and known[early[-1]].parent is None
    assert [known[slug].parent.slug for slug in early[:-1]] == early[1:]
    made, barred = tried(found, set(early))
    assert barred == [] and [spot.one for spot in made.spots] == found
    assert all((spot.parent and spot.parent.one.slug) == (spot.one.parent and spot.one.parent.slug)
               for spot in made.spots)  # fmt: skip


def test_where_every_way_is_barred_a_new_row_is_taken():
    """Glyphs side by side below the relative leave its line no way down: the next row is the model's, and one only."""
    one = replace(plan().spots[0].one, day=plan().first + 200)
    made = Plan(plan().first, plan().last, [], [2] + [0] * (len(entries.LANES) - 1))
    x = LEFT + (RIGHT - LEFT) * 200 / (made.last - made.first)
    parent = Spot(one, x - 30, 0, 0, room=200)
    bars = [Spot(one, x - 50 + 8 * n, 0, 1) for n in range(20)]
    made.spots = [parent, *bars]
    spot = placed(made, replace(one, lane=0), parent)
    assert (spot.row, made.rows[0], spot.x, spot.shift, spot.offset) == (2, 3, x, 0, 0)


def test_lines_to_other_rows_stand_side_by_side_and_those_in_a_row_are_level():
    """Children of one relative in other rows leave it at places of their own; one in its row needs no upright."""
    rows: dict[bool, set[float]] = {True: set(), False: set()}
    for spot in plan().spots:
        if spot.parent:
            rows[(spot.parent.lane, spot.parent.row) == (spot.lane, spot.row)].add(spot.offset)
    assert rows[True] == {0} and len(rows[False]) > 5
