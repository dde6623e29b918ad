"""Explainers: a folder becomes words, a reference, one import-free module and its style.

    explainers/<name>/page.md       front matter and words
    explainers/<name>/reference.py  the truth, in numpy
    explainers/<name>/widget.js     written against kit.js
    explainers/<name>/widget.css    every selector starts with .cw-<name>

A module shares code by concatenation: kit.js, its controls, time and mesh, then the folder's own files. So one text
runs unchanged in a page, in Panel, in a file opened from disk and in a notebook.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from explainers import permalink
from explainers.folders import FILES, GROUPS, HERE, Explainer, folder, load, markdown, names
from explainers.sent import (
    KIT,
    MACHINE,
    beat_module,
    calls_of,
    controls_of,
    css,
    inline_module,
    kit_text,
    module,
    page_css,
    page_module,
    page_script,
    script,
    squeeze,
    tight,
    tokens,
)

# The package's own face: what the rooms below it do.
__all__ = (
    "FILES", "GROUPS", "HERE", "KIT", "MACHINE", "Explainer", "beat_module", "calls_of", "controls_of", "css", "folder",
    "inline_module", "kit_text", "load", "markdown", "module", "names", "page_css", "page_module", "page_script",
    "script", "squeeze", "tight", "tokens",
)  # fmt: skip

MORE = "<!--more-->"


@cache  # asked thousands of times for a page
def reference(name: str) -> ModuleType:
    """The reference module: STATE, data(), check(), compute(), picture(), cases()."""
    return load_file(folder(name) / "reference.py")


_LOADING = threading.RLock()


def load_file(path: str | Path) -> ModuleType:
    """Import a file by its path (folder names with a dash are no identifiers); references load siblings with it."""
    path = Path(path).resolve()
    qualified = f"{__name__}.{path.parent.name.replace('-', '_')}.{path.stem}"
    with _LOADING:  # a server warms up in a thread: nobody may see a module that is still being executed
        if qualified in sys.modules:
            return sys.modules[qualified]
        spec = importlib.util.spec_from_file_location(qualified, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise LookupError(f"There is no module at {path}.")
        made = importlib.util.module_from_spec(spec)
        sys.modules[qualified] = made
        try:
            spec.loader.exec_module(made)
        except BaseException:
            del sys.modules[qualified]
            raise
        return made


def checker(name: str) -> Callable[[dict[str, Any]], str]:
    """state -> the sentence that says what is legal, or "": the reference's check, with the data if it asks for it."""
    check = reference(name).check
    return (lambda state: check(state, data(name))) if len(inspect.signature(check).parameters) > 1 else check


def settler(name: str) -> Callable[[dict[str, Any], list[str]], dict[str, Any]] | None:
    """The reference's settle(state, keys that a link set) -> state, if it has one: see permalink.read."""
    settle = getattr(reference(name), "settle", None)
    return settle and (lambda state, given: settle(state, given, data(name)))


@cache
def data(name: str) -> dict[str, Any]:
    """The constants a widget reads, JSON-plain."""
    return json.loads(json.dumps(reference(name).data(), allow_nan=False))


def apart(name: str) -> list[str]:
    """The names of the files that data(name)["apart"] holds, which a list of all pages wants without their contents."""
    named = getattr(reference(name), "apart", None)
    return named() if named else []


def first_picture(name: str, brief: bool = False) -> str:
    """What the page shows before any script: the reference's picture inside the widget's own root.

    An embed is brief: it shows what stands before the picture's MORE mark, if there is one.
    """
    made = reference(name)
    picture = made.picture(made.STATE, data(name))
    first, _, more = picture.partition(MORE)
    below = f'<div class="cw-below">{more}</div>' if more and not brief else ""
    return f'<div class="cw cw-{name}">{first}{below}</div>'


def notebook(name: str, **state: Any) -> Any:
    """The widget in a notebook: explainers.notebook("bits", typed="0.1"). Needs the notebook extra (anywidget)."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError('A notebook widget needs anywidget: pip install "cutaway[notebook]".') from None
    made = reference(name)
    permalink.write(made.STATE, state)  # names every wrong key
    fields = {key: traitlets.Any(default).tag(sync=True) for key, default in made.STATE.items()}
    fields["data"] = traitlets.Dict(data(name)).tag(sync=True)
    body = {"_esm": module(name), "_css": tokens(".cw") + css(name), **fields}
    return type(class_name(name), (anywidget.AnyWidget,), body)(**state)


def class_name(name: str) -> str:
    """delta-rule -> DeltaRuleExplainer: each widget class has its own name."""
    return "".join(part.capitalize() for part in name.split("-")) + "Explainer"
