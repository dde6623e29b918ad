"""Files of a room, one kind each -> one table {record: how to wire it}; what a file forgets is an ImportError."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules

READINGS = ("RECORD", "GRAPH")


def register(package: str, path: Iterable[str], not_kinds: tuple[str, ...] = (), words: tuple[str, ...] = READINGS):
    """One table {RECORD: function} per further word of `words`, over every module in the package.

    ImportError names what a file forgot.
    """
    tables: tuple[dict[type, Callable], ...] = tuple({} for _ in words[1:])
    for name in sorted(info.name for info in iter_modules(path)):
        if name in not_kinds:
            continue
        module = import_module(f"{package}.{name}")
        missing = [word for word in words if not hasattr(module, word)]
        if missing:
            raise ImportError(f"{package}.{name} has no {' and no '.join(missing)}; a kind needs {', '.join(words)}.")
        for word, table in zip(words[1:], tables, strict=True):
            table[module.RECORD] = getattr(module, word)
    return tables
