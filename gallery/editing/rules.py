"""A form and values -> what is wrong with them, in sentences that name the nearest values that would do.

app/model_page/what-if-rules.js says the same of the same values, word by word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cutaway.gallery.editing.form import Field, Form, Rule
from cutaway.gallery.spec import ConfigError


class EditError(ConfigError):
    """An edit that cannot be: `field` is where the sentence belongs, "" for none."""

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field


class Problem(NamedTuple):
    """One sentence, and the field it belongs to."""

    field: str
    sentence: str


def problems(form: Form, changes: Mapping[str, int]) -> list[Problem]:
    """Everything that is wrong: bounds first, then what must hold between fields that were changed."""
    found = [
        Problem(one.id, bounds(one, changes[one.id]))
        for one in form.fields
        if one.id in changes and not one.least <= changes[one.id] <= one.most
    ]
    if found:
        return found
    values = {**form.values, **changes}
    for rule in form.rules:
        if rule.a in changes or rule.b in changes:
            found += broken(form, rule, values, changes)
    return found


def bounds(one: Field, value: int) -> str:
    return f"{one.name} is a whole number from {one.least:,} to {one.most:,}, not {value:,}."


def broken(form: Form, rule: Rule, values: Mapping[str, int], changes: Mapping[str, int]) -> list[Problem]:
    """What a rule says of these values: at its first field where that was changed, else at its second."""
    a, other = form.get(rule.a), form.get(rule.b) if isinstance(rule.b, str) else None
    x, y = values[rule.a], values[rule.b] if isinstance(rule.b, str) else rule.b
    called = other.name if other else rule.called
    if rule.kind == "multiple" and x % y:
        if rule.a in changes or other is None:
            near = say_either(multiples(x, y, a), other.key if other else "")
            return [Problem(a.id, f"{a.name} {x:,} is not a multiple of {called} {y:,}{near}.")]
        near = say_either(divisors(x, y, other))
        return [Problem(other.id, f"{called} {y:,} does not divide {a.name} {x:,}{near}.")]
    if rule.kind == "most" and x * rule.den > y * rule.num:
        if rule.a in changes or other is None:
            most = y * rule.num // rule.den
            return [Problem(a.id, f"{a.name} {x:,} is too many for {called} {y:,}: at most {most:,}.")]
        few = -(-x * rule.den // rule.num)
        return [Problem(other.id, f"{called} {y:,} is too few for {a.name} {x:,}: at least {few:,}.")]
    return []


def multiples(x: int, y: int, one: Field) -> list[int]:
    """The nearest multiples of y on both sides of x that the field can have."""
    low = x // y * y
    return [near for near in (low, low + y) if one.least <= near <= one.most]


def divisors(x: int, y: int, one: Field) -> list[int]:
    """The nearest divisors of x on both sides of y that the field can have."""
    below = next((near for near in range(y, 0, -1) if x % near == 0), 0)
    above = next((near for near in range(y, x + 1) if x % near == 0), 0)
    return [near for near in (below, above) if one.least <= near <= one.most]


def say_either(near: list[int], also: str = "") -> str:
    """What would do: values of this field, or another value of that one."""
    ways = [f"{one:,}" for one in near] + ([f"another {also}"] if also else [])
    return f": {' or '.join(ways)} would do" if ways else ""
