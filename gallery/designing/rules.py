"""A form and edits -> what is wrong with them, one sentence each, with the nearest values that would do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import lcm
from typing import Any

from cutaway.gallery.designing.form import Field, Form
from cutaway.gallery.designing.strip import expand
from cutaway.gallery.designing.table import BY_ID, BY_LETTER, MIX
from cutaway.gallery.editing.rules import Problem, broken, say_either
from cutaway.gallery.editing.rules import bounds as say_bounds

MOST_SHOWN = 40  # characters of what was typed
MOST_DIVISORS = 6  # that are listed


def say_unread(told: Form, name: str, value: str, item: str) -> str:
    """Why one edit cannot be read; "" if it can."""
    shown = value[:MOST_SHOWN]
    if ":" not in item:
        return f"Write an edit as heads:64, not “{item[:MOST_SHOWN]}”."
    if name == MIX:
        return say_unpainted(told, value)
    if name in told.stays:
        return f"{BY_ID[name].words} cannot be edited in this class: {told.stays[name]}."
    if name not in told.values:
        words = BY_ID[name].words if name in BY_ID else ""
        known = ", ".join(one.id for one in told.fields)
        return f"This config has no {words.lower()}." if words else f"“{name[:40]}” is no field; these are: {known}."
    if told.get(name).row.flag and value not in ("0", "1"):
        return f"{told.get(name).key} is 0 or 1, not “{shown}”."
    return "" if re.fullmatch(r"[0-9_]{1,15}", value) and value.strip("_") else (
        f"{told.get(name).key} is a whole number, not “{shown}”."
    )  # fmt: skip


def say_unpainted(told: Form, text: str) -> str:
    """Why layers cannot be painted so."""
    cls = told.spec.architecture or told.spec.model_type
    if not told.strip.words:
        return f"{say_one_kind(told)}."
    painted = expand(text, len(told.strip.letters))
    letters, writing = set(painted), told.strip.writing
    if not letters:
        return f"Painted layers are runs of letters such as 3d1f, not “{text[:MOST_SHOWN]}”."
    for letter in sorted(letters - set(told.strip.words)):
        kind = BY_LETTER[letter].words if letter in BY_LETTER else f"“{letter}”"
        return f"{cls} has no {kind} layers."
    if writing and writing.first and painted[0] != writing.first:
        return f"The first layer of {cls} is {BY_LETTER[writing.first].words}: {writing.why}."
    return ""


def say_one_kind(told: Form) -> str:
    """Why layers cannot be painted at all: the class has one kind, or this page does not write them."""
    cls = told.spec.architecture or told.spec.model_type
    if len(set(told.strip.letters)) == 1:
        return f"{cls} has one kind of layer"
    return f"The layers of {cls} cannot be painted here"


def check(told: Form, edits: Mapping[str, Any]) -> list[Problem]:
    """Everything that is wrong: bounds and steps first, then what must hold between fields that were changed."""
    numbers = {name: int(value) for name, value in edits.items() if name != MIX}
    found = [
        Problem(one.id, sentence)
        for one in told.fields
        if one.id in numbers and (sentence := say_alone(one, numbers[one.id]))
    ]
    if found:
        return found
    values = told.values | numbers
    for rule in told.rules:
        if rule.a in numbers or rule.b in numbers:
            found += broken(told, rule, values, numbers)  # type: ignore[arg-type]
    return found or say_odd(told, values, numbers)


def say_odd(told: Form, values: Mapping[str, int], numbers: Mapping[str, int]) -> list[Problem]:
    """Heads whose width follows, where it is odd: RoPE rotates pairs."""
    if not told.even or not {"hidden", "heads"} & set(numbers):
        return []
    hidden, heads = values["hidden"], values["heads"]
    width, quarter = hidden // heads, 4 if told.spec.model_type in ("gpt_neox", "stablelm", "phi", "persimmon") else 1
    if width % (2 * quarter) == 0:
        return []
    field = "hidden" if "hidden" in numbers else "heads"
    return [Problem(field, f"{told.even} is {width:,}: RoPE needs heads of a multiple of {2 * quarter}.")]


def say_alone(one: Field, value: int) -> str:
    """What is wrong with a value by itself."""
    if not one.least <= value <= one.most:
        return say_bounds(one, value)  # type: ignore[arg-type]
    if value % one.step:
        low = value // one.step * one.step
        near = [near for near in (low, low + one.step) if one.least <= near <= one.most]
        return f"{one.key} {value:,} is not a multiple of {one.step}{say_either(near)}."
    return ""


def say_legal(told: Form, one: Field, values: Mapping[str, int]) -> str:
    """The values that a field can have beside the others, in a few words."""
    least, most, many, whole = one.least, one.most, one.step, 0
    for rule in told.rules:
        other = values[rule.b] if isinstance(rule.b, str) else rule.b
        if rule.a == one.id and rule.kind == "multiple":
            many, least = lcm(many, other), max(least, other)
        elif rule.b == one.id and rule.kind == "multiple":
            whole = values[rule.a]
        elif rule.a == one.id:
            most = min(most, other * rule.num // rule.den)
        elif rule.b == one.id:
            least = max(least, -(-values[rule.a] * rule.den // rule.num))
    if whole:
        fit = [n for n in range(many, whole + 1, many) if whole % n == 0 and least <= n <= most]
        if len(fit) <= MOST_DIVISORS:
            return ", ".join(f"{n:,}" for n in fit[:-1]) + (" or " if fit[1:] else "") + f"{fit[-1]:,}"
        return f"divides {whole:,}" + (f", a multiple of {many:,}" if many > 1 else "")
    span = f"{least:,} to {most:,}"
    return f"a multiple of {many:,}, {span}" if many > 1 else span
