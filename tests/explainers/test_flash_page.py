"""The flash page as a reader meets it: parts, points and tiles where the reference has them; stepping moves nothing."""

from __future__ import annotations

from math import log

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import lab, posed, state, violations

reference, data = explainers.reference("flash"), explainers.data("flash")


@pytest.fixture
def flash(learn):
    """Open the page at a state; its lab is ready."""
    return learn("flash")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const box = ["class", "x", "y", "width", "height"];
  return {
    parts: all(".cw-flash-sram rect", ["class", "x", "width"]), limit: all(".cw-flash-sram line", ["x1", "x2"]),
    bars: all(".cw-flash-bars rect", ["class", "width"]),
    points: all(".cw-flash-roof > g:not(.scale, .roof)", ["class"]),
    circles: all(".cw-flash-roof circle", ["cx", "cy"]), ridge: all(".cw-flash-roof .ridge", ["x1", "y1", "y2"]),
    cells: all(".cw-flash-walk > g:first-of-type rect", box), lines: all(".cw-flash-walk > g:nth-of-type(2) rect", box),
    here: all(".cw-flash-walk .here", box), dots: all(".cw-flash-walk .done circle", ["cx", "cy"]),
    names: all(".cw-flash-walk .names .on", ["y"]), numbers: [...root.querySelectorAll(".numbers text")].map((t) => [
      t.getAttribute("x"), t.getAttribute("y"), t.textContent]) }; }"""
QUERY = "?head=64&rows=384&keys=32&tokens=131072&tile=2x2&reach=4&step=5"


def percent(text: str) -> float:
    return float(text.removesuffix("%")) / 100


def test_the_lab_draws_what_the_reference_computes(flash):
    """On a dark phone: parts to scale, points on the roof, tiles with their numbers; axe finds nothing."""
    flash.page.emulate_media(color_scheme="dark")
    flash.page.set_viewport_size({"width": 390, "height": 844})
    page = flash(QUERY)
    asked = {"head": 64, "rows": 384, "keys": 32, "tokens": 131072, "tile": "2x2", "reach": 4, "step": 5}
    now, drawn = reference.compute({**reference.STATE, **asked}, data), lab(page).evaluate(DRAWN)
    most, at = max(now["sram"]["total"], now["chip"]["sram"]) * 1.04, 0
    for part, (css, x, width) in zip(now["sram"]["parts"], drawn["parts"], strict=True):
        assert (css, percent(x), percent(width)) == (
            part["name"],
            approx(at / most, abs=1e-5),
            approx(part["bytes"] / most, abs=1e-5),
        )
        at += part["bytes"]
    assert percent(drawn["limit"][0][0]) == approx(now["chip"]["sram"] / most, abs=1e-5)
    pairs = [[now[kind][key] for kind in ("masked", "tiled")] for key in ("bytes", "flops")]
    shares = [one / max(pair) for pair in pairs for one in pair]  # whole tiles compute more than the mask leaves
    assert [(css, percent(w)) for css, w in drawn["bars"]] == [
        (css, approx(share, abs=1e-5)) for css, share in zip(("plain", "tiled") * 2, shares, strict=True)
    ]
    assert [css for (css,) in drawn["points"]] == ["plain", "kept", "tiled"]
    across = lambda one: approx(0.11 + 0.88 * log(min(one, 8192) / 8) / log(1024), abs=1e-5)  # noqa: E731
    low, high = 8 * now["chip"]["bandwidth"] / 1e12, now["chip"]["peak"] / 1e12
    up = lambda one: approx(208 - 180 * log(one / low) / log(high / low), abs=0.01)  # noqa: E731
    expected = [(across(now[k]["intensity"]), up(now[k]["tflops"])) for k in ("masked", "kept", "tiled")]
    assert [(percent(x), float(y)) for x, y in drawn["circles"]] == expected
    assert percent(drawn["ridge"][0][0]) == across(now["chip"]["ridge"])
    assert_walk(now, drawn)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert violations(page, "contrast", "[data-widget]") == []


def assert_walk(now: dict, drawn: dict) -> None:
    """The square of eight tokens, tile by tile."""
    small, walk, order = now["small"], now["walk"], now["small"]["order"]
    kinds = []
    for i in range(64):
        q, k = divmod(i, 8)
        needed, made = 0 <= q - k < 4, [q // 2 * 2, k // 2 * 2] in order
        kinds.append(
            ["needed" if needed else "idle" if made else "none", *map(str, (63 + 36 * k, 25 + 36 * q, 34, 34))]
        )
    assert drawn["cells"] == kinds
    corner = lambda r, k: [str(62 + 36 * k), str(24 + 36 * r), "72", "72"]  # noqa: E731
    assert drawn["lines"] == [["out", *corner(*one)] for one in small["skipped"]] + [
        ["tile", *corner(*one)] for one in order
    ]
    assert drawn["here"] == [["here", *corner(walk["row"], walk["key"])]]
    met = [[q, k] for q in range(8) for k in range(8) if 0 <= q - k < 4 and [q // 2 * 2, k // 2 * 2] in order[:4]]
    assert drawn["dots"] == [[str(80 + 36 * k), str(42 + 36 * q)] for q, k in met]
    assert [y for (y,) in drawn["names"]] == [str(46 + 36 * q) for q in range(walk["row"], walk["row_to"] + 1)]
    placed = [[str(80 + 36 * (walk["key"] + j)), str(46 + 36 * (walk["row"] + i))] for i in range(2) for j in range(2)]
    assert [number[:2] for number in drawn["numbers"]] == placed


def test_stepping_through_tiles_moves_nothing(flash):
    """On a phone square, chip and play button of the beat fit one screen; each step changes numbers and no height."""
    flash.page.set_viewport_size({"width": 390, "height": 844})
    page = flash()
    beat = page.locator("#beat-4")
    beat.scroll_into_view_if_needed()
    beat.and_(page.locator("[data-live]")).wait_for()
    figure, tall = beat.locator(".beat-live"), set()
    assert figure.bounding_box()["height"] < 844 - 44
    back, forward = (figure.get_by_role("button", name=f"Step {way}") for way in ("back", "forward"))
    back.click()
    back.click()
    seen = []
    for _ in range(6):
        tall.add(beat.bounding_box()["height"])
        seen.append(figure.get_by_role("img").get_attribute("aria-label"))
        forward.click()
    assert len(tall) == 1
    assert (seen[0], seen[5]) == (
        "Tile 1 of 6: queries 0 to 1, keys 0 to 3.",
        "Tile 6 of 6: queries 6 to 7, keys 4 to 7.",
    )
    assert len(set(seen)) == 6
    assert "step=6#beat-4" in page.url
    assert state(page, "step") == 3  # the lab stays


TWINS = """(beat) => ["still", "live"].map((which) => {
  const root = beat.querySelector(`.beat-figure .beat-${which}`);
  return [root.textContent.replace(/\\s/g, ""), root.querySelectorAll("[data-out]").length];
})"""


def test_live_figures_say_what_the_answered_ones_say(told):
    """Drawn at build and drawn live, a beat's figure has the same words and numbers in the same order."""
    page = told("flash")
    for n in range(1, 6):
        beat = page.locator(f"#beat-{n}")
        if n != 4:
            beat.get_by_role("button", name="skip the bet").click()
        (still, _), (live, bound) = beat.evaluate(TWINS)
        assert live.removesuffix("|◀▶▶|3of6") == still, n
        assert bound >= 5, n


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(flash, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(flash, width, scheme)
    shot(page.locator(".learn-card"), f"flash-{width}-{scheme}")
