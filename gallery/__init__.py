"""Cutaway's core: a config becomes a spec, and the spec becomes weights, memory and a drawing.

Everything is loaded when first used, so that `import gallery` costs next to nothing. Four public functions share their
name with the module that holds them; `_Package` sees to it that `gallery.weights` is the function whoever imports the
module `gallery.weights` first.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

_WHERE = {
    "read": "read", "weights": "weights", "parameters": "count", "memory": "memory", "draw": "svg",
    "ConfigError": "spec", "ModelSpec": "spec",
}  # fmt: skip

__all__ = ["ConfigError", "ModelSpec", "draw", "memory", "parameters", "read", "weights"]


class _Package(ModuleType):
    """This package: binding a submodule under a public name binds the public function instead."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and _WHERE.get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)


def __getattr__(name: str) -> object:
    """A public name, loaded from its module on first use."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Package
