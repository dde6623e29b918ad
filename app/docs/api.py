"""`cutaway.__all__` -> the API as /docs/api/ shows it: signatures, docstrings, and the fields of what is returned.

Nothing here names a function: what the package exports, and the classes that its functions return, is all there is.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import griffe

from cutaway.app.docs import sources

PACKAGE = "cutaway"
WIDTH = 72  # columns of a signature that stays on one line


class Member(NamedTuple):
    """A field, property or method of a class."""

    name: str
    type: str
    says: str


class Entry(NamedTuple):
    """One documented name: `kind` is "function", "class" or "exception"; `signature` "" where none is worth it."""

    name: str
    kind: str
    signature: str
    says: str
    fields: tuple[Member, ...] = ()
    methods: tuple[Member, ...] = ()
    returns: tuple[str, ...] = ()  # names of entries


def names() -> list[str]:
    """What `from cutaway import *` would give."""
    return [str(name) for name in sources.module(PACKAGE).exports or ()]


@cache
def exported() -> tuple[Entry, ...]:
    """Everything in `cutaway.__all__`: functions first, in the order of the file, then classes and exceptions."""
    found = [(name, _object(name)) for name in names()]
    functions = sorted((one for one in found if one[1].is_function), key=lambda one: one[1].lineno or 0)
    others = [one for one in found if not one[1].is_function]
    made = [_function(name, one) for name, one in functions if isinstance(one, griffe.Function)]
    return (*made, *(_class(name, one) for name, one in others if isinstance(one, griffe.Class)))


@cache
def returned() -> tuple[Entry, ...]:
    """Classes of the package that exported functions return and `__all__` does not name, in that order."""
    found: dict[str, Entry] = {}
    for name in names():
        for path in _classes(_object(name)):
            one = sources.find(path)
            if one.name not in names() and isinstance(one, griffe.Class):
                found.setdefault(one.name, _class(one.name, one))
    return tuple(found.values())


def about() -> str:
    """The package's own docstring."""
    return sources.docstring(sources.module(PACKAGE))


def _object(name: str) -> griffe.Object:
    """What an exported name stands for; one that is loaded on first use is looked for where it is defined."""
    try:
        return sources.find(f"{PACKAGE}.{name}")
    except LookupError:
        loaded = getattr(importlib.import_module(PACKAGE), name)
        return sources.find(f"{loaded.__module__}.{loaded.__qualname__}")


def _classes(found: griffe.Object) -> Iterator[str]:
    """Paths of the package's classes in what a function returns."""
    if not isinstance(found, griffe.Function) or not isinstance(found.returns, griffe.Expr):
        return
    for part in found.returns.iterate():
        path = getattr(part, "canonical_path", "")
        if isinstance(path, str) and path.startswith(f"{PACKAGE}.") and sources.find(path).is_class:
            yield path


def _function(name: str, found: griffe.Function) -> Entry:
    returns = tuple(path.rpartition(".")[2] for path in _classes(found))
    return Entry(name, "function", signature(name, found), sources.docstring(found), returns=returns)


def _class(name: str, found: griffe.Class) -> Entry:
    """A class with its fields and its public methods; an exception has a docstring alone."""
    kind = "exception" if _is_exception(found) else "class"
    public = [(key, one) for key, one in found.members.items() if key[0] != "_" and isinstance(one, griffe.Object)]
    fields = [_field(key, one) for key, one in public if isinstance(one, griffe.Attribute) and not _hidden(one)]
    methods = [_method(key, one) for key, one in public if isinstance(one, griffe.Function)]
    return Entry(name, kind, "", sources.docstring(found), tuple(fields), tuple(methods))


def _is_exception(found: griffe.Class) -> bool:
    bases = [str(base) for base in found.bases]
    return any(base.endswith(("Error", "Exception")) for base in bases)


def _hidden(found: griffe.Attribute) -> bool:
    """Whether a dataclass keeps it out of its repr: it is no part of what the object says."""
    return "repr=False" in str(found.value or "")


def _field(name: str, found: griffe.Attribute) -> Member:
    return Member(name, str(found.annotation or ""), sources.docstring(found) or sources.comment(found))


def _method(name: str, found: griffe.Function) -> Member:
    return Member(name, signature(name, found, bound=True), sources.docstring(found))


def signature(name: str, found: griffe.Function, bound: bool = False) -> str:
    """name(parameters) -> type, over several lines where one would be too long."""
    parts = _parameters(found, bound)
    end = f" -> {found.returns}" if found.returns is not None else ""
    line = f"{name}({', '.join(parts)}){end}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}"


def _parameters(found: griffe.Function, bound: bool) -> list[str]:
    """Each parameter as it is written, with the marks of what is positional or named alone."""
    parts, named, positional = [], False, False
    for one in list(found.parameters)[bound:]:
        kind = one.kind
        if positional and kind is not griffe.ParameterKind.positional_only:
            parts.append("/")
        positional = kind is griffe.ParameterKind.positional_only
        if kind is griffe.ParameterKind.keyword_only and not named:
            parts.append("*")
        named = named or kind in (griffe.ParameterKind.keyword_only, griffe.ParameterKind.var_positional)
        parts.append(_parameter(one))
    return parts


STARS = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}


def _parameter(one: griffe.Parameter) -> str:
    """name: type = default, stars where it takes many."""
    star = STARS.get(one.kind, "") if one.kind else ""
    type_ = f": {one.annotation}" if one.annotation is not None else ""
    if star or one.default is None:
        return f"{star}{one.name}{type_}"
    return f"{one.name}{type_} = {one.default}" if type_ else f"{one.name}={one.default}"
