"""A config's text -> what /your-model/ shows of it, as JSON: the same markup in CPython and in the reader's browser.

`begin` is called once, when the site is built (build/pack_image.mjs); the browser calls `answer` for each config.
"""

from __future__ import annotations

import json
import pickle
from functools import cache
from pathlib import Path

from cutaway.app.render import job
from cutaway.gallery import comparing

AT = "/your-model/"
HERE = Path(__file__).parent
LINEAGE = "lineage.pickle"  # the catalogue's lineage, read and compared when the site was built
TEMPLATES = "templates"  # a module of compiled Jinja templates each


def answer(text: str, title: str, source: str, edits: str = "") -> str:
    """{"title", "html": {element: markup}} of a config, or {"refused": a sentence}."""
    made = job.answer(job.Request(text, title, source, edits=edits, at=AT))
    if isinstance(made, job.RenderedModel):
        return json.dumps({"title": made.title, "html": made.html})
    assert isinstance(made, job.Refusal)
    return json.dumps({"refused": made.sentence})


def begin() -> None:
    """Take from the pack what a server works out by itself: compiled templates and the catalogue's lineage."""
    from jinja2 import ModuleLoader

    job.site().env.loader = ModuleLoader(HERE / TEMPLATES)
    vars(comparing)["catalogue_lineage"] = lineage
    lineage()


@cache
def lineage():
    """The lineage of the catalogue as it was packed."""
    return pickle.loads((HERE / LINEAGE).read_bytes())
