"""The position page as a reader meets it: hands and dots where the reference puts them, narrow, dark."""

from __future__ import annotations

from math import cos, log10, pi, sin

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state

reference, data = explainers.reference("position"), explainers.data("position")


@pytest.fixture
def position(learn):
    """Open the page at a state; its lab is ready."""
    return learn("position")


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const hands = (name) => all(`.cw-position-dials .${name}`, ["x2", "y2"]);
  const at = ["class", "cx", "cy", "r"];
  return { query: hands("query"), key: hands("key"), plain: all("circle.plain", ["cx", "cy"]),
    dots: all(".cw-position-waves circle:not(.plain)", at),
    level: all(".cw-position-trained line", ["y1", "y2"]) }; }"""


@pytest.mark.parametrize("model", ["meta-llama/Llama-3.1-8B", "openai/gpt-oss-20b"])
def test_the_drawings_are_the_references(position, model):
    """Hands, dots, hollow dots and the dashed line lie where the reference's numbers put them."""
    now = reference.compute({**reference.STATE, "model": model, "query": 31, "key": 9, "pair": 40}, data)
    drawn = lab(position(f"?model={model}&query=31&key=9&pair=40")).evaluate(DRAWN)
    for who in ("query", "key"):
        ends = [(44 * cos(d[who] * pi / 180), -44 * sin(d[who] * pi / 180)) for d in now["dials"]]
        assert [(float(x), float(y)) for x, y in drawn[who]] == [approx(end, abs=0.01) for end in ends]
    y = lambda wave: approx(228 - 24 * log10(wave), abs=0.01)  # noqa: E731
    pairs, rope = now["rope"]["pairs"], now["rope"]
    x = lambda i: approx(10 + 88 * i / (pairs - 1), abs=0.001)  # noqa: E731
    place = lambda cx, cy: (float(cx.removesuffix("%")), float(cy))  # noqa: E731
    assert [place(cx, cy) for _, cx, cy, _ in drawn["dots"]] == [(x(i), y(w)) for i, w in enumerate(now["waves"])]
    moved = range(rope["kept"], pairs)
    assert [place(*dot) for dot in drawn["plain"]] == [(x(i), y(now["plain"][i])) for i in moved]
    kinds = ["kept"] * rope["kept"] + ["between"] * rope["between"] + ["slowed"] * rope["slowed"]
    on = [(i, r) for i, (kind, *_, r) in enumerate(drawn["dots"]) if kind.endswith(" on")]
    assert [kind.removesuffix(" on") for kind, *_ in drawn["dots"]] == kinds
    assert on == [(now["here"]["pair"], "6")]
    assert [(float(a), float(b)) for a, b in drawn["level"]] == [(y(rope["trained"]), y(rope["trained"]))]


def test_the_beats_draw_no_more_than_may_be_known(position):
    """While a bet on the pairs is open only the faster half is drawn; shown, all pairs; none turns in Kimi Linear."""
    page = position()
    paces, far = (page.locator(f"#beat-{n}") for n in (2, 3))
    for beat in (paces, far):
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        dots = beat.locator(".beat-live circle:not(.plain)")
        assert dots.count() == 32
        beat.locator(".bet-input").fill("9")
        assert dots.count() == 32
        beat.get_by_role("button", name="Show me").click()
        assert dots.count() == 64
    assert far.locator(".beat-live circle.plain").count() == 35
    lab(page).get_by_label("model").select_option("moonshotai/Kimi-Linear-48B-A3B-Instruct")
    assert state(page, "model").endswith("Instruct")
    assert lab(page).get_by_text("Nothing turns here").is_visible()
    assert not lab(page).locator(".cw-position-dials").is_visible()


def test_every_control_sets_its_own_key_and_follows_a_link(position):
    """The lab's six controls stand where a link puts them, and each of them moves its own value."""
    page = position("?model=openai/gpt-oss-20b&theta=25000&stretch=linear&query=31&key=9&pair=20")
    places = {"query": "query at token", "key": "key at token", "pair": "pair"}
    for key, value in {"query": 31, "key": 9, "pair": 20}.items():
        slider = lab(page).get_by_role("slider", name=places[key], exact=True)
        assert slider.input_value() == str(value)
        slider.press("ArrowRight")
        assert state(page, key) == value + 1
    picked = {"base θ": ("theta", 25_000, 100_000), "RoPE scaling": ("stretch", "linear", "yarn")}
    picked["model"] = ("model", "openai/gpt-oss-20b", "moonshotai/Kimi-Linear-48B-A3B-Instruct")
    for label, (key, before, after) in picked.items():
        box = lab(page).get_by_label(label, exact=True).and_(lab(page).locator("select"))
        assert box.input_value() == str(before)
        box.select_option(str(after))
        assert state(page, key) == after
    assert lab(page).get_by_text("No pair turns, so there is nothing to scale.").is_visible()


def test_the_lab_says_whose_length_it_is_and_how_much_turns(position):
    """Qwen3's length is its config's, Llama's what it was trained on; of Gemma 4's head a quarter turns."""
    said = lambda model: lab(position(f"?model={model}")).inner_text()  # noqa: E731
    qwen, llama, gemma = map(said, ("Qwen/Qwen3-8B", "meta-llama/Llama-3.1-8B", "google/gemma-4-31B-it"))
    assert "23 would not finish a turn within the 40,960 tokens of its config." in qwen and "trained" not in qwen
    assert "29 would not finish a turn within the 8,192 trained tokens." in llama
    assert "128 of 512 dimensions of a head are rotated, in 64 pairs." in gemma and "the slowest in 188." in gemma


def test_narrow_and_accessible(position):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(
        position, "position", "?model=openai/gpt-oss-20b&pair=20", "?model=moonshotai/Kimi-Linear-48B-A3B-Instruct"
    )


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(position, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(position, width, scheme, "?pair=30")
    shot(page.locator(".learn-card"), f"position-{width}-{scheme}")
