"""A model -> the top of its page: what is new in it, whom it descends from, and the numbers on its drawing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.model.view import ModelView, SpecView
from cutaway.app.site.environment import month
from cutaway.gallery import comparing
from cutaway.gallery.comparing import novelty, relatives_undated
from cutaway.gallery.comparing.entries import Link, say_closeness
from cutaway.gallery.comparing.headline import predecessor
from cutaway.gallery.comparing.mechanisms import labels
from cutaway.gallery.comparing.novelty import Item, Novelty
from cutaway.gallery.comparing.text.mechanism import name_mechanism
from cutaway.gallery.comparing.text.slot import brief_word, words_of
from cutaway.gallery.drawing import lit_svg
from cutaway.gallery.drawing.callouts import Numbered
from cutaway.gallery.drawing.thumbnails import glyph

BARS = 2  # caches beside this model's
ROOM = 54  # characters of what a relative lacks and has in its place
LABELS = 3  # of what a step of the line of descent added; more are counted


@dataclass(frozen=True)
class Kin:
    """A relative, or a step of the line of descent, as a link."""

    path: str  # "" where it is the model itself
    title: str
    words: str
    glyph: Markup
    when: str = ""  # beside the title
    about: str = ""  # what a pointer is told


class Tower(NamedTuple):
    """All layers of a model, beside what is new of it."""

    title: str
    words: str  # how many
    svg: Markup


@dataclass(frozen=True)
class Earlier:
    """One who had it before."""

    path: str
    title: str


class Run(NamedTuple):
    """A stretch of the headline; `row` where it names what a number stands for."""

    words: str
    row: Row | None = None


@dataclass(frozen=True)
class Row:
    """A row of the numbered list."""

    item: Item
    first: Earlier | None  # the first one of the catalogue that had it


@dataclass(frozen=True)
class Top:
    """Everything that the template shows."""

    found: Novelty
    dated: bool
    nearest: tuple[Kin, ...]
    later: tuple[Kin, ...]
    descent: tuple[Kin, ...]
    rows: tuple[Row, ...]
    headline: tuple[Run, ...]
    company: str  # of a dated model
    known: int  # structures of the catalogue that take part
    before: int  # of them, how many are earlier
    sources: tuple[tuple[str, str, str], ...]  # (word, the earlier model outside the catalogue, source)
    legend: tuple[tuple[str, str], ...] = ()  # (kind of number, what it means)
    closeness: str = say_closeness()  # what is counted beside a share


def of(view: SpecView) -> Novelty | None:
    """What is new in a model; of one without a date, who is like it."""
    if view.spec is None:
        return None
    known = comparing.catalogue_lineage()
    if isinstance(view, ModelView):
        row = view.row
        return novelty.find_novelty(known, view.slug, view.mechanisms) or relatives_undated.relate_undated(
            known, view.spec, view.slug, view.title, row.company
        )
    return relatives_undated.relate_undated(known, view.spec, title=view.title)


def marks(found: Novelty | None) -> tuple[Numbered, ...]:
    """What the drawing of a model gets its numbers for."""
    if found is None:
        return ()
    return tuple(Numbered(one.number, one.key, says(one), f"#new-{one.number}", one.kind) for one in found.items)


def says(one: Item) -> str:
    """What a number on the drawing is to who hears it."""
    if one.kind == novelty.FIRST:
        here = one.pill.replace("here", "in the catalogue", 1)
        return f"New {one.number}, {one.word}, {here}."
    return f"{one.number}, {one.word}, {one.pill}."


def top(view: SpecView, found: Novelty | None = None) -> Top | None:
    """What stands above a drawing; None where there is no drawing."""
    found = found or of(view)
    if found is None:
        return None
    known = comparing.catalogue_lineage()
    entry = known.entries.get(known.variants.get(found.slug, found.slug))
    company = entry.company if entry else ""
    before = known.known_before(entry.slug) if entry else 0
    steps = tuple(step(one, found.slug, view) for one in found.descent) if len(found.descent) > 1 else ()
    rows = tuple(Row(one, first(one)) for one in found.items)
    older = house_predecessor(found)
    near = found.nearest + ((older,) if older and older.slug not in [one.slug for one in found.nearest] else ())
    return Top(
        found, entry is not None, kins(near), kins(found.later, False), steps,
        rows, headline(view, found.tagline, rows), company, len(known.structures), before,
        outside(found), legend(found, company),
    )  # fmt: skip


def legend(found: Novelty, company: str) -> tuple[tuple[str, str], ...]:
    """What filled, hollow and dashed numbers mean, as far as a model has them."""
    words = {novelty.FIRST: "first here", novelty.HOUSE: f"new for {company}", novelty.RARE: "rare here"}
    return tuple((kind, said) for kind, said in words.items() if kind in [one.kind for one in found.items])


def beside(found: Novelty | None) -> tuple[str, ...]:
    """Whose cache stands beside this model's: the nearest relative of its house and the nearest of another."""
    if found is None:
        return ()
    own = [one.slug for one in found.nearest if one.same_company][:1]
    return tuple(own + [one.slug for one in found.nearest if one.slug not in own][: BARS - len(own)])


# ---------------------------------------------------------------- links


def path(slug: str) -> str:
    return f"/models/{slug}/"


@cache
def picture(slug: str) -> Markup:
    """The small tower of a dated model."""
    return Markup(glyph(comparing.catalogue_lineage().entries[slug].spec))


def kins(links: tuple[Link, ...], compared: bool = True) -> tuple[Kin, ...]:
    """Relatives as links."""
    return tuple(kin(one, compared) for one in links)


def kin(one: Link, compared: bool = True) -> Kin:
    """A relative: its date and distance; of an earlier one, what the model gained and lost."""
    parts = ("" if compared else "later", month(one.date), "same company" if one.same_company else "")
    when = ", ".join(filter(None, parts))
    words = one.words
    if compared and one.apart:
        words = next((said for most in range(6, 0, -1) if len(said := apart(one, most)) <= ROOM), apart(one, 1))
    return Kin(path(one.slug), one.title, words, picture(one.slug), when, apart(one) if compared else "")


def apart(one: Link, most: int = 99) -> str:
    """What the later of two models gained (+) and lost (−), at most `most` of each."""
    parts = []
    for sign, names in (("+", labels(one.gained)), ("−", labels(one.lost))):
        if names:
            parts.append(f"{sign} {', '.join(names[:most])}{' …' if len(names) > most else ''}")
    return "; ".join(parts) or "the same mechanisms"


# ---------------------------------------------------------------- the headline with its numbers


def headline(view: SpecView, tagline: str, rows: tuple[Row, ...]) -> tuple[Run, ...]:
    """The headline in runs: each mechanism of the list that it names, by any of its words, is a run of its own."""
    spans = sorted(filter(None, (named_at(view, tagline, row) for row in rows)), key=lambda span: (span[0], -span[1]))
    runs, at = [], 0
    for start, end, row in spans:
        if start >= at:
            runs += [Run(tagline[at:start]), Run(tagline[start:end], row)]
            at = end
    return tuple(run for run in (*runs, Run(tagline[at:])) if run.words)


def named_at(view: SpecView, tagline: str, row: Row) -> tuple[int, int, Row] | None:
    """Where the headline names a mechanism: the longest of its words that stands there."""
    for words in sorted(set(names_of(view, row.item.key)), key=len, reverse=True):
        found = re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", tagline, re.I)
        if found:
            return found.start(), found.end(), row
    return None


def names_of(view: SpecView, key: str) -> list[str]:
    """All names by which a sentence may call a mechanism of a model."""
    row = novelty.BY_KEY[key]
    names = [name_mechanism(view.spec, key), row.word, row.short, brief_word(key), *words_of(view.spec, key), *row.also]
    general = [one.partition(",")[0] for one in names if "," in one]  # QK-norm, all heads
    return [re.sub(r"^(an?|the) ", "", name) for name in (*names, *general) if name]


# ---------------------------------------------------------------- towers


def house_predecessor(found: Novelty | None) -> Link | None:
    """The nearest earlier model of the same company, of an earlier generation if there is one."""
    known = comparing.catalogue_lineage()
    base = next((one for one in found.nearest if one.same_company), None) if found else None
    entry = known.entries.get(found.slug) if found else None
    older = predecessor(known, entry, base) if base and entry else base
    return older if older and older.same_company else base


def towers(view: SpecView, found: Novelty | None) -> tuple[Tower, ...]:
    """The model's tower, and before it that of its predecessor from the same company."""
    own = Tower(view.title, f"{len(view.spec.layers)} layers", Markup(lit_svg.tall_tower(view.spec)))
    base = house_predecessor(found)
    spec = comparing.catalogue_lineage().entries[base.slug].spec if base else None
    if base is None or spec is None:
        return (own,)
    return Tower(base.title, f"{len(spec.layers)} layers", Markup(lit_svg.tall_tower(spec))), own


def step(one: novelty.Step, slug: str, view: SpecView) -> Kin:
    """A step of the line of descent: what it added that is still there."""
    names = labels(one.added)
    more = f" and {len(names) - LABELS} more" if len(names) > LABELS + 1 else ""
    words = f"+ {', '.join(names[:LABELS] if more else names)}{more}" if names else "same mechanisms"
    if one.slug == slug:
        return Kin("", one.title, words, Markup(glyph(view.spec)))
    plain = not comparing.catalogue_lineage().of[one.slug].parent
    return Kin(path(one.slug), one.title, "the plain baseline" if plain else words, picture(one.slug))


def first(one: Item) -> Earlier | None:
    """Who had it first, where the list says that others had it."""
    if not one.earlier:
        return None
    return Earlier(path(one.earlier[0]), comparing.catalogue_lineage().entries[one.earlier[0]].title)


def outside(found: Novelty) -> tuple[tuple[str, str, str], ...]:
    """What is known to be earlier elsewhere."""
    return tuple((novelty.BY_KEY[one.key].word, one.outside, one.source) for one in found.items if one.outside)
