"""A model of a lineage -> what stands above its drawing: tagline, numbered items, relatives, line of descent.

Two kinds of mechanisms get a number: those that no earlier structure of the catalogue has (first), and those that no
earlier model of the same company has (house). Of a company's first model here nothing is of the second kind. Plain
strings without markup; no word that a rule did not choose.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from cutaway.gallery.comparing.earlier import Outside, had
from cutaway.gallery.comparing.entries import Entry, Link, Step, Structure
from cutaway.gallery.comparing.headline import rest, say_packed, write_tagline
from cutaway.gallery.comparing.mechanisms import BIT, BY_KEY
from cutaway.gallery.comparing.relatives import Lineage
from cutaway.gallery.comparing.slots import ECHOES
from cutaway.gallery.comparing.text.mechanism import name_mechanism, say_mechanism
from cutaway.gallery.comparing.text.number import ordinal
from cutaway.gallery.joined import join_words

MOST = 6  # items
FIRST, HOUSE, RARE = "first", "house", "rare"  # kinds of items; only a model without a date has the last
NAMED = 3  # earlier ones that are named


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is new here, or new for the company; rare, in a model without a date."""

    number: int  # 1, 2, ...; the mark on the drawing
    key: str  # of MECHANISMS
    word: str  # in bold: "Gated DeltaNet", "RoPE on 64 of 256 dimensions"
    says: str  # the rest of the sentence
    pill: str  # "first here", "first here; T5 had it earlier", "new for OpenAI; 4th here"
    kind: str  # FIRST, HOUSE or RARE
    earlier: tuple[str, ...] = ()  # slugs of those who had it before, the first one first
    outside: str = ""  # who had it before the first here, outside the catalogue: "Persimmon 8B, September 2023"
    source: str = ""  # where that is said


@dataclass(frozen=True, slots=True)
class Novelty:
    """Everything that the top of a model page says."""

    slug: str
    tagline: str  # in bold, ends with a full stop
    rest: str  # muted: how its cache compares with a relative's
    items: tuple[Item, ...]
    nearest: tuple[Link, ...]
    later: tuple[Link, ...]
    descent: tuple[Step, ...]
    mechanisms: tuple[tuple[str, str], ...]  # (key, word) of all it has


def find_novelty(known: Lineage, slug: str, own: tuple[str, ...] | None = None) -> Novelty | None:
    """What is new in a model; None where it takes no part (no date, not drawn). `own`: the mechanisms that a packing or
    training has, where they may not be its base's."""
    entry = known.entries.get(slug)
    if entry is None:
        return packed_novelty(known, slug, own)
    near = [known.nearest_in_size(entry, link) for link in relatives(known, entry)]
    new = new_mechanisms(known, entry)
    items = number_items(known, entry, new, known.new_for_house(slug))
    tagline = write_tagline(known, entry, new, near)
    words = tuple((key, name_mechanism(entry.spec, key)) for key in entry.mechanisms)
    return Novelty(
        slug, tagline, rest(known, entry, near), items, tuple(near), tuple(known.later(slug)),
        tuple(known.descent(slug)), words,
    )  # fmt: skip


def packed_novelty(known: Lineage, slug: str, own: tuple[str, ...] | None = None) -> Novelty | None:
    """A packing or training of a drawn model: its base's architecture, less or more what it says otherwise."""
    base = known.variants.get(slug)
    if base is None:
        return None
    entry = known.entries[base]
    link = Link(base, entry.title, entry.company, entry.date, 1.0, (), (), False)
    held = entry.mechanisms if own is None else own
    words = tuple((key, name_mechanism(entry.spec, key)) for key in held)
    tagline = say_packed(known, entry, held)
    return Novelty(slug, tagline, "", (), (link,), tuple(known.later(base)), tuple(known.descent(base)), words)


# ---------------------------------------------------------------- which


def relatives(known: Lineage, entry: Entry, many: int = 3) -> list[Link]:
    """The nearest earlier structure, the nearest of other houses, and always the nearest of the model's own."""
    out: list[Link] = []
    for link in known.nearly(entry.slug):
        houses = {one.company for one in out}
        if len(out) == many - 1 and entry.company not in houses:  # the last place is its own house's, if that has one
            out += islice(known.nearly(entry.slug, entry.company), 1)
            break
        room = many - len(out) - (entry.company not in houses and not link.same_company)
        if link.company not in houses and room > 0:
            out.append(link)
        if len(out) == many:
            break
    spare = [link for link in known.nearest(entry.slug, many) if link not in out]
    return (out + spare)[:many]


def new_mechanisms(known: Lineage, entry: Entry) -> tuple[str, ...]:
    """Mechanisms that the catalogue's earlier structures lack; a near-clone has none."""
    structure = known.of[entry.slug]
    return structure.new if structure.head.slug == entry.slug else ()


# ---------------------------------------------------------------- words


def number_items(known: Lineage, entry: Entry, new: tuple[str, ...], house: tuple[str, ...]) -> tuple[Item, ...]:
    """What is first here, then what is new for the company without its echoes; the rarest first."""
    weights = known.weights(entry.slug)
    alone = (key for key in house if not {*new, *house} & {*ECHOES.get(key, ())})
    keys = sorted({*new, *alone}, key=lambda key: (key not in new, -weights.sum(BIT[key]), entry.mechanisms.index(key)))
    return tuple(
        item(known, entry, number, key, FIRST if key in new else HOUSE) for number, key in enumerate(keys[:MOST], 1)
    )


def item(known: Lineage, entry: Entry, number: int, key: str, kind: str) -> Item:
    """One row of the list."""
    word, sentence = say_mechanism(entry.spec, key) if entry.spec else (BY_KEY[key].word, "")
    before = known.earlier_with(key, entry.slug)
    outside = had(key, before[0].head.date if before else entry.date)
    named = outside is not None and (len(before) > NAMED or not before)
    if before:
        titles = [one.head.title for one in before]
        first_title = before[0].head.after[0] or titles[0]  # a training of it that came out before it
        few = len(titles) <= NAMED
        sentence += before_it(titles) if few else first_of_many(first_title, outside)
    pill = house_pill(entry, before) if before else first_pill(known, entry, key, outside)
    slugs = tuple(one.head.slug for one in before)
    told = (outside.words, outside.source) if outside and named else ("", "")
    return Item(number, key, word, sentence, pill, kind, slugs, *told)


def first_pill(known: Lineage, entry: Entry, key: str, outside: Outside | None) -> str:
    """What stands beside a first: who outside had it earlier, or who came with it on its day."""
    if outside:
        return f"first here; {outside.title} had it earlier"
    beside = [one.head.title for one in known.of_the_day(key, entry)] + [entry.after[0]] * bool(entry.after[0])
    return f"first here, together with {join_words(beside)}" if beside else "first here"


def house_pill(entry: Entry, before: list[Structure]) -> str:
    """What stands beside a mechanism that is new for a company: its place here, or the sibling that came with it."""
    beside = next((one for one in before if (one.head.company, one.head.date) == (entry.company, entry.date)), None)
    place = f", with {beside.head.title}" if beside else f"; {ordinal(len(before) + 1)} here"
    return f"new for {entry.company}{place}"


def before_it(titles: list[str]) -> str:
    """Who in this gallery had it earlier, where these are few."""
    who = "An earlier model" if len(titles) == 1 else "Earlier models"
    return f" {who} with this mechanism: {join_words(titles)}."


def first_of_many(title: str, outside: Outside | None) -> str:
    """Who was first in this gallery, and who outside it had it earlier."""
    return f" First model here with this mechanism: {title}{f' ({outside.title} had it earlier)' if outside else ''}."
