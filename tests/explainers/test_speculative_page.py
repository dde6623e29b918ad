"""The speculative decoding page as a reader meets it: a text is continued, a step and place open, bets hide answers."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from cutaway.explainers import fmt
from tests.explainers.reader import assert_narrow_and_accessible, lab, state

reference, data = explainers.reference("speculative"), explainers.data("speculative")


@pytest.fixture
def page_at(learn):
    """Open the page at a state; its lab is ready."""
    return learn("speculative")


def shown(**given) -> dict:
    """What the reference says of a state."""
    return reference.compute({**reference.STATE, **given}, data)


def test_a_typed_text_is_continued_by_both_models(page_at):
    """The models are fetched once, the target's from next-token; the chips are the reference's tokens."""
    page = page_at()
    fetched = []
    page.on("request", lambda request: fetched.append("/".join(request.url.split("?")[0].split("/")[-2:])))
    text = "It was a very fine day; and"
    lab(page).get_by_label("text", exact=True).fill(text)
    now = shown(text=text, step=0, place=0)
    counted = f"{fmt.integer(now['totals']['tokens'])} tokens in {now['totals']['steps']} passes"
    lab(page).get_by_text(counted).wait_for()
    chips = lab(page).locator(".cw-speculative-steps .chips > span:not(.rejected)").all_text_contents()
    kept = [[d["name"] for d in one["drafts"][: one["kept"]]] + [one["last"]["name"]] for one in now["steps"]]
    assert chips == [name for names in kept for name in names]
    assert sorted(name for name in fetched if name.endswith(".bin")) == [
        "next-token/merges.bin",
        "next-token/weights.bin",
        "speculative/draft.bin",
    ]


def test_a_step_and_a_place_open(page_at):
    """A step's number opens it; bars are as long as q and p; a draft's name opens its place."""
    page = page_at("?temperature=0.5")
    lab(page).locator(".cw-speculative-steps button").nth(1).click()
    lab(page).get_by_role("group", name="draft", exact=True).locator(".cw-pill").nth(1).click()
    assert (state(page, "step"), state(page, "place")) == (1, 1)
    step = shown(temperature=0.5, step=1, place=1)["steps"][1]
    bars = lab(page).locator(".cw-speculative-step g g").evaluate_all(
        "(all) => all.map((g) => ['.q', '.p'].map((c) => parseFloat(g.querySelector(c).getAttribute('width'))))"
    )  # fmt: skip
    assert bars[:-1] == [[approx(33 * d["q"], abs=0.01), approx(33 * d["p"], abs=0.01)] for d in step["drafts"]]
    drawn = step["last"]["share"] if step["last"]["kind"] == "correction" else 0
    assert bars[-1] == [approx(33 * drawn, abs=0.01), approx(33 * step["last"]["p"], abs=0.01)]


def test_an_open_bet_hides_its_answer(page_at):
    """While bets are open no later step, verdict, output or speed-up is drawn; skipped, all are."""
    page = page_at()
    hidden = {
        1: "li:nth-child(2) .chips",
        2: ".verdict[data-out]",
        3: "[data-out$='.out']",
        5: "[data-out$='.speedup']",
        6: "[data-out$='.speedup']",
    }
    for n, css in hidden.items():
        beat = page.locator(f"#beat-{n}")
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        live = beat.locator(f".beat-live svg {css}, .beat-live ol {css}")
        assert live.count() == 0, n
        beat.get_by_role("button", name="skip the bet").click()
        assert live.count() > 0, n


def test_a_beat_says_what_the_models_give_once_they_have_come(page_at):
    """An address of a run that the page has not stored waits for the models; then the caption has its numbers."""
    beat = page_at("?temperature=1.5#beat-3").locator("#beat-3")
    alpha = beat.locator("[data-out='look.alpha']")
    alpha.wait_for()
    look = shown(temperature=1.5)["look"]
    assert alpha.inner_text() == f"{100 * look['alpha']:.1f} %"


def test_the_page_is_narrow_and_accessible(page_at):
    """At 390 px nothing scrolls sideways, and axe finds nothing with every bet shown."""
    assert_narrow_and_accessible(page_at, "speculative", "", "?k=8")
