"""The single-token mutations of one JavaScript file between compute and the screen (run by mutate_widgets.py).

A number moved by one, a comparison turned, + for -, && for ||, a boolean flipped, a string in a comparison emptied, the
path or the format of an output swapped, a shape put 9 px elsewhere. Styling stays aside, since it moves by a pixel or a
share of one: a number that is no 0, 1 or 2 and neither index nor compared; any number in the value of x, y, width, ...;
a threshold of 10 px or more; dx, dy, corners, digits after the point; the place of a label.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

from tests.explainers.javascript import tokens

TURN = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "&&": "||", "||": "&&",
        "+": "-", "-": "+", "true": "false", "false": "true"}  # fmt: skip
SIZES = {"<", "<=", ">", ">="}
COMPARED = SIZES | {"===", "!==", "%"}
PLACED = r"\b(?:[xywh]|[xy][12]|c[xy]|width|height): ?"
STYLED = PLACED.replace("[xywh]", "[xywhr]|d[xy]|r[xy]|rate|size") + r"(?!\$)[^,{}]*$"
LABEL = re.compile(r"\"text\"|text:|\b(put|fill)\(|viewBox|textContent")
HOW = re.compile(r"(?:int|kib|count|(?:sig|fixed|num|signed|percent|times|bytes)(?: \w+)*)$")
HOLE = re.compile(r"\{([a-z][\w.]*)(?::([^{}]+))?\}")
PATH = re.compile(r"[a-z_]+(?:\.\w+)+$|\.[a-z_.]+$")


class Mutation(NamedTuple):
    """`old`, at a place of a file, becomes `new`."""

    file: Path
    at: int
    old: str
    new: str

    def source(self) -> str:
        """The file with it."""
        whole = self.file.read_text("utf-8")
        return whole[: self.at] + self.new + whole[self.at + len(self.old) :]

    def __str__(self) -> str:
        whole = self.file.read_text("utf-8")
        line = whole.count("\n", 0, self.at)
        about = whole[max(whole.rfind("\n", 0, self.at) + 1, self.at - 50) : self.at + 40].split("\n")[0].strip()
        return f"{self.file.parent.name}/{self.file.name}:{line + 1}  {self.old!r} -> {self.new!r}   in {about}"


def moved(number: str, line: str, before: list[str], after: str) -> str:
    """A number moved by one, or "" where it is styling; `line` ends where the number begins."""
    around = {before[-1], after}
    if not re.fullmatch(r"\d+(?:\.\d+)?", number) or before[-2].startswith(("to", "setT", "round")):
        return ""
    if around & SIZES and float(number) >= 10:
        return ""
    if not around & COMPARED and (float(number) not in (0, 1, 2) or re.search(STYLED, line)):
        return ""
    return str(float(number) + 1) if "." in number else str(int(number) + 1)


def turned(text: str, before: list[str], kinds: set[str], after: str) -> str:
    """The other sign, or "": + and - between two numbers alone, no < or > at a threshold in pixels."""
    if text not in TURN or before[-1] == "." or after == ":":
        return ""
    if text in SIZES and any(re.fullmatch(r"\d{2,}", one) for one in (before[-1], after)):
        return ""
    binary = before[-1] in (")", "]") or (re.match(r"[\w$]", before[-1]) and before[-1] != "return")
    return "" if text in "+-" and (not binary or kinds & {"string", "text"}) else TURN[text]


def swapped(text: str, paths: list[str], rng: random.Random) -> list[tuple[int, str, str]]:
    """(offset, old, new) for a string that is a format or a path, or has values in braces."""
    found = [(hole.start(1), hole[1], rng.choice(paths)) for hole in HOLE.finditer(text)]
    found += [(hole.start(2), hole[2], "sig 1") for hole in HOLE.finditer(text) if hole[2]]
    bare = text.strip("\"'")
    if HOW.match(bare):
        found.append((1, bare, "fixed 1" if bare == "int" else "int"))
    elif PATH.match(bare):
        found.append((text.index(bare), bare, rng.choice([path for path in paths if path[0] == "." or bare[0] != "."])))
    return [one for one in found if one[1] != one[2]]


def is_place(key: str, line: str, rest: str) -> bool:
    """Whether a key of an object is the place of a shape whose value is a plain number."""
    value = rest.split(",")[0]
    plain = re.match(r"(?!px\()[\w(]", rest) and "toFixed" not in value and "`" not in value
    return bool(re.fullmatch(PLACED, f"{key}:") and plain and not LABEL.search(line + rest))


def mutations(file: Path) -> list[Mutation]:
    """Every mutation of a file."""
    source, rng, made = file.read_text("utf-8"), random.Random(file.name), []
    found = tokens(source)
    strings = [one.text.strip("\"'") for one in found if one.kind in ("string", "text")]
    known = {hole[0] for text in strings for hole in HOLE.findall(text)}
    paths = sorted(known | {text for text in strings if PATH.match(text)})
    for i in range(4, len(found) - 2):
        (kind, at, text), before, after = found[i], [one.text for one in found[i - 4 : i]], found[i + 1]
        line = source[source.rfind("\n", 0, at) + 1 : at]
        rest = source[after.at + 1 : source.find("\n", at)].lstrip()
        if kind == "number":
            new = moved(text, line, before, after.text)
        else:
            new = turned(text, before, {found[i - 1].kind, after.kind}, after.text) if kind in ("sign", "word") else ""
        if new:
            made.append(Mutation(file, at, text, new))
        elif kind == "string" and {"===", "!=="} & {before[-1], after.text} and len(text) > 2:
            made.append(Mutation(file, at, text, '""'))
        elif kind in ("string", "text") and paths:
            made += [Mutation(file, at + offset, old, new) for offset, old, new in swapped(text, paths, rng)]
        elif kind == "word" and after.text == ":" and is_place(text, line, rest):
            made.append(Mutation(file, source.index(rest, after.at), "", "9 + "))
    return made
