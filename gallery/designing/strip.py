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
from cutaway.gallery.designing.writings import Writing, path, write_layers, writing_of
from cutaway.gallery.drawing.pictures import role_of
from cutaway.gallery.sublayers import parts_of

WINDOW = 4096  # of a class whose config has no window yet
_RUN = re.compile(r"(\d{0,4})([a-z])")
LETTER_OF_ROLE = {"full": "f", "window": "w", "latent": "l", "linear": "d", "ssm": "s", "sparse": "x"}


class Strip(NamedTuple):
    """How a config's layers can be painted: letters that its class takes -> what stands for them, and the letters."""

    words: dict[str, Any]
    letters: str
    writing: Writing | None  # where they are written; None = they cannot be painted


def letters_of(spec: s.ModelSpec) -> str:
    """A letter for each layer, from what its mixer is drawn as."""
    return "".join(letter_of(layer) for layer in spec.layers)


def letter_of(layer: s.Layer) -> str:
    """The letter of a layer's mixer, of several the first one's; without one, of its MLP; "-" for an empty layer."""
    part = next(iter(parts_of(layer.mixer)), None)
    if part is None:
        half = next(iter(parts_of(layer.mlp)), None)
        return "-" if half is None else "e" if isinstance(half, s.MoE) else "m"
    if isinstance(part, s.ShortConv):
        return "v"
    if getattr(part, "attention_chunk_size", 0):
        return "c"
    return LETTER_OF_ROLE.get(role_of(part), "f")


def strip(config: Mapping, spec: s.ModelSpec) -> Strip:
    """What the layers of a config can be painted with: the words it has, and those that its class takes besides."""
    letters, text = letters_of(spec), at(config, text_path(config))
    writing = writing_of(spec.model_type, text) or Writing("layer_types", CLASS_WORDS.get(spec.model_type, {}))
    found = written_words(config, writing, letters)
    for letter, word in writing.words.items():
        if word not in found.values() and not (letter == "e" and "n_routed_experts" not in text):
            found.setdefault(letter, word)
    painted = len(found) > 1 and set(letters) <= set(found) <= set(BY_LETTER)
    return Strip(found, letters, writing) if painted else Strip({}, letters, None)


def written_words(config: Mapping, writing: Writing, letters: str) -> dict[str, Any]:
    """Letter -> the word that a list of words has for it; of another list nothing."""
    said = places(config).get("layer_types") if writing.key == "layer_types" else None
    written = said[0].value if said else at(config, (*text_path(config), *path(writing.key)))
    found: dict[str, str] = {}
    for letter, word in zip(letters, written if isinstance(written, list) else (), strict=False):
        if isinstance(word, str) and found.setdefault(letter, word) != word:
            return {"-": word}  # two words are drawn alike: letters do not tell them apart
    return found


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
    """The config with its layers written as these letters, and with the window that its class then needs."""
    where = text_path(config)
    text = at(config, where)
    if base.writing:
        text = write_layers(text, base.writing._replace(words=base.words), letters)
    if "w" in letters and "use_sliding_window" in text:
        text = text | {"use_sliding_window": True}
    if "w" in letters and "w" not in base.letters and not text.get("sliding_window"):
        text = text | {"sliding_window": WINDOW}
    return put(config, where, text) if where else text


def count_words(letters: str) -> str:
    """ "40 linear, 8 full": the most frequent first."""
    counted = Counter(letters).most_common()
    return ", ".join(f"{many} {BY_LETTER[letter].words if letter in BY_LETTER else 'none'}" for letter, many in counted)


RATIOS = {
    "w": ("windows", (1, 3, 5)),
    "d": ("linear", (3, 5, 7)),
    "s": ("Mamba", (7, 9)),
    "v": ("convolution", (2,)),
    "c": ("chunks", (3,)),
}  # letter -> what a button calls it, and how many stand for one full layer


class Preset(NamedTuple):
    """A pattern on a button."""

    words: str
    text: str


def presets(base: Strip) -> list[Preset]:
    """Patterns that the class can have: all of one kind, or every n-th layer full."""
    half = next((letter for letter in "em" if letter in base.words), "")
    if half:  # a layer is a mixer or an MLP
        some = f"{f'1s1{half}' * 3}1f1{half}"
        return [Preset("no attention", f"1s1{half}"), Preset("3:1 Mamba", some), Preset("all attention", f"1f1{half}")]
    if base.writing and base.writing.first:
        return [Preset("all sparse", "1x"), *(Preset(f"indexer in 1 of {n + 1}", f"1x{n}l") for n in (1, 3, 7))]
    full = next((letter for letter in "flxw" if letter in base.words), "")
    found = [Preset(f"all {BY_LETTER[full].words}", f"1{full}")] if full else []
    for letter, (word, many) in RATIOS.items():
        if letter in base.words and letter != full:
            found += [Preset(f"{n}:1 {word}", f"{n}{letter}1{full}") for n in many]
    return found
