"""The rounding page as a reader meets it: arrows, bars and lines where the reference puts them, goals, narrow, dark."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state

reference, data = explainers.reference("rounding"), explainers.data("rounding")


@pytest.fixture
def rounding(learn):
    """Open the page at a state; its lab is ready."""
    return learn("rounding")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const path = (css) => root.querySelector(css).getAttribute("d").slice(1).split("L");
  const line = (css) => path(css).map((p) => p.split(" ").map(Number));
  return { ways: all(".cw-rounding-modes .way", ["x1", "x2"]), kept: all(".cw-rounding-modes .kept", ["cx", "r"]),
    bars: all(".cw-rounding-errors rect", ["y", "height", "class"]), draws: all(".cw-rounding-draws rect", ["width"]),
    curve: line(".cw-rounding-draws path"), sum: line(".cw-rounding-sums path.chosen"),
    exact: line(".cw-rounding-sums path.exact") }; }"""


def test_the_drawings_are_the_references(rounding):
    """Arrows end at what each mode keeps, bars are as long as errors, lines go through the running sums."""
    given = {"typed": "27.3", "mode": "away", "cut": 3, "draws": 64, "terms": "signed", "how": "kahan", "n": 1024}
    now = reference.compute({**reference.STATE, **given}, data)
    query = "&".join(f"{key}={value}" for key, value in given.items())
    drawn = lab(rounding(f"?{query}")).evaluate(DRAWN)
    x = lambda share: approx(6 + 88 * share, abs=0.01)  # noqa: E731
    part = lambda text: float(text.removesuffix("%"))  # noqa: E731
    assert [[part(a), part(b)] for a, b in drawn["ways"][:5]] == [[x(now["share"]), x(aim)] for aim in now["aims"]]
    chance = [(part(cx), float(r)) for cx, r in drawn["kept"][-2:]]
    up = now["share"]
    assert chance == [(x(0), approx(9 * (1 - up) ** 0.5, abs=0.01)), (x(1), approx(9 * up**0.5, abs=0.01))]
    errors = [float(height) / 92 if kind == "up" else -float(height) / 92 for _, height, kind in drawn["bars"] if kind]
    assert errors == approx([one for one in now["errors"]["each"] if one], abs=0.001)
    assert [part(width) for (width,) in drawn["draws"]] == [
        approx(24 * now["drawn"][key] / 64, abs=0.01) for key in ("down", "up")
    ]
    assert [y for _, y in drawn["curve"]] == approx([100 - 100 * one for _, one in now["drawn"]["curve"]], abs=0.01)
    lines = [now["sums"]["line"], now["sums"]["chosen"]["line"]]
    low = min(0, *(v for row in [*lines, *(one["line"] for one in now["sums"]["plain"])] for v in row))
    high = max(0, *(v for row in [*lines, *(one["line"] for one in now["sums"]["plain"])] for v in row))
    for name, row in zip(("exact", "sum"), lines, strict=True):
        assert [y for _, y in drawn[name]][1:] == approx([100 * (high - v) / (high - low) for v in row], abs=0.01)


def test_an_open_bet_hides_its_answer(rounding):
    """While bets are open no arrow, no bar, no curve and no rounded sum is drawn; skipped, all are."""
    page = rounding()
    shown = {1: ".kept", 2: "rect.down", 3: ".curve path", 4: ".cw-table", 5: "path.chosen", 6: "path.chosen"}
    for n, css in shown.items():
        beat = page.locator(f"#beat-{n}")
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        live = beat.locator(".beat-live").locator(css).and_(page.locator(":visible"))
        assert live.count() == 0, n
        beat.get_by_role("button", name="skip the bet").click()
        assert live.count() > 0, n


def test_every_control_of_the_lab_sets_its_own_key(rounding):
    """What is typed, chosen or dragged stands in the address under its own name; a chunk is asked for among chunks."""
    page = rounding("?how=chunks&cut=3&seed=7")
    for label, key, value in (("format", "format", "bfloat16"), ("mode", "mode", "zero"), ("terms", "terms", "signed"),
                              ("adding", "how", "kahan")):  # fmt: skip
        lab(page).get_by_label(label, exact=True).and_(lab(page).locator("select")).select_option(value)
        assert state(page, key) == value
    assert not lab(page).get_by_role("group", name="terms in a chunk").is_visible()
    for label, key, value in (("bits dropped", "cut", 4), ("seed", "seed", 8)):
        lab(page).get_by_role("slider", name=label, exact=True).press("ArrowRight")
        assert state(page, key) == value
    for name, key, value in (
        ("draws", "draws", 256),
        ("number of terms", "n", 1024),
        ("accumulator", "sum", "float16"),
    ):
        pill = lab(page).get_by_role("group", name=name, exact=True).locator(f"input[value='{value}']")
        pill.press(" ")
        assert state(page, key) == value
    field = lab(page).get_by_role("textbox", name="number")
    field.fill("many")
    assert "Type a decimal" in lab(page).inner_text()
    field.fill("28")
    assert lab(page).get_by_text("there is nothing to round").is_visible()


def test_narrow_and_accessible(rounding):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(rounding, "rounding", "?typed=1.0625000000010625", "?typed=nan&how=stochastic")


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(rounding, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(rounding, width, scheme, "?terms=products&how=kahan")
    shot(page.locator(".learn-card"), f"rounding-{width}-{scheme}")
