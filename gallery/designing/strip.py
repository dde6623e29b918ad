"""Which layer is what, as letters: read from a model, written as an address has it ("3d1f"), and into its config.

A pattern repeats until it has as many letters as the model has layers, so that "5w1f" is a 5:1 model of any depth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.designing.places import at, places, put, text_path
from cutaway.gallery.designing.table import BY_LETTER, CLASS_WORDS
from cutaway.gallery.drawing.pictures import role_of
from cutaway.gallery.sublayers import parts_of

WINDOW = 4096  # of a class whose config has no window yet
_RUN = re.compile(r"(\d{0,4})([a-z])")
LETTER_OF_ROLE = {"full": "f", "window": "w", "latent": "l", "linear": "d", "ssm": "s", "sparse": "x"}


class Strip(NamedTuple):
    """How a config's layers can be painted: letters that its class takes -> its words, and the letters as they are."""

    words: dict[str, str]
    letters: str
    key: str  # where they are written; "" = they cannot be painted


def letters_of(spec: s.ModelSpec) -> str:
    """A letter for each layer, from what its mixer is drawn as; "-" for a layer without one."""
    return "".join(letter_of(layer.mixer) for layer in spec.layers)


def letter_of(mixer: Any) -> str:
    """The letter of a mixer; of several in one layer, the first one's."""
    part = next(iter(parts_of(mixer)), None)
    if part is None:
        return "-"
    if isinstance(part, s.ShortConv):
        return "v"
    if getattr(part, "attention_chunk_size", 0):
        return "c"
    return LETTER_OF_ROLE.get(role_of(part), "f")


def strip(config: Mapping, spec: s.ModelSpec) -> Strip:
    """What the layers of a config can be painted with: the words it has, and those that its class takes besides."""
    said, letters = places(config).get("layer_types"), letters_of(spec)
    written = said[0].value if said and isinstance(said[0].value, list) else []
    found: dict[str, str] = {}
    for letter, word in zip(letters, written, strict=False):
        if found.setdefault(letter, str(word)) != word:
            return Strip({}, letters, "")  # two words are drawn alike: letters do not tell them apart
    for letter, word in CLASS_WORDS.get(spec.model_type, {}).items():
        if word not in found.values():
            found.setdefault(letter, word)
    painted = len(found) > 1 and set(letters) <= set(found) <= set(BY_LETTER)
    return Strip(found, letters, "layer_types") if painted else Strip({}, letters, "")


def expand(text: str, depth: int) -> str:
    """ "3d1f" -> as many letters as there are layers; "" where the text is no pattern."""
    if not text or not re.fullmatch(f"(?:{_RUN.pattern})+", text):
        return ""
    letters = "".join(letter * int(many or 1) for many, letter in _RUN.findall(text))[: 4 * depth]
    return (letters * -(-depth // len(letters)))[:depth] if letters else ""


def shorten(letters: str) -> str:
    """The shortest pattern that repeats to these letters, as an address has it."""
    whole = len(letters)
    size = next(n for n in range(1, whole + 1) if letters[n:] == letters[: whole - n])
    runs = [(letter, len(list(same))) for letter, same in groupby(letters[:size])]
    return "".join(f"{many}{letter}" for letter, many in runs)


def paint(config: dict, base: Strip, letters: str) -> dict:
    """The config with a word for each layer, and with the window that its class then needs."""
    where = text_path(config)
    made = put(config, (*where, base.key), [base.words[letter] for letter in letters])
    text = at(made, where)
    if "w" in letters and "use_sliding_window" in text:
        made = put(made, (*where, "use_sliding_window"), True)
    if "w" in letters and not text.get("sliding_window"):
        made = put(made, (*where, "sliding_window"), WINDOW)
    return made


def count_words(letters: str) -> str:
    """ "40 linear, 8 full": the most frequent first."""
    counted = Counter(letters).most_common()
    return ", ".join(f"{many} {BY_LETTER[letter].words if letter in BY_LETTER else 'none'}" for letter, many in counted)


class Preset(NamedTuple):
    """A pattern on a button."""

    words: str
    text: str


def presets(base: Strip) -> list[Preset]:
    """Patterns that the class can have: all of one kind, or every n-th layer full."""
    found = [Preset("all full", "1f")] if "f" in base.words else []
    for letter, many in (("w", (1, 3, 5)), ("d", (3, 5, 7)), ("s", (7, 9)), ("v", (2,)), ("c", (3,))):
        if letter in base.words and "f" in base.words:
            word = {"w": "windows", "d": "linear", "s": "Mamba", "v": "convolution", "c": "chunks"}[letter]
            found += [Preset(f"{n}:1 {word}", f"{n}{letter}1f") for n in many]
    return found
