"""/data/places.json: what the search finds besides models, ideas and whole explainers: steps of explainers, entries of
the glossary, config keys, number formats, block schemes, devices.

A page module joins it with `places(site) -> Iterator[Place]`. Browsers fetch the file with the first look into the box;
app/site/places.js searches it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from cutaway.app.site.pages import Page, modules

PATH = "/data/places.json"


class Place(NamedTuple):
    """A page, or a part of one."""

    path: str
    name: str
    kind: str  # as the list of what is found calls it: Explainer, Glossary, Config key, Format, Documentation, ...
    words: str = ""  # in which it is found, too
    also: tuple[str, ...] = ()  # other names: who types one of them means this
    about: str = ""  # a few words beside the name


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: as_json(site), "application/json")


def all_places(site) -> Iterator[Place]:
    """The places of every module, and the pages that are no explainer."""
    for module in modules():
        if hasattr(module, "places"):
            yield from module.places(site)
    for path, name, terms in site.findable:
        yield Place(path, name, "Page", "", terms)


def as_json(site) -> str:
    """Rows without what they leave out."""
    rows = [{key: value for key, value in place._asdict().items() if value} for place in all_places(site)]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
