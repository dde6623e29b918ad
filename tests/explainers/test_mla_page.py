"""The mla-numbers page as a reader meets it: lines, columns, waves where they are computed; steps move nothing."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import lab, posed, state, violations

reference, data = explainers.reference("mla-numbers"), explainers.data("mla-numbers")


@pytest.fixture
def mla(learn):
    """Open the page at a state; its lab is ready."""
    return learn("mla-numbers")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  return {
    bars: [...root.querySelectorAll(".bars")].map((svg) =>
      [...svg.querySelectorAll("rect")].map((e) => parseFloat(e.getAttribute("width")))),
    absorbed: all(".grow .absorbed line", ["x1", "y1", "x2", "y2"]),
    unpacked: all(".grow .unpacked line", ["y1", "y2"]),
    cross: all(".grow .cross line", ["x1"]), here: all(".grow .here", ["x1"]),
    held: [...root.querySelectorAll(".held")].map((svg) => [...svg.querySelectorAll("rect")].map((e) => [
      e.getAttribute("class"), e.getAttribute("x"), e.getAttribute("height")])),
    waves: all(".waves polyline", ["points"]), distance: all(".waves .here", ["x1"]),
    rows: [...root.querySelectorAll(".circuits .row")].map((e) => e.className) }; }"""
ASKED = {"model": "moonshotai/Kimi-K2-Instruct", "rank": 1024, "context": 8192, "fresh": 200, "ranks": 16}
ASKED |= {"turn": "every", "head": 2, "distance": 7, "step": 3}


def test_it_draws_what_the_reference_computes(mla):
    """On a dark phone lab and beats are drawn as computed, axe finds nothing, and stepping moves nothing."""
    mla.page.emulate_media(color_scheme="dark")
    mla.page.set_viewport_size({"width": 390, "height": 844})
    page = mla("?" + "&".join(f"{key}={value}" for key, value in ASKED.items()))
    assert_lab(reference.compute({**reference.STATE, **ASKED}, data), lab(page).evaluate(DRAWN))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert violations(page, "contrast", "[data-widget]") == []
    assert_steps(page.locator("#beat-2"))
    assert state(page, "step") == 3  # the lab stays


def assert_lab(now: dict, drawn: dict) -> None:
    """Bars, both lines, GPUs, waves and the rows that have run."""
    held = [now["kept"][key] for key in ("bytes", "grouped_bytes", "unpacked_bytes")]
    ways = [[now["ways"][w][key] for w in ("unpacked", "absorbed", "rebuilt")] for key in ("flops", "bytes", "ns")]
    for widths, values in zip(drawn["bars"], [held, *ways], strict=True):
        assert widths == [approx(100 * value / max(values), abs=1e-3) for value in values]
    grow, most = now["grow"], max(now["grow"]["absorbed"][-1], now["grow"]["unpacked"][-1])
    up = lambda flops: approx(176 - 164 * flops / most, abs=0.01)  # noqa: E731
    for i, (x1, y1, x2, y2) in enumerate(drawn["absorbed"]):
        assert [float(x[:-1]) for x in (x1, x2)] == [approx(2 + 95 * n / 512, abs=1e-3) for n in grow["new"][i : i + 2]]
        assert [float(y) for y in (y1, y2)] == [up(n) for n in grow["absorbed"][i : i + 2]]
        assert [float(y) for y in drawn["unpacked"][i]] == [up(n) for n in grow["unpacked"][i : i + 2]]
    places = [float(drawn[key][0][0][:-1]) for key in ("cross", "here")]
    assert places == [approx(2 + 95 * n / 512, abs=1e-3) for n in (grow["crossing"], 200)]
    most = max(now["gpus"]["each"], now["gpus"]["other"]["each"])
    for one, columns in zip((now["gpus"], now["gpus"]["other"]), drawn["held"], strict=True):
        kinds = ["copy" if r % one["copies"] else "own" for r in range(16)]
        assert [css for css, _, _ in columns] == kinds
        assert [float(tall) for _, _, tall in columns] == [approx(64 * one["each"] / most, abs=0.01)] * 16
    for (points,), wave in zip(drawn["waves"], now["carry"]["waves"], strict=True):
        assert [float(one.split(",")[1]) for one in points.split()] == [approx(62 - 17 * y, abs=0.01) for y in wave]
    assert drawn["distance"] == [["70"]]
    ran = [("hush" in css, "here" in css) for css in drawn["rows"]]
    assert ran == [(i >= 3, i == 2) for i in range(5)] * 2


def assert_steps(beat) -> None:
    """Both circuits and the play button fit one screen; a step fills rows and moves no line."""
    beat.scroll_into_view_if_needed()
    beat.and_(beat.page.locator("[data-live]")).wait_for()
    figure, tall, filled = beat.locator(".beat-live"), set(), []
    hidden = "(e) => [...e.querySelectorAll('.side')].map((s) => s.querySelectorAll('.row:not(.hush)').length)"
    assert figure.bounding_box()["height"] < 844 - 44
    for way in ("back", *["back"] * 4, *["forward"] * 5):
        figure.get_by_role("button", name=f"Step {way}").click()
        tall.add(beat.bounding_box()["height"])
        filled.append(figure.evaluate(hidden))
    assert len(tall) == 1
    assert filled[4] == [0, 0]
    assert filled[-1] == [5, 1]  # while the bet is open nothing follows the carried query
    beat.get_by_role("button", name="skip the bet").click()
    assert figure.evaluate(hidden) == [5, 5]


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(mla, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(mla, width, scheme)
    shot(page.locator(".learn-card"), f"mla-numbers-{width}-{scheme}")
