"""What stands before any script where the page's own modules draw it: held to its words, its constants and itself."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape

import pytest

from cutaway import explainers
from cutaway.explainers import beats_html, bundles, first
from tests.explainers.expected import Expected, looks, printed

DRAWN = list(explainers.names())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the pieces to change, read anew."""
    (tmp_path / "first").mkdir()
    for name in DRAWN:
        (tmp_path / "first" / f"{name}.json").write_text(bundles.text(f"first/{name}.json"), "utf-8")
    monkeypatch.setattr(bundles, "FOLDER", tmp_path)
    monkeypatch.setattr(bundles, "manifest", dict)
    for kept in (bundles.text, first.pieces):
        kept.cache_clear()
    yield tmp_path
    for kept in (bundles.text, first.pieces):
        kept.cache_clear()


def test_pieces_drawn_from_other_words_are_refused(folder, monkeypatch):
    """A word, a constant or a state that has changed since is one sentence that says what to run."""
    name = DRAWN[0]
    assert first.pieces(name)["beats"]
    first.pieces.cache_clear()
    one = explainers.load(name)
    other = one._replace(goals=(one.goals[0]._replace(words="Other words."), *one.goals[1:]))
    monkeypatch.setattr(explainers, "load", lambda *_: other)
    with pytest.raises(bundles.BundleError, match=rf"^The first pictures of {name} are older .* `make serve` does"):
        first.pieces(name)


def test_pieces_that_are_not_there_are_refused(folder):
    """So is a folder that has none."""
    (folder / "first" / f"{DRAWN[0]}.json").unlink()
    with pytest.raises(bundles.BundleError, match="There is no bundle first/"):
        first.pieces(DRAWN[0])


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_that_needs_a_script_stands_without_one(name):
    """No control, no focus but on wide tables, which scroll; nothing hidden; every id of its pieces is there once."""
    html = "".join(beats_html.sections(name)) + explainers.first_picture(name)
    pieces = json.dumps(first.pieces(name))
    assert re.findall(r"<(?:button|input|select|textarea)\b|<[^<>]* hidden[ >]", html) == []
    focused = [tag for tag in re.findall(r"<[^<>]* tabindex=[^<>]*>", html) if 'class="cw-scroll"' not in tag]
    assert focused == []
    scrolled = re.findall(r'<[^<>]* class="cw-scroll"[^<>]*>', html)
    assert [
        tag
        for tag in scrolled
        if not re.search(r'(?=.* tabindex="0")(?=.* role="region")(?=.* aria-label="[^"]+")', tag)
    ] == []
    steady = [re.findall(r"<span(?: [^>]*)?>", one) for one in re.findall(r'class="cw-steady[^>]*>(.*?)</p>', html)]
    assert [spans for spans in steady if len(spans) != 1] == []  # one sentence of several is to be seen
    assert re.findall(r"undefined|\[object ", pieces) == []
    nan = r' (?:d|r|viewBox|points|transform|[cr]?[xy][12]?|width|height)="[^"]*NaN' if name == "bits" else "NaN"
    assert re.findall(nan, re.sub(r">NaN<", "><", html)) == []  # on the page about formats it is a word
    twice = [one for one, n in Counter(re.findall(r'\bid="([^"]+)"', html)).items() if n > 1]
    assert twice == []


# A value that says which it is: its tag, with its path, format and the state it was filled from, and its words.
BOUND = re.compile(
    r'<(?=[^<>]* data-out="([^"]+)")(?=[^<>]* data-format="([^"]+)")(?![^<>]* data-with)([^<>]*)>([^<]*)<'
)


@pytest.mark.parametrize("name", DRAWN)
def test_every_number_that_stands_before_a_script_is_the_references(name):
    """In each beat's words, its figure as it opens and answered, its captions, its bet, and in the lab."""
    one, checked, wrong = explainers.load(name), 0, []
    start = Expected(name, {})
    pieces = [
        (start, start, "".join(first.lab(name)[1:]) + json.dumps([goal["words"] for goal in beats_html.goals(one)]))
    ]
    for beat in one.beats:
        opens, shown = looks(one, beat)
        made = first.beat(name, beat.n)
        pieces += [(opens, shown, made[key]) for key in ("words", "first", "before", "ask") if key in made]
        pieces += [(shown, shown, made[key]) for key in ("last", "caption", "says", "answer") if key in made]
    for here, shown, html in pieces:
        for path, how, tag, words in BOUND.findall(html):
            look, checked = shown if 'data-at="bet"' in tag else here, checked + 1
            unit = found[1] if (found := re.search(r'data-unit="([^"]+)"', tag)) else ""
            wanted = f"{printed(look(path), how)} {unit}".strip()
            wrong += [(path, words, wanted)] if unescape(words).strip() != wanted else []
    assert wrong == []
    assert checked > 10 * len(one.beats)
