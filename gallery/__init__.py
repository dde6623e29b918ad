"""Cutaway's core: a config becomes a spec, and the spec becomes weights, memory, logits and a drawing.

Everything is loaded when first used, so that importing it costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

if __name__ == "gallery":  # the checkout's root is on sys.path: every class would be there twice
    raise ImportError("Import cutaway.gallery: gallery/ is only the folder it lies in.")

_WHERE = {
    "read": "reading.read", "weights": "counting.weights", "parameters": "counting.parameters",
    "memory": "counting.memory", "flops": "counting.flops", "run": "running.interpreter", "draw": "drawing.svg",
    "edit": "editing.edited", "ConfigError": "spec", "ModelSpec": "spec", "summary": "command.showing",
    "html": "command.showing",
}  # fmt: skip

__all__ = ["ConfigError", "ModelSpec", "draw", "edit", "flops", "memory", "parameters", "read", "run", "weights"]


def __getattr__(name: str) -> Any:
    """A public name, loaded from its module on first use."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
