"""page.<code>.md held to page.md: other words, and nothing else. A number, a state, a control or a figure that differs
is an error, so that a translation cannot say what the English page does not compute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from cutaway.explainers.folders import Explainer

FRONT = ("title", "question", "terms", "summary", "controls", "models", "sources")  # what of front matter is words
WORDS = ("name", "title", "text", "ask", "says", "label", "note", "unit", "x", "words", "caption", "before")
SLOT = re.compile(r"\{[\w.-]+(?::[^{}]+)?\}")  # {rope.pairs:int}, and {kv: 8} of a phrase
MARKUP = re.compile(r"<math.*?</math>|<code>.*?</code>", re.S)
NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")


def inherited(english: Mapping[str, Any], own: Mapping[str, Any], here: str) -> dict[str, Any]:
    """The front matter of a translation: its words, and what page.md has besides."""
    if strange := sorted(set(own) - set(FRONT)):
        raise ValueError(
            f"{here}: {', '.join(strange)} is no words; leave it to page.md. A page has {', '.join(FRONT)}."
        )
    return {**english, **own}


def held_to(english: Explainer, other: Explainer, here: str) -> None:
    """A ValueError that names the first thing that the translation adds, lacks or changes."""
    if len(english.beats) != len(other.beats):
        raise ValueError(f"{here}: it has {len(other.beats)} beats; page.md has {len(english.beats)}.")
    pairs = [(f"beat {a.n}", a._asdict(), b._asdict()) for a, b in zip(english.beats, other.beats, strict=True)]
    pairs += [("goals", goals(english), goals(other))]
    pairs += [("controls", {"of": english.controls}, {"of": other.controls})]
    pairs += [("models", {"of": english.models}, {"of": other.models})]
    for part, ours, theirs in pairs:
        if shape(ours) != shape(theirs):
            raise ValueError(f"{here}, {part}: {first_difference(shape(ours), shape(theirs))}")
        compared(" ".join(said(ours)), " ".join(said(theirs)), f"{here}, {part}")
    compared(english.html, other.html, f"{here}, below the beats")


def joined(text: str) -> str:
    """Lines of a paragraph in one where no space is between them: at a wide punctuation mark, between wide letters."""
    made = [""]
    for line in text.split("\n"):
        goes_on = made[-1] and line and not re.match(r"[#:\-|]|bet:|\s", line) and not re.match(r"[#:]", made[-1])
        if goes_on and no_space(made[-1][-1], line[0]):
            made[-1] += line
        else:
            made.append(line)
    return "\n".join(made[1:])


def no_space(before: str, after: str) -> bool:
    """Whether a line that ends with one character and goes on with another has no space there."""
    wide = [east_asian_width(one) in "WF" for one in (before, after)]
    marks = [one and category(char)[0] == "P" for one, char in zip(wide, (before, after), strict=True)]
    return all(wide) or any(marks)


def goals(one: Explainer) -> dict[str, Any]:
    return {goal.test: goal._asdict() for goal in one.goals}


def is_words(key: str, value: Any) -> bool:
    """Whether a translation says it in its own words; a caption of one word is the name of a function."""
    return key in WORDS and isinstance(value, str) and not (key == "caption" and re.fullmatch(r"\w+", value))


def shape(value: Any, key: str = "") -> Any:
    """What is left of a row without its words: a text that is one of several counts as one."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {k: shape(v, k) for k, v in value.items() if not is_words(k, v)}
    if isinstance(value, list | tuple):
        return [shape(one, key) for one in value]
    return "…" if key == "options" and isinstance(value, str) else value


def said(value: Any, key: str = "") -> Iterator[str]:
    """All words of a row."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        for k, v in value.items():
            yield from said(v, k)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from said(one, key)
    elif is_words(key, value) or (key == "options" and isinstance(value, str)):
        yield value


def first_difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """What differs between two shapes, in a sentence."""
    for key in (*ours, *theirs):
        if ours.get(key) != theirs.get(key):
            return f"{key} is {theirs.get(key)!r}; page.md has {ours.get(key)!r}."
    return ""


def compared(ours: str, theirs: str, place: str) -> None:
    """Values, phrases, formulas, code and figures: each as often in one as in the other."""
    for what, find in (("value or phrase", slots), ("formula or code", MARKUP.findall), ("number", numbers)):
        a, b = Counter(find(ours)), Counter(find(theirs))
        if lacking := [*(a - b)]:
            raise ValueError(f"{place}: the {what} {lacking[0]} of page.md is not there.")
        if added := [*(b - a)]:
            raise ValueError(f"{place}: page.md has no {what} {added[0]}, or not so often.")


def slots(text: str) -> list[str]:
    return SLOT.findall(MARKUP.sub(" ", text))


def numbers(text: str) -> list[str]:
    """The figures in a text: those of names (E4M3, Llama 3.1), too; not those in tags."""
    bare = re.sub(r"<[^>]+>", " ", SLOT.sub(" ", MARKUP.sub(" ", text)))
    return NUMBER.findall(bare)
