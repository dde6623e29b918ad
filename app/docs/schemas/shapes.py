"""Short words for JSON Schema: text, whole numbers, lists, objects whose keys are all known."""

from __future__ import annotations

from typing import Any

from cutaway.gallery.schema_version import VERSION

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _type(name: str, **more: Any) -> Schema:
    return {"type": name, **more}


def text(says: str = "") -> Schema:
    return with_words(_type("string"), says)


def whole(says: str = "") -> Schema:
    return with_words(_type("integer"), says)


def number(says: str = "") -> Schema:
    return with_words(_type("number"), says)


def flag(says: str = "") -> Schema:
    return with_words(_type("boolean"), says)


def anything(says: str = "") -> Schema:
    return with_words({}, says)


def one_of(values: tuple[str, ...], says: str = "") -> Schema:
    return with_words(_type("string", enum=list(values)), says)


def many(item: Schema, says: str = "") -> Schema:
    """A list of one kind of thing."""
    return with_words(_type("array", items=item), says)


def table(value: Schema, says: str = "") -> Schema:
    """An object with any keys, all of one kind of value."""
    return with_words(_type("object", additionalProperties=value), says)


def or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def with_words(schema: Schema, says: str) -> Schema:
    return {**schema, "description": says} if says else schema


def record(keys: dict[str, Schema], says: str = "", also: dict[str, Schema] | None = None) -> Schema:
    """An object with these keys and no other; those of `also` may be missing."""
    every = keys | (also or {})
    made = _type("object", properties=every, required=list(keys), additionalProperties=False)
    return with_words(made, says)


def document(title: str, keys: dict[str, Schema], says: str, also: dict[str, Schema] | None = None) -> Schema:
    """A whole file: its title, its version, its keys."""
    version = {"schema": {"const": VERSION, "description": "version of this schema"}}
    return {"$schema": DIALECT, "title": title, **record(version | keys, says, also)}
