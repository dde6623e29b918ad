"""heads:64,layers:40 <-> {"heads": 64, "layers": 40}: edits as an address and the command line write them.

app/model_page/what-if-rules.js reads and writes the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cutaway.gallery.editing.form import Form
from cutaway.gallery.editing.rules import EditError, Problem

MOST_SHOWN = 40  # characters of what was typed


def parse_edits(form: Form, text: str) -> tuple[dict[str, int], list[Problem]]:
    """(the edits that could be read, a sentence for each that could not)."""
    changes: dict[str, int] = {}
    wrong: list[Problem] = []
    for item in filter(None, (one.strip() for one in text.split(","))):
        name, mark, value = re.match(r"([^:=]*)([:=]?)(.*)", item, re.S).groups()  # type: ignore[union-attr]
        name, value = name.strip(), value.strip().replace("_", "")
        problem = explain_refusal(form, name, bool(mark), value, item, changes)
        if problem:
            wrong.append(Problem(name if name in form.values else "", problem))
        else:
            changes[name] = int(value)
    return {name: value for name, value in changes.items() if value != form.values[name]}, wrong


def explain_refusal(form: Form, name: str, marked: bool, value: str, item: str, changes: Mapping[str, int]) -> str:
    """Why one edit cannot be read; "" if it can."""
    shown = item[:MOST_SHOWN]
    if not marked:
        return f"Write an edit as heads:64, not “{shown}”."
    if name in form.stays:
        return f"The number of layers stays: {form.stays[name]}."
    if name not in form.values:
        return unknown(form, name[:MOST_SHOWN])
    if name in changes:
        return f"{name} is given twice: the first counts."
    return "" if re.fullmatch(r"[0-9]{1,12}", value) else f"{name} is a whole number, not “{value[:MOST_SHOWN]}”."


def unknown(form: Form, name: str) -> str:
    """A field that this model has not, or has several of."""
    several = [one.id for one in form.fields if one.id.startswith(f"{name}@")]
    if several and name:
        return f"Layers differ in {name}: edit {' or '.join(several)}."
    known = ", ".join(one.id for one in form.fields)
    if not known:
        return "Nothing in this model can be edited."
    return f"“{name}” cannot be edited; these can: {known}."


def write_edits(form: Form, changes: Mapping[str, int]) -> str:
    """As an address has them: in the order of the form, defaults left out."""
    return ",".join(f"{one.id}:{changes[one.id]}" for one in form.fields if changes.get(one.id, one.value) != one.value)


def read_edits(form: Form, text: str) -> dict[str, int]:
    """The same where anything wrong is an error."""
    changes, wrong = parse_edits(form, text)
    if wrong:
        raise EditError(wrong[0].sentence, wrong[0].field)
    return changes
