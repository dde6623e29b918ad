"""The roofline page as a reader meets it: bars, points and numbers where the reference has them, any model fetched."""

from __future__ import annotations

import re
from functools import partial
from math import log

import pytest
from pytest import approx

from cutaway import explainers
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
    verified("roofline: JavaScript over every model", len(states), len(wrong), "its Python reference")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const block = ".cw-roofline-block";
  return { weights: all(`${block} .weights`, ["width"]), kept: all(`${block} .kept`, ["x", "width"]),
    work: all(`${block} .work rect`, ["width"]), on: all(`${block} svg > text`, ["class"]),
    blocks: all(block, ["class"]),
    circles: all(".dot circle", ["cx", "cy"]), dots: all(".dot", ["class", "transform"]),
    roof: all(".roof > line", ["x1", "x2", "y1", "y2"]), lower: all(".lower", ["class"]),
    dashed: all(".lower line", ["x1", "y1"]) }; }"""


def percent(text: str) -> float:
    return float(text.removesuffix("%")) / 100


def assert_drawn(now: dict, drawn: dict) -> None:
    """Bars on one scale of time, points on the roof."""
    rows, device = [now["rows"][i] for i in now["drawn"]], now["device"]
    most = max(row["ms"] for row in now["rows"])
    assert [one for (one,) in drawn["blocks"]] == [f"cw-roofline-block of-{row['role']}" for row in rows]
    for row, (weights,), (x, kept), (work,), (on,) in zip(
        rows, drawn["weights"], drawn["kept"], drawn["work"], drawn["on"], strict=True
    ):
        speed = now["gpus"] * device["bandwidth"] / 1e3
        for text, ms in ((weights, row["weights"] / speed), (kept, row["cache"] / speed), (work, row["flops_ms"])):
            assert percent(text) == approx(0.7 * ms / most, abs=1e-5)
        assert x == weights and on == ("" if row["binds"] == "arithmetic" else "on")
    low, high = 0.5 * device["tb"], device["tflops"]
    x = lambda i: (12 + 87 * log(min(max(i, 0.5), 16384) / 0.5) / log(32768)) / 100  # noqa: E731
    y = lambda t: 232 - 198 * log(max(t, low) / low) / log(high / low)  # noqa: E731
    shown = [row for row in rows if row["flops"]]
    for row, (cx, cy), (css, moved) in zip(shown, drawn["circles"], drawn["dots"], strict=True):
        down = float(cy) - y(row["tflops"])
        assert percent(cx) == approx(x(row["intensity"]), abs=1e-5) and css == f"dot of-{row['role']}"
        assert down == approx(round(down / 21) * 21, abs=0.02) and int(re.search(r"\d+", moved)[0]) % 21 == 0
    spots = [(400 * percent(cx) + int(re.search(r"\d+", moved)[0]), float(cy))
             for (cx, cy), (_, moved) in zip(drawn["circles"], drawn["dots"], strict=True)]  # fmt: skip
    assert all(abs(a - c) >= 19 or abs(b - d) >= 19 for i, (a, b) in enumerate(spots) for c, d in spots[:i])
    ridge = approx(x(device["ridge"]), abs=1e-5)
    (x1, x2, y1, y2), (x3, *_) = drawn["roof"]
    assert (x1, percent(x2), y1, y2, percent(x3)) == ("12%", ridge, "232", "34", ridge)
    assert ("hush" in drawn["lower"][0][0]) == (device["plain"] >= device["peak"])
    assert (percent(drawn["dashed"][0][0]), float(drawn["dashed"][0][1])) == (
        approx(x(device["plain_ridge"]), abs=1e-5), approx(y(device["plain"] / 1e12), abs=0.01)
    )  # fmt: skip


def test_the_lab_draws_and_sets_what_it_says(learn):
    """At a linked state all is drawn as computed; controls move their keys; a model that is not there is fetched."""
    whole = {**reference.STATE, "model": "deepseek-ai/DeepSeek-V4-Pro", "gpu": "h200_sxm", "gpus": 8, "batch": 4096}
    page = learn("roofline")("?model=deepseek-ai/DeepSeek-V4-Pro&gpu=h200_sxm&gpus=8&batch=4096")
    assert_drawn({**whole, **reference.compute(whole, DATA())}, lab(page).evaluate(DRAWN))
    for key, name, moved in (("context", "tokens of each", 6144), ("batch", "sequences", 3072)):
        lab(page).get_by_role("slider", name=name, exact=True).press("ArrowLeft")
        assert state(page, key) == moved
    for name, value in (("GPUs", "1 ×"), ("device", "B200 SXM")):
        lab(page).get_by_label(name, exact=True).select_option(label=value)
    lab(page).get_by_role("radio", name="FP8").check()
    lab(page).get_by_role("radio", name="whole prompt").check()
    assert [state(page, key) for key in ("gpus", "gpu", "kv", "job")] == [1, "b200_sxm", "fp8", "prefill"]
    lab(page).get_by_label("model", exact=True).select_option("tiiuae/falcon-7b")
    until(page, lambda: "Falcon 7B: its numbers" not in lab(page).inner_text())
    page.evaluate(SETTLED)
    asked = {key: state(page, key) for key in reference.STATE}
    assert_drawn({**asked, **reference.compute(asked, DATA())}, lab(page).evaluate(DRAWN))


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_the_lab_looks_as_kept(learn, shot, width, scheme):
    """Pictures of the lab: a dense model on a wide screen, a hybrid with experts on a phone."""
    query = "?batch=64" if width > 390 else "?model=deepseek-ai/DeepSeek-V4-Pro&gpu=h200_sxm&gpus=8&batch=4096"
    shot(lab(posed(learn("roofline"), width, scheme, query)), f"roofline-{width}-{scheme}")


TWINS = """(beat) => ["still", "live"].map((which) => {
  const root = beat.querySelector(`.beat-figure .beat-${which}`);
  const keys = ["class", "x", "y", "width", "height", "cx", "cy", "x1", "x2", "y1", "y2"];
  const shapes = [...root.querySelectorAll("rect, circle, line, text")];
  return [root.textContent.replace(/\\s/g, ""), shapes.map((e) => keys.map((k) => e.getAttribute(k) || "").join(" "))];
})"""


@pytest.mark.whole
def test_live_figures_are_the_answered_ones(told):
    """Drawn in Python and drawn live, a beat's figure has the same words and the same shapes in the same places."""
    page = told("roofline")
    for n in range(1, 7):
        beat = page.locator(f"#beat-{n}")
        beat.get_by_role("button", name="skip the bet").click()
        (still, shapes), (live, others) = beat.evaluate(TWINS)
        assert live.removesuffix("|◀▶▶|1sequence") == still and others == shapes, n
        assert len(shapes) >= 6, n
