"""A config and edits as an address has them -> the design: its config, its spec, and a sentence for what cannot be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutaway.gallery.designing.depth import restack
from cutaway.gallery.designing.form import Field, Form, form
from cutaway.gallery.designing.places import put, text_path
from cutaway.gallery.designing.rules import check, say_unread
from cutaway.gallery.designing.strip import expand, paint, shorten
from cutaway.gallery.designing.table import LAYERS, MIX
from cutaway.gallery.editing.rules import Problem
from cutaway.gallery.reading.read import read
from cutaway.gallery.spec import ConfigError, ModelSpec

Edits = dict[str, int | str]  # "mix" -> a pattern, any other field -> a number


@dataclass(frozen=True)
class Design:
    """A config with its edits, and a sentence for each that was refused."""

    form: Form
    edits: Edits  # those that hold
    problems: tuple[Problem, ...]  # of those that do not
    config: dict
    spec: ModelSpec

    @property
    def values(self) -> dict[str, int]:
        """Every field as it is now."""
        return self.form.values | {name: int(value) for name, value in self.edits.items() if name != MIX}

    @property
    def address(self) -> str:
        return write(self.form, self.edits)

    @property
    def json(self) -> str:
        """The config as a file."""
        return json.dumps(self.config, indent=2, ensure_ascii=False) + "\n"


def design(config: dict, text: str = "", last: str = "") -> Design:
    """The design that an address asks for; whatever cannot stand together is said, and is as in the edits of `last`."""
    told = form(config, read(config))
    wanted, unread = parse(told, text)
    before = parse(told, last)[0]
    wanted |= {one.field: before[one.field] for one in unread if one.field in before and one.field not in wanted}
    kept, wrong = settle(told, wanted, before)
    while True:
        try:
            made, found = tidy(apply(config, told, kept))
            return Design(told, kept, (*unread, *wrong), without_padding(made, told, kept), found)
        except ConfigError as error:
            if not kept:
                raise
            blamed = next(reversed(kept))
            wrong = (*wrong, Problem(blamed, str(error)))
            kept = {name: value for name, value in kept.items() if name != blamed}


def tidy(config: dict) -> tuple[dict, ModelSpec]:
    """(the config without keys that say null, where that says the same; its spec): classes refuse some of them."""
    found, less = read(config), without_null(config)
    if less != config and read(less) == found:
        return less, found
    return config, found


def without_padding(config: dict, told: Form, edits: Edits) -> dict:
    """Without a padding token where the vocabulary is smaller: its class's number may be none of it."""
    if int(edits.get("vocab", told.spec.vocab_size)) >= told.spec.vocab_size:
        return config
    return put(config, (*text_path(config), "pad_token_id"), None)


def without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_null(one) for key, one in value.items() if one is not None}
    return value


def parse(told: Form, text: str) -> tuple[Edits, tuple[Problem, ...]]:
    """(edits that change something, a sentence for each that could not be read)."""
    wanted: Edits = {}
    wrong: list[Problem] = []
    for item in filter(None, (one.strip() for one in text.split(","))):
        name, _, value = item.partition(":")
        name, value = name.strip(), value.strip()
        if sentence := say_unread(told, name, value, item):
            wrong.append(Problem(name, sentence))
        elif name not in wanted:
            wanted[name] = value if name == MIX else int(value.replace("_", ""))
        else:
            wrong.append(Problem(name, f"{name} is given twice: the first counts."))
    return {name: value for name, value in wanted.items() if changes(told, name, value, wanted)}, tuple(wrong)


def changes(told: Form, name: str, value: int | str, wanted: Edits) -> bool:
    """Whether an edit changes something."""
    if name != MIX:
        return value != told.get(name).value
    return LAYERS in wanted or expand(str(value), len(told.strip.letters)) != told.strip.letters


def settle(told: Form, wanted: Edits, before: Edits) -> tuple[Edits, tuple[Problem, ...]]:
    """Edits that can stand together: whoever is at fault is as before, or is left out, until nobody is."""
    kept, wrong = dict(wanted), []
    while found := check(told, kept):
        at_fault = found[0].field
        wrong.append(found[0])
        last = before.get(at_fault)
        if at_fault not in kept:
            return dict(before) if not check(told, before) else {}, tuple(wrong)
        if last is None or last == kept[at_fault]:
            del kept[at_fault]
        else:
            kept[at_fault] = last
    return kept, tuple(wrong)


def write(told: Form, edits: Mapping[str, int | str]) -> str:
    """Edits as an address has them: in the order of the form, the painted layers last."""
    found = [f"{one.id}:{edits[one.id]}" for one in told.fields if one.id in edits]
    if MIX in edits:
        depth = int(edits.get(LAYERS, len(told.strip.letters)))
        found.append(f"{MIX}:{shorten(expand(str(edits[MIX]), depth))}")
    return ",".join(found)


def apply(config: dict, told: Form, edits: Edits) -> dict:
    """The config with its edits: first how many layers, then the numbers, then which layer is what."""
    made = config
    if LAYERS in edits:
        made = restack(made, told.spec, int(edits[LAYERS]))
    for one in told.fields:
        if one.id in edits:
            for path in one.paths:
                made = put(made, path, as_said(one, edits[one.id]))
    if MIX in edits:
        depth = int(edits.get(LAYERS, len(told.strip.letters)))
        made = paint(made, told.strip, expand(str(edits[MIX]), depth))
    return made


def as_said(one: Field, value: Any) -> int | bool:
    return bool(value) if one.row.flag else int(value)
