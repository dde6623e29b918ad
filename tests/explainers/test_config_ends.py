"""What lies beyond a model's config is marked; percentages differ by points; a flat minimum is a range."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from cutaway.explainers import beats_html, beats_states
from cutaway.gallery import catalog
from tests import bundled
from tests.explainers.beats_page import SET_LAB, TOLD, settings
from tests.explainers.expected import looks

WITH_CONTEXT = {
    "heads": "context", "mla-numbers": "context", "masks": "context", "roofline": "context", "flash": "tokens",
    "long-context": "tokens", "sparse": "tokens", "tensor-parallel": "sequence", "context-parallel": "sequence",
}  # fmt: skip
MARK = 'Its context length is <span data-out="config_ends" data-format="int">{:,}</span> tokens.'
ENDS = "([states, data]) => states.map((state) => loaded.kit.configEnds(state, data))"


def ends_of(slug: str) -> int:
    """Where a model's config ends; 0 where it does not say."""
    return catalog.spec(slug).max_position_embeddings or 0 if slug in catalog.BY_SLUG else 0


@pytest.mark.parametrize("name", TOLD)
def test_every_page_with_models_and_a_context_knows_where_configs_end(name):
    """A key of the state that is a context is named; every model's end is its config's. A pipeline's are short."""
    state, data = explainers.reference(name).STATE, explainers.data(name)
    keys = {"model", *state} & {"context", "tokens", "sequence"} if "model" in state else set()
    if name == "pipeline":
        shortest = min(ends_of(slug) for slug in explainers.reference(name).real.MODELS)
        assert max(explainers.reference(name).real.TOKENS) <= shortest
        keys = set()
    assert ([*keys] or [""]) == [WITH_CONTEXT.get(name, "")]
    if keys:
        assert data["config_ends"]["key"] == next(iter(keys))
        slugs = explainers.slugs_of(data)
        assert len(slugs) > 5
        assert [explainers.config_end(slug, data) for slug in slugs] == [ends_of(slug) for slug in slugs]


@pytest.mark.parametrize("name", sorted(set(WITH_CONTEXT) & set(TOLD)))
def test_a_caption_says_where_the_config_ends_if_the_beat_goes_beyond(name, blank):
    """In the state of each answer and in every state that a control or a phrase sets."""
    one, data = explainers.load(name), explainers.data(name)
    page = blank(bundled.kit())
    for beat in one.beats:
        opens, shown = looks(one, beat)
        found = re.findall(r'<p class="beat-caption"[^>]*>(.*?)</p>', beats_html.section(one, beat), re.S)
        most = ends_of(shown.state["model"])
        beyond = bool(most) and shown.state[WITH_CONTEXT[name]] > most
        assert beyond == (bool(beat.caption) and MARK.format(most) in "".join(found)), beat.name
        states = [beats_states.whole_state(name, {**opens.state, **change}) for change in settings(one, beat)]
        wanted = [
            most if (most := ends_of(state["model"])) and state[WITH_CONTEXT[name]] > most else 0 for state in states
        ]
        assert page.evaluate(ENDS, [states, data]) == wanted, beat.name


def test_the_lab_marks_gemma_2_beyond_its_8192_tokens(live):
    """Below the controls, and in the row of each stack that goes no further; without a mark where it fits."""
    page = live("masks")
    note = page.locator("[data-widget] .cw-masks > .cw-note")
    page.evaluate(SET_LAB, {"model": "google/gemma-2-2b", "layer": 0, "context": 131_072})
    assert "Its context length is 8,192 tokens." in note.all_text_contents()
    rows = page.locator(".cw-masks-table tbody tr")
    marked = {row.locator("button").text_content() for row in rows.all() if "its context length is" in row.inner_text()}
    assert marked == {"Gemma 2 2B", "Mistral 7B v0.1"}
    page.evaluate(SET_LAB, {"context": 8_192})
    assert not any("Its context length is" in text for text in note.all_text_contents())
    assert not any("its context length is" in row.inner_text() for row in rows.all())


HOW_FAR = "([bet, guess, answer]) => loaded.kit.howFar(bet, guess, answer)?.text"


def test_percentages_differ_by_points(blank):
    """29 % and 1.1 % differ by 27.9 points, not by 27.9 %; so do both ends of a bar; other units stay."""
    page = blank(bundled.kit())
    far = lambda how, guess, answer: page.evaluate(HOW_FAR, [{"format": how, "ratio": False}, guess, answer])  # noqa: E731
    assert far("percent 1", 0.29, 0.011) == "27.9 points less"
    assert far("percent 0", 0.05, 0.06) == "1 point more"
    assert far("percent 1", [0.2, 0.3], [0.1, 0.5]) == "which begins 10 points lower and ends 20 points higher"
    assert far("fixed 2", 1, 3) == "2 more"


def test_any_alpha_on_the_flat_minimum_is_as_good(blank):
    """Of every hundredth, a guess is as good exactly where adding is at most a point worse than at its best."""
    one = explainers.load("delta-rule")
    beat = next(beat for beat in one.beats if beat.bet and beat.bet.within)
    row, off = beats_html.bet_row(one, beat), explainers.data("delta-rule")["means"]["last_four"]["decay"]
    page = blank(bundled.kit())
    told = [page.evaluate(HOW_FAR, [row, i / 100, 0.74]) for i in range(101)]
    good = [i for i, text in enumerate(told) if text == "and yours is as good" or i == 74]
    assert good == [i for i in range(101) if round(off[i] - min(off), 6) <= 0.01]
    assert (good[0], good[-1], row["within"]) == (68, 79, [0.68, 0.79])
