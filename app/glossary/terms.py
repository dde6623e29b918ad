"""The ideas and the catalogue -> the glossary: a sentence each, who was first here, who has it, who teaches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from cutaway import explainers
from cutaway.app.glossary import general
from cutaway.app.model import ideas
from cutaway.app.model.idea_words import Said, said
from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.app.site.environment import month_in
from cutaway.explainers import languages
from cutaway.gallery import comparing
from cutaway.gallery.comparing.earlier import Outside, had

SHOWN = 5  # models that an entry names; the gallery has all
PARTS = {
    "mixer": "Attention and other mixers",
    "mlp": "MLPs and experts",
    "position": "Position",
    "norms": "Norms",
    "block": "Residual stream and layer structure",
    "bias": "Biases",
    "stored": "How weights are stored",
}


class First(NamedTuple):
    """The first catalogued model with it, by date."""

    title: str
    path: str
    date: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One word of the glossary."""

    key: str
    word: str
    names: tuple[str, ...]  # its other names
    says: str
    source: str
    earlier: tuple[str, str] | None  # who had it before, uncatalogued or not drawn, and where that is said
    first: First | None
    count: int  # models of the gallery that have it, variants apart
    models: list[ModelView]  # the newest of them
    learn: list[tuple[str, str]]  # (title, path) of explainers
    target: str  # the gallery, narrowed


def entries(site, code: str = "") -> list[tuple[str, list[Entry]]]:
    """(heading, entries), in the order of the table; what no catalogued model has stands in `absent`."""
    held = having(site)
    found = [entry(site, idea, held[idea.key], code) for idea in ideas.IDEAS if held[idea.key]]
    parts = {one.key: one.part for one in ideas.IDEAS}
    heading = languages.translations(code).gettext
    return [(heading(words), [one for one in found if parts[one.key] == part]) for part, words in PARTS.items()]


def absent(site, code: str = "") -> list[Said]:
    """What is read and drawn although no catalogued model has it."""
    return [said(idea, code) for idea in ideas.IDEAS if not having(site)[idea.key]]


def in_general(code: str = "") -> list[tuple[str, list[tuple[general.Term, list[tuple[str, str]]]]]]:
    """(heading, [(term, explainers)]) of the terms that are no part of a model."""
    return [
        (words, [(one, taught_by(one.learn, code)) for one in general.TERMS if one.part == part])
        for part, words in general.PARTS.items()
    ]


def taught_by(learn: tuple[str, ...], code: str) -> list[tuple[str, str]]:
    """(title, path) of explainers."""
    return [(explainers.in_language(name, code).title, f"/learn/{name}/") for name in learn]


@once_for_each
def having(site) -> dict[str, list[ModelView]]:
    """Idea -> the drawn models that have it, the newest first and variants last."""
    views = sorted((view for view in site.views if view.spec), key=lambda view: view.row.date or "", reverse=True)
    found: dict[str, list[ModelView]] = {idea.key: [] for idea in ideas.IDEAS}
    for view in sorted(views, key=lambda view: bool(view.row.variant_of)):
        for key in dict.fromkeys(ideas.keys(view)):
            found[key].append(view)
    return found


def entry(site, idea: ideas.Idea, views: list[ModelView], code: str = "") -> Entry:
    """One idea that some model has."""
    earliest = first(views)
    outside = had(idea.key, earliest.date) if earliest else None
    bases = [view for view in views if not view.row.variant_of] or views
    words = said(idea, code)
    return Entry(
        key=idea.key,
        word=words.word,
        names=words.names,
        says=words.says,
        source=idea.source,
        earlier=(told_of(outside, code), outside.source) if outside else None,
        first=earliest,
        count=len(bases),
        models=bases[:SHOWN],
        learn=taught_by(idea.learn, code),
        target=f"/models/?q={quote(idea.words[0])}",
    )


def told_of(outside: Outside, code: str) -> str:
    """Persimmon 8B, September 2023."""
    if not code:
        return outside.words
    said = languages.translations(code).gettext("{model}, {month}")
    return said.format(model=outside.title, month=month_in(code)(outside.when))


def first(views: list[ModelView]) -> First | None:
    """The earliest by the dates that lineage goes by, or a training of one that came before it (V3.2-Exp); what has no
    date takes no part."""
    slugs = {view.slug for view in views}
    known = [one for one in comparing.catalogue_lineage().entries.values() if one.slug in slugs]
    found = [First(one.title, f"/models/{one.slug}/", one.date) for one in known]
    found += [First(view.title, view.path, view.row.date) for view in views if view.row.variant_of and view.row.date]
    return min(found, key=lambda one: one.date, default=None)
