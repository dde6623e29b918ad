"""The next-token page as a reader meets it: what is typed is answered, the next token comes, cut parts are hatched."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from pytest import approx

from cutaway import explainers
from cutaway.explainers import fmt
from tests.explainers.reader import assert_narrow_and_accessible, lab, state

reference, data = explainers.reference("next-token"), explainers.data("next-token")


@pytest.fixture
def page_at(learn):
    """Open the page at a state; its lab is ready."""
    return learn("next-token")


def shown(**given) -> dict:
    """What the reference says of a state."""
    return reference.compute({**reference.STATE, **given}, data)


def test_what_is_typed_is_answered(page_at):
    """English, emoji and 10,000 characters load the model once; candidates, tokens and the cut are the reference's."""
    page = page_at()
    fetched = []
    page.on("request", lambda request: fetched.append(request.url.split("?")[0].rpartition("/")[2]))
    field = lab(page).get_by_label("text", exact=True)
    for text in ("It was a very fine day; and", "zqx 😀", "Emma was " * 1111):
        field.fill(text)
        now = shown(text=text.strip())
        best = lab(page).locator(".cw-next-token-bars .name").first
        answered = re.compile(rf"{fmt.integer(now['letters'])} characters[,;]")  # while the model loads: a full stop
        lab(page).locator(".cw-note").filter(has_text=answered).wait_for()
        assert best.text_content() == now["next"]["rows"][0]["name"]
        assert lab(page).locator(".cw-next-token-chips li").count() == now["count"]
        assert ("beyond its context" in lab(page).locator(".cw-note").first.text_content()) == (now["dropped"] > 0)
    assert sorted(name for name in fetched if name.endswith(".bin")) == ["merges.bin", "weights.bin"]


def test_the_next_token_comes_within_100_ms_of_a_key(page_at):
    """Once the model runs here, a key's next token is computed within 100 ms, and only what is new."""
    page = page_at("?text=Emma")
    lab(page).locator(".cw-next-token-chips li").nth(1).wait_for()
    field = lab(page).get_by_label("text", exact=True)
    took = []
    for text in (
        "Emma was very fond of",
        "Emma was very fond of h",
        "Emma was very fond of he",
        "Emma was very fond of her",
    ):
        took.append(field.evaluate(TYPED, text))
    assert min(took) < 100


TYPED = """(input, text) => {
  const chips = input.closest(".cw").querySelector(".cw-next-token-chips");
  const names = () => [...chips.querySelectorAll("b")].map((b) => b.textContent);
  const letters = () => names().slice(1).join("").replaceAll("·", " ");
  return new Promise((done) => {
    const start = performance.now();
    new MutationObserver(() => letters() === text && done(performance.now() - start))
      .observe(chips, { childList: true, characterData: true, subtree: true });
    input.value = text;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
}"""


def test_a_token_is_appended(page_at):
    """The drawn token joins the text, and the next one is that of the longer text."""
    page = page_at("?text=Elizabeth+could+not")
    lab(page).locator(".cw-next-token-chips li").nth(3).wait_for()
    lab(page).get_by_role("button", name="append this token").click()
    text = "Elizabeth could not" + shown(text="Elizabeth could not")["next"]["taken"]["name"].replace("·", " ")
    assert state(page, "text") == text


def test_a_token_is_corrected_by_hand(page_at):
    """A token's chip, another word and Enter: what follows is computed again and said; it can be taken back."""
    page = page_at()
    chips, field = lab(page).locator(".cw-next-token-chips button"), lab(page).get_by_label("replace it with")
    chips.nth(6).click()
    field.fill("Emma")
    field.press("Enter")
    lab(page).get_by_text("were computed again").wait_for()
    old, new = reference.STATE["text"], "Mr. Darcy looked at Emma, and Elizabeth looked at Mr."
    assert (state(page, "text"), state(page, "before"), state(page, "at")) == (new, old, 6)
    now = shown(text=new, before=old, at=6)["edit"]
    said = lab(page).locator(".cw-next-token-edit").text_content()
    assert f"{now['same']} tokens come from the cache, {now['anew']} were computed again" in said
    assert f"{fmt.percent(now['was']['share'], 1)} before" in said and fmt.percent(now["now"]["share"], 1) in said
    anew = lab(page).locator(".cw-next-token-cache .anew").get_attribute("d")
    assert anew.count("M") == 8 * now["anew"]
    lab(page).get_by_role("button", name="take it back").click()
    assert (state(page, "text"), state(page, "before")) == (old, "")


def test_merges_of_a_token_are_shown_by_pointer_and_by_keyboard(page_at):
    """Pointing at a token, or focusing it, shows its bytes and merges; leaving it shows the open token's again."""
    page = page_at()
    chips, made = lab(page).locator(".cw-next-token-chips button"), lab(page).locator(".cw-next-token-made")
    rows = shown()["tokens"]
    chips.nth(6).hover()
    drawn = made.locator("svg > g").nth(1).locator("tspan:first-child").all_text_contents()
    assert drawn == [row["name"] for row in rows[6]["merges"]]
    assert made.locator("svg > g").nth(0).locator("tspan:first-child").all_text_contents() == rows[6]["bytes"]
    page.mouse.move(0, 0)
    assert "no merge" in made.text_content()
    chips.nth(3).focus()
    last = rows[4]["merges"][-1]
    page.keyboard.press("Tab")
    assert f"merge {last['number']}: “{last['left']}” and “{last['right']}”" in made.text_content()


def test_arcs_are_as_thick_as_weights_and_names_do_not_overlap(page_at):
    """An arc for each token that is read, thicker by its weight; on a phone no name covers another."""
    page = page_at("?layer=1&head=2")
    for text, wide in (("", 1400), ("It is a truth universally acknowledged, that a single man in possession", 390)):
        if text:
            page.set_viewport_size({"width": wide, "height": 844})
            lab(page).get_by_label("text", exact=True).fill(text)
        rows = shown(layer=1, head=2, **({"text": text} if text else {}))["look"]["rows"]
        arcs = lab(page).locator(".cw-next-token-arcs ellipse")
        arcs.nth(min(24, len(rows)) - 1).wait_for(state="attached")
        thick = arcs.evaluate_all("(all) => all.map((e) => Number(e.getAttribute('stroke-width')))")
        assert thick == [approx(0.5 + 12 * row["weight"], abs=0.01) for row in rows]
        boxes = [name.bounding_box() for name in lab(page).locator(".cw-next-token-arcs text").all()]
        for a, b in pairwise(boxes):
            assert a["x"] + a["width"] <= b["x"] + 2.5


def test_the_lens_prints_each_layer(page_at):
    """For another token: the embedding and each layer with its length, its guess and that guess's probability."""
    page = page_at("?at=4")
    lens = lab(page).locator(".cw-next-token-lens")
    lens.wait_for()
    for row, drawn in zip(shown(at=4)["lens"]["rows"], lens.locator("g > g").all(), strict=True):
        known = [fmt.fixed(row["length"], 1), row["name"], fmt.percent(row["share"], 1)]
        assert drawn.locator("[data-out]").all_text_contents() == known


def test_cut_parts_are_hatched(page_at):
    """Candidates below the cut are drawn with their share before it, hatched; the others with what they have now."""
    page = page_at("?top_k=3&temperature=1.5&draw=7")
    now = shown(top_k=3, temperature=1.5, draw=7)["next"]
    rows = (
        lab(page)
        .locator(".cw-next-token-bars g g")
        .evaluate_all(
            "(all) => all.map((g) => [...g.querySelectorAll('rect')].map((r) => parseFloat(r.getAttribute('width'))))"
        )
    )
    most = max(max(row["share"], row["kept"], row["plain"]) for row in now["rows"])
    for (bar, hatch), row in zip(rows, now["rows"], strict=True):
        share = row["share"] if row["cut"] else row["kept"]
        assert bar == approx(53 * share / most, abs=0.05)
        assert hatch == approx(bar if row["cut"] else 0, abs=0.01)
    assert [bool(hatch) for _, hatch in rows] == [False] * 3 + [True] * 7


def test_an_open_bet_hides_its_answer(page_at):
    """While bets are open no share, no weight and no blue column is drawn; skipped, all are."""
    page = page_at()
    for n, css in {1: "[data-out='next.rows.0.kept']", 2: "rect.best", 4: ".cw-next-token-story", 5: ".anew"}.items():
        beat = page.locator(f"#beat-{n}")
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
        live = beat.locator(".beat-live").locator(css).and_(page.locator(":visible"))
        assert n == 2 or live.count() == 0, n
        beat.get_by_role("button", name="skip the bet").click()
        assert live.count() > 0, n


def test_the_page_is_narrow_and_accessible(page_at):
    """At 390 px nothing scrolls sideways, and axe finds nothing with every bet shown."""
    assert_narrow_and_accessible(page_at, "next-token", "", "?layer=0&draw=5&top_k=5")
