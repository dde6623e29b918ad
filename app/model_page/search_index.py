"""Models, ideas and explainers -> /data/search.json, the index that the search box reads."""

from __future__ import annotations

import json
from typing import Any

from cutaway import explainers
from cutaway.app.model import facets, ideas
from cutaway.app.model.idea_words import spellings
from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.app.packed import page as packed
from cutaway.gallery import catalog
from cutaway.gallery.sublayers import parts_of


def search_index(site) -> str:
    """What app/site/find.js searches: models (the newest first, variants last), the names of ideas, explainers."""
    views = sorted(site.views, key=lambda view: view.row.date or "", reverse=True)
    views.sort(key=lambda view: bool(view.row.variant_of))
    index: dict[str, Any] = {
        "models": [found(view) for view in views],
        "dated": sum(bool(view.row.date) and not view.row.variant_of for view in views),
        "ideas": [{"key": idea.key, "words": (*idea.words, *spellings(idea))} for idea in ideas.IDEAS],
        "pages": [*(learnt(explainers.load(name)) for name in explainers.names()), *map(tool, site.findable)],
    }
    if catalog.PACKED:
        index["packed"] = {"names": packed.NAMES.removeprefix("/data/"), "at": packed.address(site, "SLUG")}
    return plain(index)


def plain(value: object) -> str:
    """JSON for scripts: as short as it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


LICENCES_SOUGHT = {"l-apache": "Apache 2.0 licence", "l-mit": "MIT licence"}  # others are called as their models


@once_for_each
def found(view: ModelView) -> dict:
    """A model's row of the search index: its names, year and licence, and the ideas that its spec has."""
    row = view.row
    known = LICENCES_SOUGHT.get(facets.licence_of(row.licence), "")
    names = {"slug": row.slug, "name": row.title, "company": row.company}
    return {
        **names,
        "words": f"{row.title} {row.slug} {row.company} {(row.date or '')[:4]} {known}".rstrip(),
        "has": ideas.keys(view),
        **({"numbers": numbers(view)} if view.spec else {}),
    }


def numbers(view: ModelView) -> list:
    """What "smallest", "longest context" and "128 window" ask for, in the order of app/site/measures.js: parameters,
    active ones, context, windows, experts, bytes of cache per token, the date as one number; null where it is not said.
    """
    spec, row = view.spec, view.row
    parts = [part for layer in spec.layers for half in (layer.mixer, layer.mlp) for part in parts_of(half)]
    windows = {getattr(part, "sliding_window", None) or 0 for part in parts} - {0}
    experts = {getattr(part, "num_experts", None) or 0 for part in parts} - {0}
    date = int((row.date or "").replace("-", "").ljust(8, "0")) if row.date else None
    counts = view.parameters
    held = [counts.total, counts.active, spec.max_position_embeddings or None, sorted(windows), sorted(experts)]
    return [*held, view.per_token_bytes or None, date]


def learnt(one: explainers.Explainer) -> dict:
    """An explainer's row: its own words, and the ideas that it teaches."""
    said = (one.title, one.question, explainers.GROUPS[one.group][0], one.summary, *(beat.title for beat in one.beats))
    return {
        "path": f"/learn/{one.name}/",
        "name": one.title,
        "words": " ".join(said),
        "has": list(ideas.taught(one.name)),
        "terms": [*one.terms, *explainers.terms_elsewhere(one.name)],
    }


def tool(row: tuple[str, str, tuple[str, ...]]) -> dict:
    """A page that is no explainer: found by its name and its terms."""
    path, name, terms = row
    return {"path": path, "name": name, "words": name, "has": [], "terms": list(terms)}
