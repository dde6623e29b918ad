"""/design/: the page, drawn at build with an example, and the configs of the catalogue that a design starts from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from cutaway.app.design.answer import AT, shown_parts
from cutaway.app.design.figures import CONTEXTS
from cutaway.app.site.pages import Page
from cutaway.app.site.python_files import boot_bytes, manifest
from cutaway.app.your_model.page import MOST_BYTES, SECONDS, as_data, folder, worker
from cutaway.gallery import catalog
from cutaway.gallery.designing.design import design

TERMS = ("design", "design a model", "edit a config", "change layers", "swap a mixer", "custom architecture", "what if")
SEARCH = (AT, "Design a model", TERMS)
EXAMPLE = "Qwen/Qwen3-Next-80B-A3B-Instruct"
EDITS = "kv:4,experts:256,active:8,mix:5d1f"  # what the page shows before anything is asked of it
CONTEXT = CONTEXTS[2]


def pages(site) -> Iterator[Page]:
    """The page, and a config for each drawn model."""
    yield Page(AT, lambda: page(site))
    for row in site.rows:
        if row.snapshot:
            yield Page(f"{AT}models/{row.slug}.json", partial(start, row.slug), "application/json", model=row.slug)


def start(slug: str) -> str:
    """What a design starts from: {"slug", "title", "config"}, the config as our catalogue keeps it."""
    row = catalog.BY_SLUG[slug]
    return json.dumps({"slug": slug, "title": row.title, "config": catalog.load(slug)}, separators=(",", ":"))


def page(site) -> str:
    """The example, and all that a script needs to go on with it."""
    made, title = design(catalog.load(EXAMPLE), EDITS), site.slugs[EXAMPLE].title
    shown = shown_parts(made, title, EDITS, CONTEXT)
    drawn = sorted(((row.slug, row.title) for row in site.rows if row.snapshot), key=lambda one: one[1].lower())
    return site.render(
        "design/page.html", AT, shown=shown, example=EXAMPLE, title=title, context=CONTEXT, drawn=drawn,
        worker=worker(), folder=folder(), most=MOST_BYTES, seconds=SECONDS, size=boot_bytes(),
        pack=as_data({"files": manifest()["files"], "lock": manifest()["lock"]}),
        start=as_data(json.loads(start(EXAMPLE))),
    )  # fmt: skip
