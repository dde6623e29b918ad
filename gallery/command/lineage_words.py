"""A model among the catalogue -> what `cutaway lineage` prints: relatives, what is new, descendants; also as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cutaway.gallery import catalog, comparing
from cutaway.gallery.command.report import table
from cutaway.gallery.comparing.entries import Entry, Link
from cutaway.gallery.comparing.mechanisms import labels, mechanisms
from cutaway.gallery.comparing.novelty import FIRST, Item, Novelty, find_novelty
from cutaway.gallery.comparing.relatives_undated import relate_undated
from cutaway.gallery.spec import ModelSpec


class Kin(NamedTuple):
    """All that is said of a model's relatives; `dated`: whether its date is known, so that relatives are earlier."""

    found: Novelty
    dated: bool
    descendants: tuple[Entry, ...]  # whose nearest earlier model it is


def find_kin(spec: ModelSpec, title: str, slug: str | None = None) -> Kin:
    """The relatives of a catalogued model, or of any spec (`slug` None)."""
    known = comparing.catalogue_lineage()
    row = catalog.find(slug) if slug else None
    if row is None:
        return Kin(relate_undated(known, spec, title=title), False, ())
    found = find_novelty(known, row.slug, mechanisms(spec))
    mine = known.of.get(known.variants.get(row.slug, row.slug))
    if found is None or mine is None:
        return Kin(found or relate_undated(known, spec, row.slug, row.title, row.company), False, ())
    children = (one for one in known.structures if one.parent and known.of[one.parent.slug] is mine)
    return Kin(found, True, tuple(one.head for one in children))


def link_row(link: Link) -> tuple[str, ...]:
    """A relative: what the later of both gained and dropped."""
    gained = ", ".join(labels(link.gained))
    lost = ", ".join(labels(link.lost))
    changes = "; ".join([f"+ {gained}"] * bool(gained) + [f"− {lost}"] * bool(lost))
    return ("  " + link.title, link.date, f"{link.share:.0%} shared", changes or link.words)


def item_row(item: Item) -> tuple[str, ...]:
    """A mechanism that has a number on the drawing."""
    return (f"  {item.word}", item.pill, item.says.strip())


def section(words: str, rows: Sequence[Sequence[object]]) -> list[str]:
    """A heading and a table; nothing where there are no rows."""
    return ["", words, *table(rows)] if rows else []


def lineage_lines(kin: Kin) -> list[str]:
    """The tagline, the nearest models, what is new, the line of descent, what descends from it."""
    found = kin.found
    steps = [("  " + one.title, one.date, "+ " + ", ".join(labels(one.added)) if one.added else "") for one in
             found.descent] if len(found.descent) > 1 else []  # fmt: skip
    return [
        f"{found.tagline} {found.rest}".rstrip(),
        *section("Nearest earlier models" if kin.dated else "Nearest models", [link_row(one) for one in found.nearest]),
        *section("New" if kin.dated else "Rare", [item_row(one) for one in found.items]),
        *section("Line of descent, with what each added that is still there", steps),
        *section("Descendants: models whose nearest earlier model this is",
                 [("  " + one.title, one.date) for one in kin.descendants]),
        *section("Nearest later models", [link_row(one) for one in found.later]),
    ]  # fmt: skip


def link_json(link: Link) -> dict[str, Any]:
    """A relative; `gained` and `dropped` are keys of /glossary/."""
    return {"slug": link.slug, "title": link.title, "company": link.company, "date": link.date, "share": link.share,
            "gained": list(link.gained), "dropped": list(link.lost)}  # fmt: skip


def lineage_json(kin: Kin) -> dict[str, Any]:
    """The same for programs."""
    found = kin.found
    return {
        "tagline": found.tagline,
        "rest": found.rest,
        "dated": kin.dated,
        "nearest": [link_json(one) for one in found.nearest],
        "later": [link_json(one) for one in found.later],
        "new": [
            {"mechanism": one.key, "word": one.word, "says": one.says.strip(), "place": one.pill,
             "first": one.kind == FIRST, "earlier": list(one.earlier), "outside": one.outside, "source": one.source}
            for one in found.items
        ],
        "descent": [
            {"slug": one.slug, "title": one.title, "date": one.date, "added": list(one.added)} for one in found.descent
        ],
        "descendants": [{"slug": one.slug, "title": one.title, "date": one.date} for one in kin.descendants],
        "mechanisms": [key for key, _ in found.mechanisms],
    }  # fmt: skip
