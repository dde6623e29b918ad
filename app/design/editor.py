"""A design -> what its editor shows: fields in groups with legal values, the strip of layers, brushes and presets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.gallery.designing.design import Design
from cutaway.gallery.designing.form import Field
from cutaway.gallery.designing.outlines import Change
from cutaway.gallery.designing.rules import check, say_legal, say_one_kind
from cutaway.gallery.designing.strip import count_words, expand, letters_of, presets
from cutaway.gallery.designing.table import BRUSHES, BY_ID, BY_LETTER, GROUPS, LAYERS, MIX, OFFERED

TRIED = 64  # values that a press of − or + looks at


class Row(NamedTuple):
    """One field as the editor shows it."""

    id: str
    key: str
    words: str
    value: str  # what stands in its box: what was typed, also where that cannot be
    was: str  # "" where it is as it was
    number: int  # of its disc; 0 = unchanged
    legal: str
    wrong: str
    flag: bool
    on: bool
    less: str  # the nearest legal value below; "" where there is none
    more: str


class Cell(NamedTuple):
    """One layer of the strip."""

    layer: int
    letter: str
    role: str
    words: str
    painted: bool  # of another kind than before


class Press(NamedTuple):
    """A brush or a preset: a button."""

    words: str
    value: str
    role: str = ""
    on: bool = False
    able: bool = True
    why: str = ""


class Editor(NamedTuple):
    """All that the template of the editor asks for."""

    groups: list[tuple[str, list[Row]]]
    cells: list[Cell]
    before: list[Cell]
    now: str
    was: str
    brushes: list[Press]
    presets: list[Press]
    lacking: list[tuple[str, str]]  # kinds that the class has not: words, facet of /models/
    cls: str
    unpainted: str  # why layers cannot be painted; "" where they can
    stays: list[tuple[str, str, str]]  # fields that cannot be edited: words, group, why
    wrong: list[str]  # sentences of no field
    number: int  # of the strip's disc


def numbered(made: Design) -> list[Change]:
    """The changes of a design, the painted layers first."""
    ids = [MIX] * (MIX in made.edits) + [one.id for one in made.form.fields if one.id in made.edits]
    return [Change(n, id, say_change(n, made, id)) for n, id in enumerate(ids, 1)]


def say_change(number: int, made: Design, id: str) -> str:
    """The label of a disc for a screen reader."""
    if id == MIX:
        return f"Change {number}, layers painted."
    one = made.form.get(id)
    return f"Change {number}, {one.key} {one.value:,} → {made.values[id]:,}."


def painted(made: Design) -> tuple[int, ...]:
    """The layers whose mixer is of another kind than the layer that stood there."""
    now, was = letters_of(made.spec), made.form.strip.letters
    return tuple(index for index, letter in enumerate(now) if MIX in made.edits and letter != was[index % len(was)])


def editor(made: Design, typed: dict[str, str]) -> Editor:
    """What the editor shows; `typed`: what stands in boxes, by field."""
    numbers = {one.id: one.number for one in numbered(made)}
    wrong = {one.field: one.sentence for one in reversed(made.problems)}
    rows = {one.id: row(made, one, typed, numbers, wrong) for one in made.form.fields}
    groups = [(name, [rows[one.id] for one in made.form.fields if one.row.group == name]) for name in GROUPS]
    now, was, words = letters_of(made.spec), made.form.strip.letters, made.form.strip.words
    changed = set(painted(made))
    has = {*words, *now, *was}
    lacking = [(BY_LETTER[letter].words, BY_LETTER[letter].facet) for letter in OFFERED if letter not in has]
    return Editor(
        [(name, found) for name, found in groups if found or name == "Layers"],
        cells(now, changed), cells(was, set()) if MIX in made.edits or LAYERS in made.edits else [],
        count_words(now), count_words(was), list(brushes(words, set(now))), list(patterns(made, now)), lacking,
        made.spec.architecture or made.spec.model_type, "" if words else say_one_kind(made.form),
        [(BY_ID[id].words, BY_ID[id].group, why) for id, why in made.form.stays.items()],
        [sentence for field, sentence in wrong.items() if field not in rows], numbers.get(MIX, 0),
    )  # fmt: skip


def row(made: Design, one: Field, typed: dict[str, str], numbers: dict[str, int], wrong: dict[str, str]) -> Row:
    """One field."""
    now, bad = made.values[one.id], one.id in wrong
    value = typed.get(one.id, str(now)) if bad else str(now)
    was = "" if now == one.value and not bad else ("yes" if one.value else "no") if one.row.flag else f"{one.value:,}"
    less, more = (press(made, one, up) for up in (False, True))
    legal = "" if one.row.flag else say_legal(made.form, one, made.values)
    return Row(one.id, one.key, one.row.words, value, was, numbers.get(one.id, 0), legal, wrong.get(one.id, ""),
               one.row.flag, bool(now), less, more)  # fmt: skip


def press(made: Design, one: Field, up: bool) -> str:
    """The value that − or + leads to: the next by the field's own step that the form takes; "" where there is none."""
    now, by = made.values[one.id], one.row.press
    value = now
    for _ in range(TRIED):
        step = max(by, one.step)
        value = (value * -by if up else value // -by) if by < 0 else value + (step if up else -step)
        if not one.least <= value <= one.most or value == now:
            return ""
        if not check(made.form, {**made.edits, one.id: value}):
            return str(value)
    return ""


def cells(letters: str, changed: set[int]) -> list[Cell]:
    """The cells of a strip, from layer 0."""
    found = []
    for index, letter in enumerate(letters):
        brush = BY_LETTER.get(letter)
        role, words = (brush.role, brush.words) if brush else ("none", "no mixer")
        found.append(Cell(index, letter, role, words, index in changed))
    return found


def brushes(words: dict[str, str], now: set[str]) -> Iterator[Press]:
    """The kinds of layers: those that can be painted, then those that layers have besides, or that are lacking."""
    own = [one for one in BRUSHES if one.letter in words]
    for place, one in enumerate(own):
        yield Press(one.words, one.letter, one.role, place == 0)
    for one in BRUSHES:
        if one.letter not in words and (one.letter in now or one.letter in OFFERED):
            yield Press(one.words, one.letter, one.role, able=False, why="" if one.letter in now else "lacking")


def patterns(made: Design, now: str) -> Iterator[Press]:
    """The presets, without those that give this model the same layers."""
    for one in presets(made.form.strip):
        yield Press(one.words, one.text, on=expand(one.text, len(now)) == now)
