"""The page on long contexts as a reader meets it: layers, bars, ruler and tables as the reference has them."""

from __future__ import annotations

import re
from math import log

from pytest import approx

from cutaway import explainers
from tests.explainers.beats_page import skip
from tests.explainers.reader import SETTLED, lab, state

reference, data = explainers.reference("long-context"), explainers.data("long-context")
PRO = "deepseek-ai/DeepSeek-V4-Pro"
DRAWN = """(root) => {
  const d = (css) => [...root.querySelectorAll(css)].map((e) => e.getAttribute("d"));
  const words = (css) => [...root.querySelectorAll(css)].map((tr) => [...tr.children].map((td) => td.textContent));
  const bars = [...root.querySelectorAll(".cw-long-context-kinds tbody tr")].map((tr) =>
    [...tr.querySelectorAll("svg")].map((svg) => ["scored", "read", "kept"].map((css) =>
      [...svg.querySelectorAll(`.${css}`)].map((e) => e.getAttribute("d") || e.getAttribute("width")))));
  return { kept: d(".cw-long-context-strip .kept")[0], sparse: d(".cw-long-context-strip .sparse")[0],
    goal: root.querySelector(".goal").getAttribute("x1"), bars, claims: words(".cw-long-context-claims tbody tr"),
    wide: [...root.querySelectorAll(".cw-long-context-models rect")].map((e) => parseFloat(e.getAttribute("width"))),
    own: [...root.querySelectorAll("tr.own b")].map((e) => e.textContent),
    crossings: words(".cw-table:not(.cw-long-context-claims) tbody tr").length }; }"""
ASKED = {"model": PRO, "storage": "mixed", "tokens": 300_001, "batch": 8, "window": 512, "topk": 512}


def assert_bars(found: list, now: dict) -> None:
    """Every run and every pick of the ruler starts and ends where its tokens stand."""
    for row, bars in zip(now["ruler"][:-1], found, strict=True):
        for bar, span, (scored, read, kept) in zip(row["bars"], now["spans"], bars, strict=True):
            x = lambda back, span=span: 1000 * (1 - back / span)  # noqa: E731
            assert [float(wide) for wide in kept if "M" not in wide] == [
                approx(x(low) - x(high), abs=0.02) for low, high, _ in bar["kept"]
            ]
            for shapes, runs in ((scored, bar["scored"]), (read, bar["read"])):
                ends = [sorted(float(n) for n in re.findall(r"[MH]([\d.]+)", shape))[:: len(shape) and -1][:1]
                        for shape in shapes[: len(runs)]]  # fmt: skip
                assert ends == [[approx(x(low), abs=0.02)] for low, _, _ in runs]
            if bar["ticks"]:
                assert len(re.findall("M", read[-1])) == len(bar["ticks"])


def test_the_lab_draws_and_sets_what_it_says(learn):
    """At a linked state: layers as high as what they keep, models on their scale, every run in place, every control."""
    query = "?" + "&".join(f"{key}={value}" for key, value in ASKED.items())
    page, now = learn("long-context")(query), reference.compute(ASKED, data)
    found = lab(page).evaluate(DRAWN)
    each = [now["kinds"][reference.counting.LETTERS.index(one)] for one in now["stack"]]
    most = max(kind["keeps"] for kind in each)
    tall = [(int(x), float(high)) for x, high in re.findall(r"M(\d+) 78v-([\d.]+)", found["kept"])]
    assert tall == [(10 * i + 1, approx(max(2, 76 * kind["keeps"] / most), abs=0.01)) for i, kind in enumerate(each)]
    assert len(re.findall("M", found["sparse"])) == 61
    low, high = now["least"], max(bar["bytes"] for bar in now["bars"])
    share = lambda value: approx(100 * log(value / low) / log(high / low), abs=0.01)  # noqa: E731
    assert found["wide"] == [share(bar["bytes"]) for bar in now["bars"]]
    assert float(found["goal"].removesuffix("%")) == share(1e10)
    assert_bars(found["bars"], now)
    assert found["own"] == ["CSA, top 1,024 of 4", "HCA, all of 128"]
    assert found["claims"] == [[*row[:-1]] for row in data["claims"]] and found["crossings"] == 8
    slider = lab(page).get_by_role("slider", name="tokens", exact=True)
    slider.press("ArrowLeft")
    assert state(page, "tokens") == 2**18  # the stop before the one nearest to 300,001
    lab(page).evaluate("(root) => root.querySelectorAll('details').forEach((one) => (one.open = true))")
    for name, key, value in (("1", "batch", 1), ("4,096", "window", 4096), ("all", "topk", 0)):
        lab(page).get_by_role("radio", name=name, exact=True).check()
        assert state(page, key) == value
    lab(page).get_by_label("model", exact=True).select_option("openai/gpt-oss-120b")
    lab(page).get_by_label("storage", exact=True).select_option("bf16")
    now = reference.compute({key: state(page, key) for key in reference.STATE}, data)
    assert lab(page).locator("[data-out='of.formula']").inner_text() == now["of"]["formula"] == "18 × 2,048"


def test_the_slider_says_the_length_that_is_meant(learn):
    """Between two stops it prints the linked length, not the nearer stop; moved, it stands on a stop again."""
    open_at = learn("long-context")
    for tokens, words in ((53_026, "53,026"), (1, "1"), (53_248, "53,248")):
        page = open_at(f"?tokens={tokens}")
        slider = lab(page).get_by_role("slider", name="tokens", exact=True)
        assert slider.get_attribute("aria-valuetext") == words
        assert slider.locator("xpath=../..").locator("output").inner_text() == words
        assert f"{words} token" in lab(page).locator(".cw-long-context-kinds thead").text_content()
        assert " 1 tokens" not in lab(page).inner_text()
    slider.press("ArrowRight")
    assert state(page, "tokens") == 57_344 and slider.get_attribute("aria-valuetext") == "57,344"


LINES = """(beat) => {
  const root = beat.querySelector(".beat-live");
  const all = (css) => [...root.querySelectorAll(css)];
  const at = (css, ...keys) => all(css).map((e) => keys.map((k) => parseFloat(e.getAttribute(k))));
  const d = (css) => all(css).map((e) => e.getAttribute("d")).join("");
  return { flat: at(".flat", "y1", "y2"), rise: at(".rise", "x1", "y1", "y2"), meet: at("circle", "cx", "cy"),
    caches: d(".cw-long-context-strip .kept"), states: d(".cw-long-context-strip .fixed"),
    weights: at("rect.weights", "width"), past: at("rect.past", "x", "width") }; }"""


def test_the_beats_draw_what_the_reference_has(told):
    """Two lines and where they meet, on the scales of their axes; states and caches; the arithmetic of two models."""
    page, found, now = told("long-context"), {}, {}
    for beat in explainers.load("long-context").beats:
        here = page.locator(f"#beat-{beat.n}")
        skip(here)
        page.evaluate(SETTLED)
        found[beat.figure] = here.evaluate(LINES)
        now[beat.figure] = reference.compute({**reference.STATE, **beat.state, **beat.bet.state}, data)
    of, mix = now["past"]["of"], now["hybrid"]["mix"]
    for name, first, (low, high), (level, each, meet) in (
        ("past", 1000, (0.1, 1e4), (of["weights_gflop"] + of["states_gflop"], of["each_mflop"] / 1e3, of["crossing"])),
        ("hybrid", 1, (1e3, 1e12), (mix["fixed"], mix["slope"], mix["tokens"])),
    ):
        y = lambda v, low=low, high=high: approx(204 - 192 * log(v / low) / log(high / low), abs=0.01)  # noqa: E731
        x = lambda t, first=first: approx(100 * log(t / first) / log(2**20 / first), abs=0.01)  # noqa: E731
        left = max(first, low / each)
        assert found[name]["flat"] == [[y(level), y(level)]]
        assert found[name]["rise"] == [[x(left), y(each * left), y(each * 2**20)]]
        assert found[name]["meet"] == [[x(meet), y(level)]]
    assert (found["hybrid"]["caches"].count("M"), found["hybrid"]["states"].count("M")) == (
        mix["caches"],
        mix["states"],
    )
    both = [now["entries"]["pair"][key] for key in ("old", "new")]
    share = lambda one, key: approx(100 * one[f"{key}_gflop"] / max(b["gflop"] for b in both), abs=0.01)  # noqa: E731
    assert found["entries"]["weights"] == [[share(one, "fixed")] for one in both]
    assert found["entries"]["past"] == [[share(one, "fixed"), share(one, "past")] for one in both]


def test_the_lab_fits_a_screen(learn):
    """At a desk, all of the lab that is not folded away is within 900 pixels."""
    page = learn("long-context")()
    assert page.locator(".learn-card").bounding_box()["height"] <= 900
    assert page.locator(".learn-card details").count() == 3
