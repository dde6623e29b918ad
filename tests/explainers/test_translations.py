"""A translated explainer: other words, the same numbers; what it adds, lacks or changes is an error that names it."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from cutaway import explainers
from cutaway.explainers import first, languages
from cutaway.explainers.translation import compared, held_to, inherited, joined

TRANSLATED = [
    (name, one.code)
    for one in languages.LANGUAGES
    for name in explainers.names()
    if explainers.translated(name, one.code)
]
BOUND = re.compile(r'data-out="([^"]*)"(?: data-format="([^"]*)")?[^>]*>([^<]*)<')


def test_two_explainers_are_in_chinese():
    """The pages that the tests below go over: were there none, none of them could fail."""
    assert {("heads", "zh"), ("position", "zh")} <= set(TRANSLATED)


@pytest.mark.parametrize(("name", "code"), TRANSLATED)
def test_a_translation_prints_the_numbers_of_the_english_page(name, code, verified):
    """Every bound number of beats, goals and lab, as first drawn, is printed as often and alike in both languages."""
    english, other = (bound(first.pieces(name, one)) for one in ("", code))
    wrong = (english - other) + (other - english)
    assert not wrong and english.total() > 20
    verified(f"numbers of /{code}/learn/{name}/", english.total(), wrong.total(), "the English page")


def bound(pieces: dict) -> Counter[tuple[str, str, str]]:
    """(path, format, figures) of what prints a number; units and other words are another matter."""
    found = BOUND.findall(json.dumps(pieces["beats"], ensure_ascii=False).replace('\\"', '"'))
    figures = [(path, how, " ".join(re.findall(r"[\d.,]+", text))) for path, how, text in found]
    return Counter(row for row in figures if row[1] not in ("", "text") and row[2])


@pytest.mark.parametrize(("name", "code"), TRANSLATED)
def test_a_translated_page_says_nothing_in_english_but_names(name, code):
    """Titles, questions, words and captions of every beat are in the other language."""
    one = explainers.load(name, code)
    words = [
        one.title,
        one.question,
        one.summary,
        *(beat.title for beat in one.beats),
        *(beat.text for beat in one.beats),
    ]
    assert [text for text in words if not re.search(r"[\u4e00-\u9fff]", text)] == []


PAGE = explainers.load("heads")
BEAT = PAGE.beats[0]


def changed(**rows) -> explainers.Explainer:
    """The page with another first beat."""
    return PAGE._replace(beats=(BEAT._replace(**rows), *PAGE.beats[1:]))


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("it has 4 beats; page.md has 5", PAGE._replace(beats=PAGE.beats[1:])),
        ("beat 1: state is {'kv': 8}", changed(state={"kv": 8})),
        ("beat 1: figure is 'fan'", changed(figure="fan")),
        ("the value or phrase {pairs:int} of page.md is not there", changed(caption="**cells**")),
        ("page.md has no value or phrase {kv:int}", changed(text=BEAT.text + " {kv:int}")),
        ("page.md has no number 65", changed(text=BEAT.text + " 65")),
        ("goals: fits_20_gb is None", PAGE._replace(goals=PAGE.goals[1:])),
        ("below the beats: the formula or code <math", PAGE._replace(html=PAGE.html.replace("<math", "<m", 1))),
    ],
)
def test_what_a_translation_changes_is_named(said, other):
    """A beat, a state, a figure, a value, a number, a goal or a formula that is not the English page's."""
    with pytest.raises(ValueError, match=re.escape(said)):
        held_to(PAGE, other, "page.zh.md")


def test_a_translation_may_reorder_values_and_leaves_to_page_md_what_is_no_words():
    """Word order differs between languages; front matter of a translation holds words alone."""
    compared("{a} of {b:int}, 3 times", "3 × {b:int}: {a}", "here")
    assert inherited({"title": "Heads", "order": 10}, {"title": "头"}, "here") == {"title": "头", "order": 10}
    with pytest.raises(ValueError, match=r"page\.zh\.md: order is no words"):
        inherited({"order": 10}, {"order": 20}, "page.zh.md")


def test_lines_of_chinese_are_joined_without_a_space():
    """A line's end is a space between Latin words alone; headings, lists and empty lines stay."""
    assert joined("缓存就大\n一点：\n[一篇]{a: 1}\n\n## 问题？\n答案 token\nis a\n词") == (
        "缓存就大一点：[一篇]{a: 1}\n\n## 问题？\n答案 token\nis a\n词"
    )
