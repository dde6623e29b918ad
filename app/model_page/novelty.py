"""A model -> the top of its page: what is new in it, whom it descends from, and the numbers on its drawing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from cutaway.app.model.view import ModelView, SpecView
from cutaway.app.site.environment import month
from cutaway.gallery import comparing
from cutaway.gallery.comparing import novelty, relatives_undated
from cutaway.gallery.comparing.entries import say_closeness
from cutaway.gallery.comparing.novelty import Item, Novelty
from cutaway.gallery.comparing.relatives import Link, labels
from cutaway.gallery.drawing.callouts import Numbered
from cutaway.gallery.drawing.svg import glyph

BARS = 2  # caches beside this model's
LABELS = 3  # of what a step of the line of descent added; more are counted


@dataclass(frozen=True)
class Kin:
    """A relative, or a step of the line of descent, as a link."""

    path: str  # "" where it is the model itself
    title: str
    words: str
    glyph: Markup
    about: str = ""  # what a pointer is told


@dataclass(frozen=True)
class Earlier:
    """One who had it before."""

    path: str
    title: str


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
    known: int  # structures of the catalogue that take part
    before: int  # of them, how many are earlier
    sources: tuple[tuple[str, str, str], ...]  # (word, the earlier model outside the catalogue, source)
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
    return tuple(Numbered(one.number, one.key, says(one), f"#new-{one.number}") for one in found.items) if found else ()


def says(one: Item) -> str:
    """What a number on the drawing is to who hears it."""
    if one.first:
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
    before = known.known_before(entry.slug) if entry else 0
    steps = tuple(step(one, found.slug, view) for one in found.descent) if len(found.descent) > 1 else ()
    return Top(
        found, entry is not None, kins(found.nearest), kins(found.later, False), steps,
        tuple(Row(one, first(one)) for one in found.items), len(known.structures), before, outside(found),
    )  # fmt: skip


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


def kins(links: tuple[Link, ...], told: bool = True) -> tuple[Kin, ...]:
    """Relatives as links; the first says what the others' numbers count."""
    return tuple(kin(one, told, brief=i > 0) for i, one in enumerate(links))


def kin(one: Link, told: bool = True, brief: bool = False) -> Kin:
    """A relative: how far it is, and when it came."""
    house = ", same company" if one.same_company and one.apart else ""
    many = one.words.removesuffix(" differences") if brief else one.words
    words = " · ".join(filter(None, (f"{many}{house}", month(one.date))))
    return Kin(path(one.slug), one.title, words, picture(one.slug), apart(one) if told else "")


def apart(one: Link) -> str:
    """What the later of two has more and less."""
    parts = [f"{sign} {', '.join(labels(keys))}" for sign, keys in (("+", one.gained), ("−", one.lost)) if keys]
    return "; ".join(parts) or "the same mechanisms"


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
