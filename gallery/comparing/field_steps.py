"""Kinds of layers that two models both have -> one step for each field in which they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.fields import Field, get_field, rows_for
from cutaway.gallery.comparing.kinds import label, layers_of
from cutaway.gallery.comparing.state import HALVES, State
from cutaway.gallery.comparing.text import cell
from cutaway.gallery.joined import join_words


class Step(NamedTuple):
    """One change."""

    part: str
    what: str
    key: str
    texts: tuple[str, str]  # of a and of b; "" = has none
    apply: Callable[[], None]
    row: Field | None = None
    counts: bool = True
    disc: bool = True
    place: str = ""
    values: tuple[Any, Any] = (None, None)
    where: str = ""  # "its full layers", where others of the same half do not differ so


class Found(NamedTuple):
    """A row in which two matched kinds differ."""

    row: Field
    half: str
    at: int  # which part of a combined half; -1 = it is one
    kind: Any
    values: tuple[Any, Any]
    texts: tuple[str, str]
    order: int

    def move(self, now: Any, goal: Any) -> Any:
        """A half with these fields as the other has them."""
        return move_fields(now, goal, self.at, self.row.names)


def halves_of(half: Any) -> list[tuple[int, Any]]:
    """The parts of a half with their places."""
    if isinstance(half, s.Combined):
        return list(enumerate(half.parts))
    return [] if half is None else [(-1, half)]


def differing_fields(state: State) -> list[Found]:
    """Every row in which matched kinds differ."""
    out = []
    for half in HALVES:
        for kind, other in state.pairs[half].items():
            if kind == other:
                continue
            for (at, one), (_, two) in zip(halves_of(kind), halves_of(other), strict=True):
                for order, row in enumerate(rows_for(one.__class__, half)):
                    values = tuple(tuple(field_value(part, name) for name in row.names) for part in (one, two))
                    if values[0] != values[1] and is_complete(row, one, two):
                        texts = (cell.say_field(row, one), cell.say_field(row, two))
                        out.append(Found(row, half, at, kind, values, texts, order))  # type: ignore[arg-type]
    return out


def field_value(record: Any, name: str) -> Any:
    """A field's value; of an indexer, whether there is one."""
    value = get_field(record, name)
    return value is not None if name == "indexer" else value


def is_complete(row: Field, one: Any, two: Any) -> bool:
    """Fields of an indexer or a rotation say something only where both have one."""
    head = row.names[0].split(".")[0]
    return "." not in row.names[0] or (getattr(one, head) is not None and getattr(two, head) is not None)


def field_steps(state: State, part: str, found: list[Found]) -> Iterator[Step]:
    """One step per row and pair of values, whatever kinds it is about."""
    rows = sorted((one for one in found if one.row.part == part), key=lambda one: (HALVES.index(one.half), one.order))
    groups: dict[tuple, list[Found]] = {}
    for one in rows:
        groups.setdefault((one.half, one.row.what, one.texts), []).append(one)
    names: Counter[tuple[str, str]] = Counter((half, what) for half, what, _ in groups)
    for (half, what, texts), members in groups.items():
        row, kinds = members[0].row, [one.kind for one in members]
        some = names[half, what] > 1 or any(kind not in kinds for kind in kinds_with_row(state, half, what))
        says = f"{what}, {join_words(list(dict.fromkeys(map(label, kinds))))}" if some else what
        where = layers_of(kinds, list(state.pairs[half])) if some else ""
        yield Step(
            part, says, row.key, texts, set_fields(state, members), row, row.counts, row.disc and texts[0] != texts[1],
            half, members[0].values, where,
        )  # fmt: skip


def kinds_with_row(state: State, half: str, what: str) -> Iterator[Any]:
    """Kinds of a, each with one of b's that answers to it, that say something in a row."""
    for kind in state.pairs[half]:
        for _, part in halves_of(kind):
            if any(row.what == what and cell.say_field(row, part) for row in rows_for(part.__class__, half)):
                yield kind


def set_fields(state: State, members: list[Found]) -> Callable[[], None]:
    """Sets the fields of a row in all layers of its kinds."""

    def apply() -> None:
        for one in members:
            state.on_kind(one.half, one.kind, one.move)

    return apply


def move_fields(now: Any, goal: Any, at: int, names: tuple[str, ...]) -> Any:
    """A half with some fields as the other has them."""
    if at >= 0:
        parts = list(now.parts)
        parts[at] = move_fields(parts[at], goal.parts[at], -1, names)
        return replace(now, parts=tuple(parts))
    change: dict[str, Any] = {}
    for name in names:
        head, _, inner = name.partition(".")
        if inner and head == "indexer":
            change[head] = replace(change.get(head, now.indexer), **{inner: getattr(goal.indexer, inner)})
        else:
            change[head] = getattr(goal, head)
    if "q_lora_rank" in change and getattr(now, "indexer", None) and getattr(goal, "indexer", None):
        change["indexer"] = replace(now.indexer, q_rank=goal.indexer.q_rank)
    return replace(now, **change)
