"""Explainers: a folder becomes words, a reference, one import-free module and its style.

    explainers/<folder>/page.md       front matter and words
    explainers/<folder>/reference.py  the truth, in numpy
    explainers/<folder>/widget.js     an AFM module, written with kit/
    explainers/<folder>/widget.css    every selector starts with .cw-<name>

A folder is a Python package: delta_rule holds the explainer "delta-rule", which is its name in addresses, in CSS
classes and in every function here.

Its modules import what they use, of each other and of kit/; build/bundles.py bundles them for each place they run in:
a page, Panel and notebooks (one module without imports), a single file for frames.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any

from cutaway.explainers import bundles, catalogued, permalink, stored_results
from cutaway.explainers.catalogued import config_end, slugs_of
from cutaway.explainers.folders import (
    FILES,
    GROUPS,
    HERE,
    MOVED,
    PATHS,
    Explainer,
    beside,
    folder,
    folder_path,
    in_language,
    load,
    markdown,
    moved_beats,
    names,
    on_path,
    terms_elsewhere,
    translated,
)
from cutaway.explainers.styles import css, page_css, tight, tokens, used_styles

if __name__ == "explainers":  # the checkout's root is on sys.path: every class would be there twice
    raise ImportError("Import cutaway.explainers: explainers/ is only the folder it lies in.")

# The package's own face: what the rooms below it do.
__all__ = (
    "FILES",
    "GROUPS",
    "HERE",
    "MOVED",
    "PATHS",
    "Explainer",
    "beside",
    "config_end",
    "css",
    "folder",
    "folder_path",
    "in_language",
    "load",
    "markdown",
    "module",
    "moved_beats",
    "names",
    "on_path",
    "page_css",
    "slugs_of",
    "terms_elsewhere",
    "tight",
    "tokens",
    "translated",
    "used_styles",
)  # fmt: skip


@cache  # asked thousands of times for a page
def reference(name: str) -> ModuleType:
    """The reference module: STATE, data(), check(), compute(), cases()."""
    return import_module(f"{__name__}.{folder(name).name}.reference")


def checker(name: str) -> Callable[[dict[str, Any]], str]:
    """state -> the sentence that says what is legal, or "": the reference's check, with the data if it asks for it."""
    check = reference(name).check
    return (lambda state: check(state, data(name))) if len(inspect.signature(check).parameters) > 1 else check


def settler(name: str) -> Callable[[dict[str, Any], list[str]], dict[str, Any]] | None:
    """The reference's settle(state, keys that a link set) -> state, if it has one: see permalink.read."""
    settle = getattr(reference(name), "settle", None)
    return settle and (lambda state, given: settle(state, given, data(name)))


def module(name: str) -> str:
    """The widget as one AFM module without imports, for Panel and notebooks; it also exports check and compute."""
    return bundles.text(f"widgets/{name}.js")


@cache
def data(name: str) -> dict[str, Any]:
    """The constants a widget reads, JSON-plain. Where a key of the state is a context (CONTEXT of the reference), also
    how far the config of each model goes."""
    return stored_results.recall(f"data-{name}", ("gallery", "explainers"), partial(work_out, name))


def work_out(name: str) -> dict[str, Any]:
    """The same by the reference: of all explainers in four seconds."""
    made = reference(name)
    found = made.data()
    if key := getattr(made, "CONTEXT", ""):
        found |= {"config_ends": {"key": key, "of": catalogued.config_ends(catalogued.slugs_of(found))}}
    return json.loads(json.dumps(found, allow_nan=False))


def separate_files(name: str) -> list[str]:
    """The names of the files that data(name)["apart"] holds, which a list of all pages wants without their contents."""
    named = getattr(reference(name), "separate_files", None)
    return named() if named else []


def first_picture(name: str, brief: bool = False, code: str = "") -> str:
    """What the page shows before any script: the lab's first picture inside the widget's own root.

    An embed is brief: it leaves out every part that has data-below.
    """
    from cutaway.explainers import first

    short, above, more = first.lab(name, code)
    below = f'<div class="cw-below">{more}</div>' if more else ""
    return f'<div class="cw cw-{name}">{short if brief else above + below}</div>'


def notebook(name: str, **state: Any) -> Any:
    """The widget in a notebook: explainers.notebook("bits", typed="0.1"). Needs the notebook extra (anywidget)."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError('A notebook widget needs anywidget: pip install "cutaway[notebook]".') from None
    made = reference(name)
    permalink.write(made.STATE, state)  # names every wrong key
    fields: dict[str, Any] = {key: traitlets.Any(default).tag(sync=True) for key, default in made.STATE.items()}
    fields["data"] = traitlets.Dict(data(name)).tag(sync=True)
    body = {"_esm": module(name), "_css": tokens(".cw") + css(name), **fields}
    return type(class_name(name), (anywidget.AnyWidget,), body)(**state)


def class_name(name: str) -> str:
    """delta-rule -> DeltaRuleExplainer: each widget class has its own name."""
    return "".join(part.capitalize() for part in name.split("-")) + "Explainer"
