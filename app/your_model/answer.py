"""A config's text -> what /your-model/ shows of it, as JSON: the same markup in CPython and in the reader's browser.

`begin` is called once, when the site is built (build/pack_image.mjs); the browser calls `answer`, `rest` and `compare`.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path

from cutaway import gallery
from cutaway.app.compare import model_file
from cutaway.app.compare.model_file import Compared
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import novelty
from cutaway.app.render import job
from cutaway.app.site.environment import environment
from cutaway.gallery import catalog, comparing
from cutaway.gallery.drawing.lit_svg import LAYOUTS
from cutaway.gallery.planning import planner_model, reach
from cutaway.gallery.spec import ModelSpec, MoE
from cutaway.gallery.sublayers import parts_of

AT = "/your-model/"
HERE = Path(__file__).parent
CATALOGUE = "catalogue.pickle"  # its specs and its lineage, read and compared when the site was built
TEMPLATES = "templates"  # a module of compiled Jinja templates each
PACKED: dict[str, ModelSpec] = {}  # the catalogue's specs by slug, where no snapshots are


def answer(text: str, title: str, source: str, edits: str = "", layouts: str = "") -> str:
    """{"title", "html": {"result": markup}} of a config, what is seen first, or {"refused": a sentence}.

    `layouts` are those of the drawing that the window shows, "narrow" or "wide,middle"; "" stands for all.
    """
    return told(job.FirstView(text, title, source, edits=edits, at=AT, layouts=named(layouts)))


def rest(text: str, title: str, source: str, edits: str = "", layouts: str = "") -> str:
    """{"title", "html": {"more": markup, "href", "plan"}} of the same config: tables, the planner's address and what it
    needs, "figure" and "lit" in the other layouts; or {"refused": a sentence}."""
    return told(job.Rest(text, title, source, edits=edits, at=AT, layouts=named(layouts)))


def named(layouts: str) -> tuple[str, ...]:
    """The layouts that a page names, in the order of the drawing."""
    return tuple(one for one in LAYOUTS if one in layouts.split(","))


def told(request: job.Request) -> str:
    """What comes of a request, as JSON."""
    made = job.answer(request)
    if isinstance(made, job.RenderedModel):
        return json.dumps({"title": made.title, "html": made.html})
    assert isinstance(made, job.Refusal)
    return json.dumps({"refused": made.sentence})


def compare(text: str, title: str, edits: str = "", slug: str = "") -> str:
    """{"files", "pair"} of a catalogued model, the closest where none is named, and a config: what /compare/ draws.

    {"refused": a sentence} where a config or a name is at fault.
    """
    try:
        view, _ = job.viewed(job.Request(text, title, "", edits=edits))
        slug = slug or closest(view)
        other = SpecView(spec_of(slug), catalog.BY_SLUG[slug].title)
        a, b = Compared(other, slug), Compared(view, "local:")
        pair = model_file.attributed(a.spec, a.view.title, b.spec, b.view.title)
        return model_file.written({"files": [a.file(pairs=False), b.file(pairs=False)], "pair": pair})
    except gallery.ConfigError as error:
        return json.dumps({"refused": str(error)})
    except Exception:
        job.LOG.exception("a config that could be drawn and not be compared")
        return json.dumps({"refused": "This config can be drawn, but not compared yet."})


def closest(view: SpecView) -> str:
    """The slug of the catalogued model that shares most with a config."""
    found = novelty.of(view)
    return found.nearest[0].slug if found and found.nearest else model_file.DEFAULT[0]


def spec_of(slug: str) -> ModelSpec:
    """A catalogued model as it was packed, or as its snapshot says; ConfigError where there is none."""
    row = catalog.BY_SLUG.get(slug)
    if slug not in PACKED and not (row and row.snapshot):
        raise gallery.ConfigError(f"No drawn model here is called {slug[:80]}.")
    return PACKED.get(slug) or catalog.spec(slug)


def begin() -> None:
    """Take from the pack what a server works out by itself: compiled templates, the catalogue's specs and lineage."""
    from jinja2 import ModuleLoader

    job.site().env = environment(ModuleLoader(HERE / TEMPLATES))  # English alone: nothing is translated here
    known, specs, simulated = pickle.loads((HERE / CATALOGUE).read_bytes())
    vars(comparing)["catalogue_lineage"] = lambda: known
    PACKED.update(specs)
    reach.SIMULATED.update(simulated)


def catalogue() -> bytes:
    """What `begin` reads, as one pickle: the catalogue's lineage, its specs by slug without their graphs, and what its
    routers with groups do, which a browser would simulate for half a second."""
    specs = {row.slug: catalog.spec(row.slug) for row in catalog.drawable_rows()}
    for spec in specs.values():
        for moe in {id(one): one for layer in spec.layers for one in parts_of(layer.mlp)}.values():
            if isinstance(moe, MoE):
                planner_model.expert_row(moe, spec.hidden_size)
        spec.graphs.clear()
        spec.listed.clear()
    return pickle.dumps((comparing.catalogue_lineage(), specs, reach.SIMULATED), 5)
