"""A spec without a date -> its relatives and what is rare in it: a pasted config, or a row of the catalogue whose date
nobody gives. Nothing is called new in it: only dates decide that.
"""

from __future__ import annotations

from cutaway.gallery.comparing.entries import Entry, Link, Step, Structure
from cutaway.gallery.comparing.facts import facts
from cutaway.gallery.comparing.headline import like
from cutaway.gallery.comparing.mechanisms import BIT, bits, mechanisms
from cutaway.gallery.comparing.nearness import nearest_member
from cutaway.gallery.comparing.novelty import MOST, RARE, Item, Novelty
from cutaway.gallery.comparing.relatives import Lineage
from cutaway.gallery.comparing.text.mechanism import name_mechanism, say_mechanism
from cutaway.gallery.joined import join_words
from cutaway.gallery.spec import ModelSpec

UNDATED = "Its release date is unknown, so nothing in it is called new."
CONFIG = "A config has no release date, so nothing in it is called new."
NEAREST = 3
FEW = 10  # rare: at most one structure in so many


def relate_undated(
    known: Lineage, spec: ModelSpec, slug: str = "", title: str = "This model", company: str = ""
) -> Novelty:
    """What a spec has among the dated models of the catalogue, whenever it was made."""
    entry = Entry(slug, title, company, "", mechanisms(spec), facts(spec), "", spec)
    near = nearest_links(known, entry)
    alone = [key for key in entry.mechanisms if not count_with(known, key)]
    words = tuple((key, name_mechanism(spec, key)) for key in entry.mechanisms)
    return Novelty(
        slug, write_tagline(known, entry, near, alone), UNDATED if slug else CONFIG, make_items(known, entry),
        tuple(near), (), make_descent(known, entry, near), words,
    )  # fmt: skip


def nearest_links(known: Lineage, entry: Entry, many: int = NEAREST) -> list[Link]:
    """The structures that share most; ties: fewest differing fields, the same house, the latest date."""
    return [make_link(known, entry, one) for one in known.closest(entry, many)]


def make_link(known: Lineage, entry: Entry, one: Structure) -> Link:
    """The spec and one structure, as its near-clone of the nearest size; what the spec has alone counts as gained."""
    head, mine, theirs = nearest_member(entry, one), set(entry.mechanisms), set(one.head.mechanisms)
    gained = tuple(key for key in entry.mechanisms if key not in theirs)
    lost = tuple(key for key in head.mechanisms if key not in mine)
    share = known.share(entry.mechanisms, head.mechanisms)
    same_company = bool(entry.company) and head.company == entry.company
    return Link(head.slug, head.title, head.company, head.date, share, gained, lost, same_company)


def count_with(known: Lineage, key: str) -> int:
    """How many dated structures have a mechanism."""
    return len(known.having(key))


def write_tagline(known: Lineage, entry: Entry, near: list[Link], alone: list[str]) -> str:
    """What nobody dated has; else what it has beside its nearest relative."""
    if alone:
        return f"No dated model of the catalogue has {join_words([name_mechanism(entry.spec, key) for key in alone])}."
    said = like(known, entry, near[0]) if near else ""
    return said.replace("; other weights.", ".")  # it may be that very model


def make_items(known: Lineage, entry: Entry) -> tuple[Item, ...]:
    """What at most one structure in ten has, the rarest first."""
    many, place = len(known.structures), {key: i for i, key in enumerate(entry.mechanisms)}
    rare = [key for key in entry.mechanisms if count_with(known, key) * FEW <= many]
    rare.sort(key=lambda key: (count_with(known, key), place[key]))
    return tuple(make_item(known, entry, number, key) for number, key in enumerate(rare[:MOST], 1))


def make_item(known: Lineage, entry: Entry, number: int, key: str) -> Item:
    """One row: how many of the dated structures have it."""
    word, sentence = say_mechanism(entry.spec, key)
    heads = [one.head.slug for one in known.having(key)]
    have = "has" if len(heads) == 1 else "have"
    pill = f"{len(heads)} of {len(known.structures)} models here {have} it" if heads else "no other model here has it"
    return Item(number, key, word, sentence, pill, RARE, tuple(heads))


def make_descent(known: Lineage, entry: Entry, near: list[Link]) -> tuple[Step, ...]:
    """The line of its nearest relative, as far as the spec still has what was added; then the spec itself."""
    if not near:
        return ()
    mine = bits(entry.mechanisms)
    steps: list[Step] = []
    for step in known.descent(near[0].slug):
        added = tuple(key for key in step.added if mine & BIT[key])
        if added or not steps:
            steps.append(Step(step.slug, step.title, step.date, added, step.share))
    return (*steps, Step(entry.slug, entry.title, "", near[0].gained, near[0].share))
