"""What /trends/ counts, on rows that a test makes: structures, kinds, medians, axes, names, bars, the lead."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from datetime import date
from itertools import combinations

import pytest

from cutaway.app.trends import live, scatters, shares, svg
from cutaway.app.trends.chart import (
    LETTER,
    LINE,
    Axis,
    Bar,
    Dot,
    Level,
    Name,
    Panel,
    Panels,
    Scatter,
    Tick,
    around,
    date_axis,
    level_box,
    log_axis,
    place_names,
    rooms,
)  # fmt: skip
from cutaway.app.trends.common import ENOUGH, half_years, years
from cutaway.app.trends.plots import PLOTS, lead
from cutaway.app.trends.structures import first_day, median_of, structures
from cutaway.gallery.drawing.svg import tokens

ROW = {
    "drawn": True, "variant_of": None, "num_hidden_layers": 2, "hidden_size": 64, "made_of": "", "parameters_mtp": 0,
    "parameters_total": 200 * 10**9, "parameters_active": 10**10, "mechanisms": (), "cache_per_token_bytes": 4000,
    "num_experts": 8, "num_experts_per_tok": 2, "num_window_layers": 1, "num_attention_layers": 2,
    "window_tokens": 128, "num_attention_heads": 8, "num_key_value_heads": 2, "head_size": 64,
    "context_tokens": 4096, "weights_stored_as": "bfloat16",
}  # fmt: skip


def row(day: str | None, slug: str = "a", **more) -> dict:
    return ROW | {"date": day, "slug": slug, "title": slug.upper()} | more


def several(days: str, **more) -> list:
    """One structure for each day."""
    return structures(row(day, f"m{at}", num_hidden_layers=at + 1, **more) for at, day in enumerate(days.split()))


def test_a_structure_counts_once_at_its_first_release():
    """The original before its variant of the same day; formats are no structure; undated and old ones are out."""
    rows = [
        row("2024-05-01", "later"), row("2024-03", "b", variant_of="c"), row("2024-03", "c", mechanisms=("fp8",)),
        row("2024", "year", hidden_size=128), row(None, "undated", hidden_size=1),
        row("2025-01-01", "undrawn", drawn=False, hidden_size=2), row("2022-12-31", "old", hidden_size=3),
        row("2023-01-01", "first", hidden_size=4),
    ]  # fmt: skip
    found = structures(rows)
    assert [(one.row["slug"], str(one.day)) for one in found] == [
        ("first", "2023-01-01"), ("year", "2024-01-01"), ("c", "2024-03-01"),
    ]  # fmt: skip
    assert found[2].mechanisms == frozenset()


@pytest.mark.parametrize(("mechanisms", "kind"), [
    ((), "full"), (("window", "mla"), "latent"), (("dsa", "mla"), "sparse"), (("kda", "mla"), "linear"),
    (("gated-deltanet", "mamba2"), "ssm"), (("chunks",), "window"), (("moe",), "full"),
])  # fmt: skip
def test_a_stack_is_of_the_first_kind_it_has(mechanisms, kind):
    """State space, linear, sparse, latent, windows, full: in this order."""
    assert structures([row("2024-01-01", mechanisms=mechanisms)])[0].kind.key == kind


def test_a_half_year_has_a_median_from_three_structures_on():
    """Two in the first half of 2024, three in the second, three in 2025: two medians, the first one labelled."""
    days = "2024-01-01 2024-06-30 2024-07-01 2024-08-01 2024-12-31 2025-01-01 2025-02-01 2025-03-02"
    found = half_years(several(days), lambda one: one.row["num_hidden_layers"], "ink", "median")
    assert found == (
        Level(date(2024, 7, 1).toordinal(), date(2025, 1, 1).toordinal(), 4, "ink", "median"),
        Level(date(2025, 1, 1).toordinal(), date(2025, 3, 22).toordinal(), 7, "ink", ""),
    )
    assert (first_day(24 * 12 + 11), median_of(several(days), scatters.layers)) == (date(24, 12, 1), 4.5)


def test_a_year_that_has_just_begun_is_not_compared():
    """The first dense model of 2027 leaves the sentences of 2024 and 2026, and every plot is drawn."""
    days = " ".join([f"{year}-{at % 12 + 1:02d}-02" for year in (2024, 2026) for at in range(ENOUGH)])
    kinds = [(), ("mla",), ("gated-deltanet",), ("window",)]
    rows = [row(day, f"m{at}", num_hidden_layers=at + 1, mechanisms=("moe", *kinds[at % 4]))
            for at, day in enumerate(days.split())]  # fmt: skip
    dense = row("2027-01-01", "new", num_window_layers=0, num_key_value_heads=0, context_tokens=0, head_size=None)
    assert years(structures(rows)) == years(structures([*rows, dense])) == (2024, 2026)
    assert years(several("2024-01-01 2025-01-01")) == (2023, 2025)
    for plot in PLOTS:
        says, chart = plot.show(structures([*rows, dense]))
        assert "2027" not in says and svg.file(chart, plot.title, says).startswith("<svg")


def test_formats_are_counted_in_the_first_and_the_last_year():
    """One of 2024 and three of 2026 first came with weights of eight bits or fewer."""
    small = {2024: ("fp8",), 2026: ("fp8", "nvfp4", "int4")}
    rows = [
        row(f"{year}-{at % 12 + 1:02d}-02", f"{year}-{at}", num_hidden_layers=100 * (year - 2023) + at,
            weights_stored_as=small[year][at] if at < len(small[year]) else "bfloat16")
        for year in small for at in range(ENOUGH)
    ]  # fmt: skip
    says, _ = shares.formats(structures(rows))
    assert says == (
        f"3 of {ENOUGH} architectures of 2026 were first released with weights of 8 bits or fewer (FP8, FP4, INT4), "
        f"and 1 of {ENOUGH} of 2024."
    )


def test_axes_place_their_ends_and_middles():
    """10 of 1 to 100 is in the middle of a log axis; a date axis begins with its year; ticks outside are left out."""
    assert Axis("", 1, 100, (), log=True).place(10) == pytest.approx(0.5)
    assert Axis("", 0, 8, ()).place(2) == Axis("", 2, 10, ()).place(4) == 0.25
    days = date_axis([date(2025, 3, 1), date(2024, 2, 1)])
    assert [tick.text for tick in days.ticks] == ["2024", "2025"]
    begin, end = date(2024, 1, 1).toordinal(), date(2025, 3, 1).toordinal()
    assert (days.low, days.high) == (begin - (end - begin) / 60, end + (end - begin) / 30)
    known = log_axis("y", [0, 2, 8], [Tick(value, "") for value in (1, 2, 10, 11)])
    assert (known.low, known.high, [tick.value for tick in known.ticks]) == (2 / 1.35, 8 * 1.35, [2, 10])
    assert known.place(4) == pytest.approx(0.5)


def scatter(places: list[tuple[float, float]], names: int = 10, levels: tuple[Level, ...] = ()) -> Scatter:
    dots = tuple(Dot(x, y, "full", f"m{at}", f"model {at}", "") for at, (x, y) in enumerate(places))
    return Scatter(Axis("", 0, 100, ()), Axis("", 0, 100, ()), dots, levels, names=names)


def box_of(name: Name, width: float, height: float) -> tuple[float, float, float, float]:
    """What a name fills, from its anchor."""
    wide, x = len(name.dot.title) * LETTER, name.dot.x / 100 * width + name.dx
    left = {"start": x, "end": x - wide, "middle": x - wide / 2}[name.anchor]
    middle = (1 - name.dot.y / 100) * height + name.dy - 4
    return left, middle - LINE / 2, left + wide, middle + LINE / 2


def touch(one: tuple, other: tuple) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_names_touch_nothing():
    """On a grid of dots: no name leaves the frame, lies over another, over a dot or over a median; ten at most."""
    places = [(x, y + x / 9) for x in range(4, 100, 12) for y in range(4, 90, 11)]
    chart = scatter(places, levels=(Level(10, 60, 50, "ink", "median of the half-year"),))
    names = place_names(chart, 400, 320)
    boxes = [box_of(name, 400, 320) for name in names]
    assert len(names) == len({name.dot for name in names}) == 10
    assert not any(touch(a, b) for a, b in combinations(boxes, 2))
    assert all(x0 >= 0 and x1 <= 400 and y0 >= -4 and y1 <= 324 for x0, y0, x1, y1 in boxes)
    dots = [(x * 4 - 4, (100 - y) * 3.2 - 4, x * 4 + 4, (100 - y) * 3.2 + 4) for x, y in places]
    assert not any(touch((a[0], a[1] + 4, a[2], a[3] - 4), dot) for a in boxes for dot in dots)
    line = (40, 158, 40 + len("median of the half-year") * LETTER, 178)
    assert not any(touch((a[0], a[1] + 4, a[2], a[3] - 4), line) for a in boxes)


@pytest.mark.parametrize("side", [(-2, 0), (2, 0), (0, -2), (0, 2)])
def test_boxes_that_share_an_edge_do_not_touch(side):
    """Two wide and high: at a distance of two they stand side by side, a hair nearer they meet."""
    near = tuple(0.999 * step for step in side)
    found = [touch((0, 0, 2, 2), (x, y, x + 2, y + 2)) for x, y in (side, near)]
    assert found == [False, True]


@pytest.mark.parametrize(("words", "end", "below"), [("", 240, 2), ("m" * 90, 40 + 90 * LETTER, LINE + 2)])
def test_a_median_fills_its_line_and_its_words(words, end, below):
    """From 10 to 60 of 400, half-way up 320: two pixels above and below; words stand below, and may be longer."""
    found = level_box(scatter([]), Level(10, 60, 50, "ink", words), 400, 320)
    assert found == pytest.approx((40, 158, end, 160 + below))


def test_the_room_of_a_dot_is_the_distance_to_its_third_nearest():
    """Of 200 dots in columns, some of them on each other, the distances to all others are sorted."""
    rng = random.Random(7)
    points = [(rng.randrange(40), rng.random() * 40) for _ in range(190)] + [(5, 5)] * 10
    sorted_out = [sorted(math.dist(one, other) for other in points)[3] for one in points]  # the first is itself
    assert rooms(points) == pytest.approx(sorted_out)


def test_who_stands_most_alone_is_named_first():
    """One far dot of five gets the one name; a dot without others has no room to measure."""
    chart = scatter([(10, 10), (12, 10), (10, 12), (12, 12), (60, 60)], names=1)
    assert [name.dot.slug for name in place_names(chart, 400, 320)] == ["m4"]
    assert (rooms([(0, 0)]), rooms([(0, 0), (3, 4)])) == ([0], [5, 5])
    assert [(name.dx, name.dy, name.anchor, box) for name, box in around(Dot(0, 0, "", "", "ab", ""), 50, 50)] == [
        (7, 4, "start", (57, 42, 57 + 2 * LETTER, 58)), (-7, 4, "end", (43 - 2 * LETTER, 42, 43, 58)),
        (0, -9, "middle", (50 - LETTER, 27, 50 + LETTER, 43)), (0, 16, "middle", (50 - LETTER, 57, 50 + LETTER, 73)),
    ]  # fmt: skip


NAMED = "ten letter"  # 63 wide beside a dot of 8: from 7 to 70 right of it, 8 above and below


@pytest.mark.parametrize(("x", "y", "anchor"), [
    (174, 128, "start"), (173, 128, "end"), (140, 116, "start"), (140, 117, "end"), (140, 140, "start"),
    (140, 139, "end"), (103, 128, "start"), (104, 128, "end"),
])  # fmt: skip
def test_a_name_comes_up_to_the_four_pixels_of_another_dot(x, y, anchor):
    """Of a dot at 100, 128 the name stands right of it while nothing of another dot's square lies in its box."""
    axes = Axis("", 0, 512, ()), Axis("", 0, 256, ())
    dots = (Dot(100, 128, "", "a", NAMED, ""), Dot(x, 256 - y, "", "b", "", ""))
    (name,) = place_names(Scatter(*axes, dots, names=1), 512, 256)
    assert (name.dot.slug, name.anchor) == ("a", anchor)


@pytest.mark.parametrize(("x", "y", "anchor"), [
    (442, 128, "start"), (443, 128, "end"), (442, 8, "start"), (442, 7, "middle"), (442, 248, "start"),
    (442, 249, "middle"),
])  # fmt: skip
def test_a_name_reaches_the_edge_of_its_frame_and_no_farther(x, y, anchor):
    """442 + 7 + 63 is the frame's 512; 8 pixels above and below a dot are its name's."""
    chart = Scatter(Axis("", 0, 512, ()), Axis("", 0, 256, ()), (Dot(x, 256 - y, "", "a", NAMED, ""),))
    assert [name.anchor for name in place_names(chart, 512, 256)] == [anchor]


def test_bars_are_shares_of_their_span():
    """Of two quarters with structures and one without: 1 of 2, no bar, 1 of 1."""
    found = several("2024-01-05 2024-02-05 2024-08-05")
    bars = shares.bars(found, 3, lambda one: one.row["num_hidden_layers"] != 1)
    assert [(bar.y, bar.tip) for bar in bars] == [
        (0.5, "1 of 2 from January 2024, 50 %"), (1, "1 of 1 from July 2024, 100 %"),
    ]  # fmt: skip
    assert bars[0][:2] == (date(2024, 1, 1).toordinal(), date(2024, 4, 1).toordinal())
    four, none = (structures([row("2024-01-01", weights_stored_as=name)])[0] for name in ("mxfp4 (g32)", "float32"))
    assert [shares.has_format(starts, four) for _, _, starts in shares.FORMATS] == [False, False, True, False]
    assert shares.share_with_format([four, none], ("float32",)) == 0.5


@pytest.mark.parametrize(("dense", "end"), [
    (0, "mixtures of experts."), (1, "mixtures of experts; the exception is M0."),
    (2, "mixtures of experts; the exceptions are M0 and M1."), (3, "mixtures of experts."),
])  # fmt: skip
def test_the_lead_names_one_or_two_exceptions(dense, end):
    """Of 5 architectures of 100 B since January of the year before; smaller and older ones are left out."""
    rows = [row("2025-01-01", f"m{at}", num_hidden_layers=at + 1, mechanisms=() if at < dense else ("moe",))
            for at in range(5)]  # fmt: skip
    small = row("2026-01-01", "small", parameters_total=10**11 - 1)
    old = row("2024-12-31", "old", num_hidden_layers=99)
    text = lead(structures([*rows, small, old]))
    assert text == f"Since January 2025, {5 - dense} of 5 new architectures of 100 B parameters or more are {end}"


def plain(role: str) -> str:
    return f' role="{role}"'


def test_a_bar_is_as_high_as_its_share():
    """A half of a frame's height, half a frame wide but a gap; lines at a half and at the whole."""
    axis = Axis("", 0, 10, (Tick(5, "2024"),), dates=True)
    panel = Panel("t", "s", "moe", (Bar(0, 5, 0.5, "half"), Bar(5, 20, 1, "all")))
    drawn = "".join(svg.columns(panel, Panels(axis, (panel,)), plain))
    full = svg.LOW - 12
    rects = re.findall(r'<rect x="([\d.]+)%" y="([\d.]+)" width="([\d.]+)%" height="([\d.]+)"', drawn)
    assert [tuple(map(float, one)) for one in rects] == [
        (0.4, svg.LOW - full / 2, 49.2, full / 2), (50.4, svg.LOW - full, 49.2, full),
    ]  # fmt: skip
    lines = [(float(y), share) for y, share in re.findall(r'<text x="-6" y="([\d.]+)".*?>(\d+) %', drawn)]
    assert lines == [(svg.LOW - full / 2, "50"), (svg.LOW - full, "100")]


def test_panels_of_a_file_stand_four_a_row():
    """The fifth begins a second row; both rows, the title and the sentence's lines fit the file."""
    panel = Panel("t", "s", "moe", (Bar(0, 5, 0.5, "half"),))
    chart = Panels(Axis("", 0, 10, ()), (panel,) * 5)
    body, high = svg.panel_grid(chart, plain)
    places = [tuple(map(float, one)) for one in re.findall(r'<g transform="translate\(([\d.]+) ([\d.]+)\)', body)]
    assert places == [(20, 0), (190, 0), (360, 0), (530, 0), (20, high / 2)] and high == 2 * 150
    assert re.findall(r'<svg x="36" y="34" width="([^"]+)"', body) == ["120"] * 5  # 170 less 36 before and 14 behind
    assert re.search(r'viewBox="0 0 720 (\d+)"', svg.file(chart, "t", "s"))[1] == str(66 + 17 + high + 16)
    assert svg.wrapped("aaa bbb cc", 7) == ["aaa bbb", "cc"]


def test_keys_of_a_file_stand_below_its_plot():
    """In the last 26 of its height, each behind the words before it; without keys the file is so much lower."""
    bare = scatter([(10, 10)])
    body, high = svg.framed(replace(bare, keys=(("full", "a word"), ("moe", "b"))), plain)
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="4"', body)
    says = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(?:a word|b)<', body)
    assert dots[-2:] == [("24", str(high - 12)), (f"{24 + 32 + 6.2 * 6:g}", str(high - 12))]
    assert says == [("33", str(high - 8)), (f"{33 + 32 + 6.2 * 6:g}", str(high - 8))]
    assert high - svg.framed(bare, plain)[1] == 26


def test_what_lies_outside_stands_at_the_edge():
    """A guide that leaves the frame ends at it."""
    chart = scatter([])
    assert [svg.at(chart, x, y) for x, y in ((-5, 200), (500, -5), (50, 25))] == [
        ("0.00%", "0.00%"), ("100.00%", "100.00%"), ("50.00%", "75.00%"),
    ]  # fmt: skip


def test_a_figure_has_both_themes():
    """The dark one has the dark panel; dates are milliseconds since 1970."""
    both = json.loads(live.as_text(scatter([(10, 10)]), "key", str))
    dark = f'"background_fill_color": "{tokens(True)["panel"]}"'
    assert [dark in json.dumps(both[name]) for name in ("light", "dark")] == [False, True]
    assert all('"height": 388' in json.dumps(both[name]) for name in both)  # the frame, what is above and below
    assert live.value(date_axis([date(1970, 1, 2)]), date(1970, 1, 2).toordinal()) == 86_400_000


def test_adoption_is_by_quarters_and_formats_by_half_years():
    """The first bar of structures from January 2024 on ends with March, or with June."""
    found = several("2024-01-05 2024-05-05 2026-01-01")
    ends = [show(found)[1].panels[0].bars[0].x1 for show in (shares.adoption, shares.formats)]
    assert ends == [date(2024, 4, 1).toordinal(), date(2024, 7, 1).toordinal()]
