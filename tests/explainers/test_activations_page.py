"""The activations page as a reader meets it: bars, curves and steps where the reference puts them, narrow, dark."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state

reference, data = explainers.reference("activations"), explainers.data("activations")
GIVEN = {"loud": 60, "method": "smooth", "alpha": 0.3, "seed": 3, "stored": 40}
QUERY = "?" + "&".join(f"{key}={value}" for key, value in GIVEN.items())


@pytest.fixture
def activations(learn):
    """Open the page at a state; its lab is ready."""
    return learn("activations")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => parseFloat(e.getAttribute(k))));
  const paths = (css) => [...root.querySelectorAll(css)].map((e) =>
    e.getAttribute("d").match(/[MLV][^MLVZ]*/g).map((p) => p.slice(1).split(" ").map(Number)));
  return { rest: paths(".cw-activations-strip path:not(.loud)"), loud: paths(".cw-activations-strip path.loud"),
    zone: all(".cw-activations-strip rect", ["height"]), means: paths(".cw-activations-curve .mean"),
    bars: all(".cw-activations-bars rect", ["width"]), ranges: all(".cw-activations-bars line", ["x1", "x2"]),
    best: all(".cw-activations-curve circle.best", ["cx", "cy"]),
    done: paths(".cw-activations-steps .done")[0], open: paths(".cw-activations-steps .open")[0],
    lines: paths(".cw-activations-steps .nearest, .cw-activations-steps .gptq"),
    at: all(".cw-activations-steps .now", ["x1"]) }; }"""


def test_the_drawings_are_the_references(activations):
    """Channels, zone, bars with their ranges, curves, best points and GPTQ's steps lie where its numbers put them."""
    now = reference.compute({**reference.STATE, **GIVEN}, data)
    drawn = lab(activations(QUERY)).evaluate(DRAWN)
    near = lambda value: approx(value, abs=0.02)  # noqa: E731
    sides = [
        ("inputs", now["channels"]["inputs"]["largest"]),
        ("inputs", 2),
        ("weights", now["channels"]["weights"]["largest"]),
    ]
    for (side, most), rest, loud in zip(sides, drawn["rest"], drawn["loud"], strict=True):
        sizes = now["channels"][side]["sizes"]
        tall = {i: near(100 - 100 * min(size / most, 1)) for i, size in enumerate(sizes)}
        assert [y for (y,) in loud[1::2]] == [tall[20], tall[90]]
        assert [y for (y,) in rest[1::2]] == [tall[i] for i in tall if i not in (20, 90)]
    zone = 60 * now["channels"]["inputs"]["step"] / 4
    assert drawn["zone"] == [[0], [near(zone)], [0]]
    top = max(row["high"] for row in now["rows"])
    assert [width for (width,) in drawn["bars"]] == [near(100 * row["mean"] / top) for row in now["rows"]]
    assert drawn["ranges"] == [[near(100 * row[key] / top) for key in ("low", "high")] for row in now["rows"]]
    for which, mean, best in zip(("smooth", "awq"), drawn["means"], drawn["best"], strict=True):
        curve = now[which]
        low = min(one["low"] for one in [*curve["points"], curve["plain"]]) - 1
        high = max(one["high"] for one in [*curve["points"], curve["plain"]]) + 1
        y = lambda dB, low=low, high=high: 100 * (high - dB) / (high - low)  # noqa: E731
        assert mean == [[near(100 * point["alpha"]), near(y(point["mean"]))] for point in curve["points"]]
        assert best == [near(100 * curve["best"]["alpha"]), near(18 + 1.42 * y(curve["best"]["mean"]))]
    fed = now["feedback"]
    most = max(fed["step"], *map(abs, fed["changed"]))
    ends = [near(50 - 50 * v / most) for v in fed["changed"]]
    assert [y for (y,) in drawn["done"][1::2]] == ends[:40]
    assert [y for (y,) in drawn["open"][1::2]] == ends[40:]
    highest = max(*fed["lines"]["nearest"], *fed["lines"]["gptq"])
    for name, line in zip(("nearest", "gptq"), drawn["lines"], strict=True):
        assert [y for _, y in line] == [near(100 - 100 * v / highest) for v in fed["lines"][name]]
    assert drawn["at"] == [[near(100 * 40 / 128)]]


def test_an_open_bet_hides_its_answer(activations):
    """While bets are open no zone, no curve, no correction and no W4A4 is drawn; skipped, all are."""
    page = activations()
    shown = {1: "rect:visible", 2: ".mean", 3: ".mean", 4: ".open", 5: ".cw-activations-bars li:last-child"}
    for n, css in shown.items():
        beat = page.locator(f"#beat-{n}")
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        live = beat.locator(".beat-live")
        tells = lambda n=n, css=css, live=live: (  # noqa: E731
            "?" not in live.locator(css).inner_text() if n == 5 else live.locator(css).first.is_visible()
        )
        if n == 1:
            tells = lambda live=live: live.locator(".cw-activations-strip").nth(1).is_visible()  # noqa: E731
        assert not tells(), n
        beat.get_by_role("button", name="skip the bet").click()
        assert tells(), n


def test_every_control_of_the_lab_sets_its_own_key(activations):
    """What is dragged or chosen stands in the address under its own name; α rests until scales are moved."""
    page = activations()
    alpha = lab(page).get_by_role("slider", name="α", exact=True)
    assert alpha.is_disabled()
    for name, key, value in (
        ("in common", "shared", 0.3),
        ("layer drawn", "seed", 4),
        ("scales moved", "method", "awq"),
    ):
        pill = lab(page).get_by_role("group", name=name, exact=True).locator(f"input[value='{value}']")
        pill.press(" ")
        assert state(page, key) == value
    for label, key, value in (("outliers, times the others", "loud", 11), ("inputs stored", "stored", 65)):
        lab(page).get_by_role("slider", name=label, exact=True).press("ArrowRight")
        assert state(page, key) == value
    alpha.press("ArrowRight")
    assert state(page, "alpha") == approx(0.55)


def test_narrow_and_accessible(activations):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(activations, "activations", QUERY, "?loud=1&shared=0")


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(activations, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(activations, width, scheme, QUERY)
    shot(page.locator(".learn-card"), f"activations-{width}-{scheme}")
