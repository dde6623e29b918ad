"""The attention page as a reader meets it: cells of vectors, bars, grids, another layer, a click on a token."""

from __future__ import annotations

import pytest
from pytest import approx

from cutaway import explainers
from cutaway.explainers import fmt
from tests.explainers.reader import assert_narrow_and_accessible, lab, put, state

reference, data = explainers.reference("attention"), explainers.data("attention")


@pytest.fixture
def page_at(learn):
    """Open the page at a state; its lab is ready."""
    return learn("attention")


def shown(**given) -> dict:
    """What the reference says of a state."""
    return reference.compute({**reference.STATE, **given}, data)


def press(page, group: str, value: int) -> None:
    """Choose one of a row of pills."""
    lab(page).get_by_role("group", name=group, exact=True).locator(f"input[value='{value}']").press(" ")


def areas(row) -> list[list[int]]:
    """Of each strip: how many cells each shade has, from strongly negative to strongly positive."""
    return row.evaluate_all(CELLS)


CELLS = """(all) => all.map((svg) =>
  [...svg.querySelectorAll("path")].map((path) => (path.getAttribute("d") ?? "").split("M").length - 1))"""


def test_strips_bars_and_grids_are_the_numbers(page_at):
    """A key's cells are its numbers, a bar is as long as its weight, the grid has a cell in its shade for each pair."""
    page = page_at("?layer=2&head=3")
    now = shown()
    looks = lab(page).locator(".cw-attention-look").first
    for found, row in zip(areas(looks.locator("g:not(.own) > .strip")), now["look"]["rows"], strict=True):
        most = max(abs(one) for row in now["look"]["rows"] for one in row["key"])
        assert sum(found[3:]) == sum(one >= 0.08 * most for one in row["key"]), row["name"]
        assert sum(found[:3]) == sum(one <= -0.08 * most for one in row["key"]), row["name"]
    wide = looks.locator("g:not(.own) > .bar").evaluate_all(
        "(all) => all.map((r) => parseFloat(r.getAttribute('width')))"
    )
    assert wide == [approx(26 * row["weight"], abs=0.01) for row in now["look"]["rows"]]
    grid = lab(page).locator(".cw-attention-grid:not(.small)")
    drawn = areas(grid)[0]
    cells = [round(12 * weight) for i, row in enumerate(now["grids"][3]) for weight in row[: i + 1]]
    assert drawn == [91, *(cells.count(step) for step in range(13))]


def test_another_layer_is_fetched_once_and_a_token_is_clicked(page_at):
    """The first layer's heads fetch nothing, another layer fetches all vectors once; a token's pill opens its query."""
    page = page_at()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url.split("?")[0].rpartition("/")[2]))
    press(page, "head", 0)
    assert fetched == []
    press(page, "layer", 3)
    now = shown(layer=3, head=0)
    best = lab(page).locator(".cw-attention-look .best")
    lab(page).get_by_text("96.4 %").first.wait_for()
    assert best.count() == 1
    press(page, "layer", 1)
    press(page, "query of", 3)
    assert state(page, "at") == 3
    assert [name for name in fetched if name.endswith(".bin")] == ["vectors.bin"]
    assert now["look"]["best"]["weight"] == approx(0.964, abs=5e-4)


def test_a_text_of_ones_own_runs_in_the_page(page_at):
    """A typed text fetches the model of next-token once; its tokens, weights and goals are the reference's."""
    page = page_at("?layer=3&head=0")
    fetched = []
    page.on("request", lambda request: fetched.append(request.url.split("?")[0].split("/explainers/")[-1]))
    own = "Emma saw Mr. Darcy and Mr."
    lab(page).get_by_label("or your own text").fill(own)
    now = shown(own=own, layer=3, head=0)
    names = lab(page).get_by_role("group", name="query of", exact=True).locator("label")
    names.nth(now["count"] - 1).wait_for()
    assert names.all_text_contents() == [token["name"] for token in now["tokens"]]
    shares = lab(page).locator(".cw-attention-look .share[data-out]").all_text_contents()
    assert shares == [fmt.percent(row["weight"], 1) for row in now["look"]["rows"]]
    lab(page).get_by_label("or your own text").fill(own + " Knightley")
    names.nth(now["count"]).wait_for()
    assert sorted(name for name in fetched if name.endswith(".bin")) == [
        "next-token/merges.bin",
        "next-token/weights.bin",
    ]
    at = next(i for i, token in enumerate(now["tokens"]) if token["name"] == "·saw")
    press(page, "query of", at)
    assert state(page, "own") == own + " Knightley"
    page.locator(".goals").get_by_text("“·saw” puts 0.0 % on earlier copies of itself").wait_for(state="attached")
    put(page, {"own": "Emma saw Emma, Emma", "layer": 1, "head": 0, "at": 5})
    weight = shown(own="Emma saw Emma, Emma", layer=1, head=0, at=5)["look"]["rows"][3]["weight"]
    page.locator(".goals").get_by_text(f"“·Emma” puts {fmt.percent(weight, 1)}").wait_for(state="attached")


def test_an_open_bet_hides_its_answer(page_at):
    """While bets are open no score, weight or other head is drawn; skipped, all are."""
    page = page_at()
    for n, css in {
        1: ".score[data-out]",
        2: ".share[data-out]",
        3: ".share[data-out]",
        5: "[data-out='heads.0.best.name']",
    }.items():
        beat = page.locator(f"#beat-{n}")
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        figure = beat.locator(".beat-live").locator(f"figure {css}, .beat-figure {css}, {css}")
        before = figure.count()
        beat.get_by_role("button", name="skip the bet").click()
        assert figure.count() > before, n


def test_the_page_is_narrow_and_accessible(page_at):
    """At 390 px nothing scrolls sideways, and axe finds nothing with every bet shown."""
    assert_narrow_and_accessible(page_at, "attention", "", "?layer=0&masked=false")
