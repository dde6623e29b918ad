"""The experts page as a reader meets it: bars, dots and controls where the reference puts them, updates that play."""

from __future__ import annotations

import re

from pytest import approx

from cutaway import explainers
from tests.explainers.beats_page import skip
from tests.explainers.reader import SETTLED, lab, state
from tests.guarded import until

reference, data = explainers.reference("experts"), explainers.data("experts")
DRAWN = """(root) => {
  const d = (css) => [...root.querySelectorAll(css)].map((e) => e.getAttribute("d"));
  const at = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const loads = ".cw-experts-loads";
  return { kept: d(`${loads} .kept`)[0], lost: d(`${loads} .lost`)[0], before: d(`${loads} .before`)[0],
    raised: d(`${loads} .raised`)[0], lowered: d(`${loads} .lowered`)[0], even: at(`${loads} .even`, ["y1"])[0][0],
    goal: at(`${loads} .goal`, ["y1"])[0][0], boxes: at(".cw-experts-groups .box", ["class"]).map(([c]) => c),
    picked: d(".cw-experts-groups .picked"), dots: at(".cw-experts-groups circle", ["class", "cx"]),
    sends: ["free", "now"].map((c) => root.querySelectorAll(`.cw-experts-sends .${c}`).length),
    lit: d(".cw-experts-wall .lit")[0], mix: at(".cw-experts-mix rect", ["width"]).map(([w]) => parseFloat(w)) }; }"""
HELD = {
    "experts": 32,
    "k": 3,
    "kept": 3,
    "skew": 1.1,
    "step": 0.01,
    "updates": 7,
    "room": 2,
    "token": 40,
    "bias": False,
}


def tops(path: str) -> list[tuple[int, float, float]]:
    """(x, foot, top) of every bar of a path."""
    return [(int(x), float(a), float(b)) for x, a, b in re.findall(r"M(\d+) ([\d.]+)V([\d.]+)", path)]


def assert_drawn(found: dict, now: dict, whole: dict) -> None:
    """Every bar, dot and send is where the numbers put it."""
    load, here, size = now["load"], now["here"], whole["experts"] // 8
    top = max(load["busiest"], *load["before"], 1.2 * load["even"])
    y = lambda n: approx(190 - 172 * n / top, abs=0.06)  # noqa: E731
    fits = [min(n, load["room"] or load["busiest"]) for n in load["counts"]]
    assert tops(found["kept"]) == [(10 * e + 1, 190, y(n)) for e, n in enumerate(fits) if n]
    over = [(10 * e + 1, y(a), y(b)) for e, (a, b) in enumerate(zip(fits, load["counts"], strict=True)) if b > a]
    assert tops(found["lost"]) == over
    assert tops(found["before"]) == [(10 * e + 1, 190, y(n)) for e, n in enumerate(load["before"]) if n]
    assert (float(found["even"]), float(found["goal"])) == (y(load["even"]), y(1.2 * load["even"]))
    reach = max(abs(b) for b in now["biases"])
    for css, sign in (("raised", 1), ("lowered", -1)):
        bars = re.findall(r"M(\d+) 100v(-?\d+)", found[css])
        wanted = [
            (10 * e + 1, round(-100 * b / reach)) for e, b in enumerate(now["biases"]) if sign * b / reach > 0.005
        ]
        assert [(int(x), int(h)) for x, h in bars] == wanted
    assert [i for i, css in enumerate(found["boxes"]) if css == "box kept"] == here["kept"]
    picked = [g * size + int(x) // 10 for g, d in enumerate(found["picked"]) for x in re.findall(r"M(\d+)", d)]
    assert picked == sorted(here["chosen"])
    free, met = set(here["free"]), set(here["chosen"])
    kinds = [("best" if e in met else "missed") if e in free else "gained" for e in sorted(free | met)]
    spots = [12.5 * (e // size) + 0.8 + 10.9 * (e % size + 0.5) / size for e in sorted(free | met)]
    assert [(css, float(x.removesuffix("%"))) for css, x in found["dots"]] == [
        (css, approx(x, abs=0.001)) for css, x in zip(kinds, spots, strict=True)
    ]
    assert found["sends"] == [here["nodes_free"], here["nodes"]]
    last = now["of"]["layers"] - 1
    lit = {(int(e), int(row)) for e, row in re.findall(r"M(\d+) (\d+)h1v1", found["lit"])}
    assert lit == {(e, last - i) for i, row in enumerate(now["wall"]) for e in row}
    shares = [1, *(now["eight"]["weights"][i] for i in now["eight"]["chosen"])]
    assert found["mix"] == [approx(100 * one / now["eight"]["whole"] - 0.4, abs=0.001) for one in shares]


def test_the_lab_draws_and_sets_what_it_says(learn):
    """At a linked state all is drawn as computed; every control stands there and moves its own key; updates play on."""
    go, whole = learn("experts"), {**reference.STATE, **HELD}
    page = go("?" + "&".join(f"{key}={str(value).lower()}" for key, value in HELD.items()))
    assert_drawn(lab(page).evaluate(DRAWN), reference.compute(whole, data), whole)
    sliders = {
        "k": "experts per token, k",
        "kept": "groups kept",
        "skew": "skew",
        "token": "token",
        "updates": "updates of the bias",
    }
    for key, name in sliders.items():
        slider = lab(page).get_by_role("slider", name=name, exact=True)
        assert float(slider.input_value()) == HELD[key]
        slider.press("ArrowLeft")
        assert state(page, key) == approx(HELD[key] - (0.1 if key == "skew" else 1))
    for key, name, value in (("step", "bias step", 0.05), ("room", "capacity", 0), ("experts", "experts", 128)):
        box = lab(page).locator("select").and_(lab(page).get_by_label(name, exact=True))
        assert box.input_value() == str(HELD[key])
        box.select_option(str(value))
        assert state(page, key) == value
    lab(page).get_by_role("radio", name="softmax of the chosen").check()
    lab(page).get_by_role("checkbox").check()
    assert (state(page, "scoring"), state(page, "bias")) == ("after", True)
    lab(page).get_by_label("model", exact=True).select_option("deepseek-ai/DeepSeek-V3")
    assert [state(page, key) for key in ("model", "experts", "k", "kept")] == ["deepseek-ai/DeepSeek-V3", 256, 8, 4]
    lab(page).get_by_label("experts", exact=True).and_(lab(page).locator("select")).select_option("8")
    assert state(page, "experts") == 256
    assert "fewer experts than a token is sent to" in lab(page).inner_text()
    lab(page).get_by_label("model", exact=True).select_option("mistralai/Mixtral-8x7B-v0.1")
    lab(page).get_by_role("button", name="Play").click()
    until(page, lambda: int(lab(page).get_by_role("slider", name="updates of the bias").input_value()) > 8)
    lab(page).get_by_role("button", name="Pause").click()
    page.evaluate(SETTLED)
    keys = reference.STATE
    now = reference.compute({key: state(page, key) for key in keys}, data)
    printed = lab(page).locator("[data-out='load.ratio']").first.text_content()
    assert printed == f"{now['load']['ratio']:.3f}" and state(page, "updates") > 8


BARS = """(beat) => [".kept", ".lost", ".raised", ".lowered"].map((css) =>
  beat.querySelector(`.beat-live .cw-experts-loads path${css}`)?.getAttribute("d") || "")"""


def test_the_beats_sort_experts_by_how_popular_they_were(told):
    """Crowds and levelling draw each expert's choices in the order before any update; what has no room lies on top."""
    page = told("experts")
    for n, changes, high in ((4, {}, 190), (5, {"updates": 60}, 90)):
        here, state = page.locator(f"#beat-{n}"), {**reference.STATE, **changes}
        skip(here)
        page.evaluate(SETTLED)
        now = reference.compute(state, data)
        load, top = now["load"], max(now["load"]["busiest"], *now["load"]["before"], 1.2 * now["load"]["even"])
        y = lambda k, high=high, top=top: approx(high - (high - 18) * k / top, abs=0.06)  # noqa: E731
        fits = [load["counts"][e] if n == 5 else min(load["counts"][e], load["room"]) for e in load["order"]]
        over = [
            (i, load["counts"][e]) for i, e in enumerate(load["order"]) if load["counts"][e] > load["room"] and n == 4
        ]
        kept, lost, *biases = here.evaluate(BARS)
        assert tops(kept) == [(10 * i + 1, high, y(k)) for i, k in enumerate(fits) if k]
        assert tops(lost) == [(10 * i + 1, y(load["room"]), y(k)) for i, k in over]
        signs = [
            sum(b * sign / max(now["high"], -now["low"], 0.001) > 0.005 for b in now["biases"]) for sign in (1, -1)
        ]
        assert [len(re.findall("M", d)) for d in biases] == (signs if n == 5 else [0, 0])


def test_a_route_is_the_experts_of_every_layer(told):
    """All numbers that a rollout sends home, layer after layer."""
    here, beat = told("experts").locator("#beat-6"), explainers.load("experts").beats[5]
    skip(here)
    wall = reference.compute({**reference.STATE, **beat.state}, data)["wall"]
    printed = here.locator(".beat-live .cw-experts-ids").inner_text()
    assert printed.split() == [str(e) for row in wall for e in row]
