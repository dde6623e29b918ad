"""The roofline page as a reader meets it: bars, points and numbers where the reference has them, any model fetched."""

from __future__ import annotations

import re
from functools import partial
from math import log

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.beats_page import skip
from tests.explainers.reader import SETTLED, lab, posed, state
from tests.explainers.test_pattern import differences
from tests.guarded import until

reference, DATA = explainers.reference("roofline"), partial(explainers.data, "roofline")
LOADS = ({}, {"job": "prefill", "context": 777}, {"batch": 300, "kv": "fp8", "gpu": "b200_sxm", "gpus": 4})


def test_javascript_knows_every_model(blank, called, plain, verified):
    """Of every catalogued model compute gives in the browser what it gives in Python, under one of three loads."""
    states = [{**reference.STATE, "model": slug, **LOADS[i % 3]} for i, (slug, _) in enumerate(DATA()["names"])]
    theirs = called(blank(explainers.module("roofline")), "compute", states, DATA())
    mine = [plain(reference.compute(one, DATA())) for one in states]
    wrong = [one["model"] for one, a, b in zip(states, mine, theirs, strict=True) if list(differences(a, b, off=1e-9))]
    assert wrong == []
    verified("roofline: JavaScript results for every model", len(states), len(wrong), "the Python reference")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const block = ".cw-roofline-block";
  return { weights: all(`${block} .weights`, ["width"]), kept: all(`${block} .kept`, ["x", "width"]),
    work: all(`${block} .work rect`, ["width"]), on: all(`${block} svg > text`, ["class"]),
    blocks: all(block, ["class"]),
    circles: all(".dot circle", ["cx", "cy"]), dots: all(".dot", ["class", "transform"]),
    roof: all(".roof > line", ["x1", "x2", "y1", "y2"]), lower: all(".lower", ["class"]),
    dashed: all(".lower line", ["x1", "y1"]), reads: all(".cw-roofline-reads rect", ["width"]),
    halves: all(".point circle", ["cx", "cy"]), points: all(".point", ["class"]) }; }"""


def percent(text: str) -> float:
    return float(text.removesuffix("%")) / 100


def along(intensity: float) -> float:
    """The share of a roof's width at which FLOP a byte stand."""
    return (12 + 87 * log(min(max(intensity, 0.5), 16384) / 0.5) / log(32768)) / 100


def down(tflops: float, device: dict) -> float:
    """The pixels from a roof's top at which TFLOP a second stand."""
    low, high = 0.5 * device["tb"], device["tflops"]
    return 232 - 198 * log(max(tflops, low) / low) / log(high / low)


def assert_bars(now: dict, drawn: dict) -> None:
    """Every block that is worth drawing as two bars, all on one scale of time."""
    rows = [now["rows"][i] for i in now["drawn"]]
    most, speed = max(row["ms"] for row in now["rows"]), now["gpus"] * now["device"]["bandwidth"] / 1e3
    assert [one for (one,) in drawn["blocks"]] == [f"cw-roofline-block of-{row['role']}" for row in rows]
    for row, (weights,), (x, kept), (work,), (on,) in zip(
        rows, drawn["weights"], drawn["kept"], drawn["work"], drawn["on"], strict=True
    ):
        for text, ms in ((weights, row["weights"] / speed), (kept, row["cache"] / speed), (work, row["flops_ms"])):
            assert percent(text) == approx(0.7 * ms / most, abs=1e-5)
        assert x == weights and on == ("" if row["binds"] == "arithmetic" else "on")


def assert_roof(now: dict, drawn: dict) -> None:
    """The slope up to the ridge, the flat part behind it, and a lower roof only where one differs."""
    device = now["device"]
    ridge = approx(along(device["ridge"]), abs=1e-5)
    (x1, x2, y1, y2), (x3, *_) = drawn["roof"]
    assert (x1, percent(x2), y1, y2, percent(x3)) == ("12%", ridge, "232", "34", ridge)
    assert ("hush" in drawn["lower"][0][0]) == (device["plain"] >= device["peak"])
    assert (percent(drawn["dashed"][0][0]), float(drawn["dashed"][0][1])) == (
        approx(along(device["plain_ridge"]), abs=1e-5), approx(down(device["plain"] / 1e12, device), abs=0.01)
    )  # fmt: skip


def assert_drawn(now: dict, drawn: dict) -> None:
    """Bars on one scale of time, points on the roof, or moved whole steps away from others."""
    assert_bars(now, drawn)
    assert_roof(now, drawn)
    shown = [now["rows"][i] for i in now["drawn"] if now["rows"][i]["flops"]]
    for row, (cx, cy), (css, moved) in zip(shown, drawn["circles"], drawn["dots"], strict=True):
        off = float(cy) - down(row["tflops"], now["device"])
        assert percent(cx) == approx(along(row["intensity"]), abs=1e-5) and css == f"dot of-{row['role']}"
        assert off == approx(round(off / 21) * 21, abs=0.02) and int(re.search(r"\d+", moved)[0]) % 21 == 0
    spots = [(400 * percent(cx) + int(re.search(r"\d+", moved)[0]), float(cy))
             for (cx, cy), (_, moved) in zip(drawn["circles"], drawn["dots"], strict=True)]  # fmt: skip
    assert all(abs(a - c) >= 19 or abs(b - d) >= 19 for i, (a, b) in enumerate(spots) for c, d in spots[:i])


def test_the_lab_draws_and_sets_what_it_says(learn):
    """At a linked state all is drawn as computed; controls move their keys; a model that is not there is fetched."""
    whole = {**reference.STATE, "model": "deepseek-ai/DeepSeek-V4-Pro", "gpu": "h200_sxm", "gpus": 8, "batch": 4096}
    page = learn("roofline")("?model=deepseek-ai/DeepSeek-V4-Pro&gpu=h200_sxm&gpus=8&batch=4096")
    until(page, lambda: "loading its numbers" not in lab(page).inner_text())
    page.evaluate(SETTLED)
    assert_drawn({**whole, **reference.compute(whole, DATA())}, lab(page).evaluate(DRAWN))
    for key, name, moved in (("context", "tokens per sequence", 6144), ("batch", "sequences", 3072)):
        lab(page).get_by_role("slider", name=name, exact=True).press("ArrowLeft")
        assert state(page, key) == moved
    for name, value in (("GPUs", "1 ×"), ("device", "B200 SXM")):
        lab(page).get_by_label(name, exact=True).select_option(label=value)
    lab(page).get_by_role("radio", name="FP8").check()
    lab(page).get_by_role("radio", name="whole prompt").check()
    assert [state(page, key) for key in ("gpus", "gpu", "kv", "job")] == [1, "b200_sxm", "fp8", "prefill"]
    lab(page).get_by_label("model", exact=True).select_option("tiiuae/falcon-7b")
    until(page, lambda: "loading its numbers" not in lab(page).inner_text())
    page.evaluate(SETTLED)
    asked = {key: state(page, key) for key in reference.STATE}
    assert_drawn({**asked, **reference.compute(asked, DATA())}, lab(page).evaluate(DRAWN))


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_the_lab_looks_as_kept(learn, shot, width, scheme):
    """Pictures of the lab: a dense model on a wide screen, a hybrid with experts on a phone."""
    query = "?batch=64" if width > 390 else "?model=deepseek-ai/DeepSeek-V4-Pro&gpu=h200_sxm&gpus=8&batch=4096"
    shot(lab(posed(learn("roofline"), width, scheme, query)), f"roofline-{width}-{scheme}")


HALVES = {"climb": ["mlp"], "both": ["mlp", "past"], "experts": ["mixer", "mlp"]}
COLOURS = {"mlp": "dense", "past": "cached", "mixer": "full"}
SHAPES = """(beat) => ["still", "live"].map((which) => {
  const root = beat.querySelector(`.beat-figure .beat-${which}`);
  const keys = ["class", "x", "y", "width", "height", "cx", "cy", "x1", "x2", "y1", "y2"];
  return [...root.querySelectorAll("rect, circle, line, text")].map((e) =>
    [...keys.map((k) => e.getAttribute(k) || ""), e.textContent].join(" "));
})"""


def assert_figure(figure: str, now: dict, drawn: dict) -> None:
    """Blocks, halves on the roof, or weights and cache to one scale, where the reference's numbers put them."""
    if figure in ("token", "prompt"):
        return assert_bars(now, drawn)
    if figure == "reads":
        both = [now["total"][key] for key in ("weights", "cache")]
        assert [percent(wide) for (wide,) in drawn["reads"]] == approx([one / max(both) for one in both], abs=1e-5)
        return None
    moe = any(row["role"] == "moe" for row in now["rows"])
    for key, (cx, cy), (css,) in zip(HALVES[figure], drawn["halves"], drawn["points"], strict=True):
        assert percent(cx) == approx(along(now[key]["intensity"]), abs=1e-5)
        assert float(cy) == approx(down(now[key]["tflops"], now["device"]), abs=0.01)
        assert css == f"point of-{'moe' if moe and key == 'mlp' else COLOURS[key]}"
    return assert_roof(now, drawn)


@pytest.mark.whole
def test_the_beats_draw_what_the_reference_has(told):
    """Answered, a beat's figure has the reference's numbers in their places, and is the one that stood there before."""
    page = told("roofline")
    for beat in explainers.load("roofline").beats:
        here = page.locator(f"#beat-{beat.n}")
        skip(here)
        whole = {**reference.STATE, **beat.state, **beat.bet.state}
        assert_figure(beat.figure, {**whole, **reference.compute(whole, DATA())}, here.evaluate(
            f"(beat) => ({DRAWN})(beat.querySelector('.beat-live'))"
        ))  # fmt: skip
        still, live = here.evaluate(SHAPES)
        assert still == live and len(live) >= 6, beat.name
