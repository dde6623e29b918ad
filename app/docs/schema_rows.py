"""A JSON Schema -> the rows by which /docs/json/ describes its keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.app.docs.schemas import SCHEMAS
from cutaway.app.docs.schemas.shapes import Schema

DEPTH = 2  # keys inside keys that are shown
WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null",
         "object": "object", "array": "list"}  # fmt: skip


class Row(NamedTuple):
    """A key: "cache.fixed_bytes", how deep it is, its kind of value, its meaning, whether it is always there."""

    key: str
    depth: int
    kind: str
    says: str
    always: bool


def rows(name: str) -> list[Row]:
    """Every key of a schema, down to DEPTH; [] stands for each entry of a list."""
    return list(_keys(SCHEMAS[name], "", 0))


def _keys(schema: Schema, prefix: str, depth: int) -> Iterator[Row]:
    required = schema.get("required", [])
    for key, one in schema.get("properties", {}).items():
        yield Row(prefix + key, depth, kind(one), one.get("description", ""), key in required)
        if depth + 1 < DEPTH:
            inner, mark = (one["items"], "[].") if "items" in one else (one, ".")
            yield from _keys(inner, f"{prefix}{key}{mark}", depth + 1)


def kind(schema: Schema) -> str:
    """What a value is, in words: "list of whole numbers or null"."""
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return " | ".join(f'"{one}"' for one in schema["enum"])
    types = schema.get("type")
    names = [WORDS[one] for one in ([types] if isinstance(types, str) else types or ())]
    if names and names[0] == "list" and (inner := kind(schema["items"])) != "any":
        names[0] = f"list of {plural(inner)}"
    return " or ".join(names) or "any"


def plural(words: str) -> str:
    """text -> texts, list of numbers -> lists of numbers."""
    first, of, rest = words.partition(" of ")
    first = {"text": "texts", "true or false": "true or false"}.get(first, first + "s")
    return first + of + rest
