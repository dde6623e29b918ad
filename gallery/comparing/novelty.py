"""A model of a lineage -> what stands above its drawing: tagline, numbered items, relatives, line of descent.

New is what no earlier structure of the catalogue has; rare is what at most one structure in ten had and one of the
nearest relatives lacks. Plain strings without markup; no word that a rule did not choose.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from itertools import groupby, islice

from cutaway.gallery.comparing.earlier import Outside, had
from cutaway.gallery.comparing.facts import differing_fields
from cutaway.gallery.comparing.mechanisms import BIT, BY_KEY, bits
from cutaway.gallery.comparing.relatives import CLONE_DAYS, Entry, Lineage, Link, Step
from cutaway.gallery.comparing.shape import shape_of
from cutaway.gallery.comparing.slots import SLOT_OF, without_echoes
from cutaway.gallery.comparing.text.mechanism import name_mechanism, say_mechanism
from cutaway.gallery.comparing.text.number import number_word, ordinal, scaled_bytes
from cutaway.gallery.comparing.text.slot import WINDOWS, words_of
from cutaway.gallery.comparing.text.verdict import AND, MOST_WORDS, Ranked, differences, fitting, in_order
from cutaway.gallery.counting.memory import kv_bytes_per_token, memory
from cutaway.gallery.joined import join_words

MOST = 6  # items
BOTH = "; both have "
MANY = 3  # firsts beside which nothing else is said
MOST_SHARED = 4  # mechanisms that both have
SIZES = 3.0  # the rank from which clauses are of details and sizes
STRANGER = 0.6  # a share below which another house's model is no kin
EXPERTS_RANK, SCORES_RANK = 2.2, 2.0  # beside those of slots.py
FEW = 3  # one structure in so many: what is said though the relative has it, too
RARE = 10  # one structure in so many
PACKED_WORDS = 20  # of what a packing and its base have
NAMED = 3  # earlier ones that are named


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is new, or rare."""

    number: int  # 1, 2, ...; the mark on the drawing
    key: str  # of MECHANISMS
    word: str  # in bold: "Gated DeltaNet", "RoPE on 64 of 256 dimensions"
    says: str  # the rest of the sentence
    pill: str  # "first here", "first here; T5 had it earlier", "4th here"
    first: bool  # the pill is black
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
    items = number_items(known, entry, new, rare(known, entry, new, near))
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
    less, more = (
        [name_mechanism(entry.spec, key) for key in a if key not in b]
        for a, b in ((entry.mechanisms, held), (held, entry.mechanisms))
    )
    without, with_ = f" without {join_words(less)}" if less else "", f" with {join_words(more)}" if more else ""
    shared = [key for key in held if key in entry.mechanisms and SLOT_OF[key].rank < SCORES_RANK]
    rare = fitting(kept_clauses(known, entry, entry, shared), PACKED_WORDS) if entry.spec else []
    shown = f" Both have {join_words([one.words for one in rare])}." if rare else ""
    tagline = f"The architecture of {entry.title}{without}{with_}; other weights.{shown}"
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


def rare(known: Lineage, entry: Entry, new: tuple[str, ...], near: list[Link]) -> list[str]:
    """Not new, but at most one structure in ten had it and one of the nearest relatives lacks it."""
    count = known.known_before(entry.slug)
    lacked = 0
    for link in near:
        lacked |= bits(entry.mechanisms) & ~bits(known.entries[link.slug].mechanisms)
    return [
        key
        for key in entry.mechanisms
        if key not in new and lacked & BIT[key] and len(known.earlier_with(key, entry.slug)) * RARE <= count
    ]


# ---------------------------------------------------------------- words


def number_items(known: Lineage, entry: Entry, new: tuple[str, ...], others: list[str]) -> tuple[Item, ...]:
    """New ones first, then by weight."""
    weights = known.weights(entry.slug)
    keys = sorted(
        {*new, *others}, key=lambda key: (key not in new, -weights.sum(BIT[key]), entry.mechanisms.index(key))
    )
    return tuple(item(known, entry, number, key, key in new) for number, key in enumerate(keys[:MOST], 1))


def item(known: Lineage, entry: Entry, number: int, key: str, first: bool) -> Item:
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
    pill = first_pill(known, entry, key, outside) if not before else f"{ordinal(len(before) + 1)} here"
    slugs = tuple(one.head.slug for one in before)
    told = (outside.words, outside.source) if outside and named else ("", "")
    return Item(number, key, word, sentence, pill, first, slugs, *told)


def first_pill(known: Lineage, entry: Entry, key: str, outside: Outside | None) -> str:
    """What stands beside a first: who outside had it earlier, or who came with it on its day."""
    if outside:
        return f"first here; {outside.title} had it earlier"
    beside = [one.head.title for one in known.of_the_day(key, entry)] + [entry.after[0]] * bool(entry.after[0])
    return f"first here, together with {join_words(beside)}" if beside else "first here"


def before_it(titles: list[str]) -> str:
    """Who in this gallery had it earlier, where these are few."""
    who = "An earlier model" if len(titles) == 1 else "Earlier models"
    return f" {who} with this mechanism: {join_words(titles)}."


def first_of_many(title: str, outside: Outside | None) -> str:
    """Who was first in this gallery, and who outside it had it earlier."""
    return f" First model here with this mechanism: {title}{f' ({outside.title} had it earlier)' if outside else ''}."


def write_tagline(known: Lineage, entry: Entry, new: tuple[str, ...], near: list[Link]) -> str:
    """The tagline, of at most 40 words: what is first here, then what else differs from the nearest relative."""
    if not near:
        named = [name_mechanism(entry.spec, key) for key in entry.mechanisms]
        return f"The first of the catalogue: {join_words(named)}."
    if not new:
        return like(known, entry, predecessor(known, entry, near[0]))
    first, said = say_firsts(known, entry, new)
    if len(said) > MANY:  # the list below names what else there is
        return first
    told = say_beside(known, entry, near[0], MOST_WORDS - len(f"{first} Next to {near[0].title}:".split()), said)
    return f"{first} Next to {near[0].title}: {told}." if told else first


def predecessor(known: Lineage, entry: Entry, link: Link) -> Link:
    """Whom a model is told beside: if the nearest is a sibling or a stranger, its house's model of the time before."""
    kin = entry.date and not is_sibling(entry, link) and (link.same_company or link.share >= STRANGER)
    if kin or not entry.date or not differences_from(known, entry, link):
        return link
    older = (one for one in known.nearly(entry.slug, entry.company) if not one.founder and not is_sibling(entry, one))
    found = next(older, None)
    return known.nearest_in_size(entry, found) if found else link


def is_sibling(entry: Entry, link: Link) -> bool:
    """Whether it is of the same house and came within 75 days before."""
    days = (date.fromisoformat(entry.date) - date.fromisoformat(link.date)).days
    return link.same_company and days <= CLONE_DAYS


def say_beside(known: Lineage, entry: Entry, link: Link, room: int, said: Collection[str] = ()) -> str:
    """What a model has beside a relative, in so many words: structure, then what is rare and both have, then sizes."""
    given = [one for one in differences_from(known, entry, link) if not set(said) & set(one.keys)]
    told = fitting([one for one in given if one.rank < SIZES], room)
    room -= sum(one.length for one in told)
    other = known.entries[link.slug]
    shared = [key for key in entry.mechanisms if key in other.mechanisms] if entry.spec and other.spec else []
    kept = [
        one for one in kept_clauses(known, entry, other, shared) if not any(one.words in said.words for said in told)
    ]
    both = fitting(kept, room - len(BOTH.split()))[:MOST_SHARED] if shared else []
    room -= sum(one.length for one in both) + (len(BOTH.split()) + AND if both else 0)
    told += fitting([one for one in given if one.rank >= SIZES], room)
    words = join_words([one.words for one in in_order(told)])
    return f"{words}{BOTH}{join_words([one.words for one in both])}" if words and both else words


def kept_clauses(known: Lineage, entry: Entry, other: Entry, keys: Collection[str]) -> list[Ranked]:
    """Of some mechanisms those that at most one structure in three has; their places only where both have the same."""
    rare = [key for key in keys if len(known.having(key)) * FEW <= len(known.structures)]
    said = []
    for key in without_echoes(rare):
        mine, theirs = words_of(entry.spec, key), words_of(other.spec, key)
        if mine == theirs or key not in WINDOWS:
            said.append(Ranked(SLOT_OF[key].rank, mine[0] if mine == theirs else mine[1]))
    if not keys:
        return []
    counts = {shape_of(one.spec).experts for one in (entry, other)}
    return [*said, Ranked(EXPERTS_RANK, f"{counts.pop()} experts")] if len(counts) == 1 and counts != {0} else said


def say_firsts(known: Lineage, entry: Entry, new: tuple[str, ...]) -> tuple[str, set[str]]:
    """(what no earlier model here had, those of them that are said): all of them only where others had each earlier."""
    own = [BY_KEY[key] for key in new if not had(key, entry.date)]
    if not own:
        return f"First in the catalogue with {known_earlier(entry, new)}.", set(new) - {
            "moe"
        }  # its sizes are said, too
    weights = known.weights(entry.slug)
    own.sort(key=lambda row: -weights.sum(BIT[row.key]))
    words = join_words(
        [name_mechanism(entry.spec, row.key) + same_day_note(known, entry, row.key) for row in own[:MOST]]
    )
    return f"First in the catalogue with {words}{since(entry)}.", {row.key for row in own}


def known_earlier(entry: Entry, new: tuple[str, ...]) -> str:
    """Mechanisms that models outside had: each run of one model's with its name behind it."""
    words = []
    for title, run in groupby(new, lambda key: row.title if (row := had(key, entry.date)) else ""):
        held = [name_mechanism(entry.spec, key) for key in run]
        words.append(f"{join_words(held)} ({title} had {'it' if len(held) == 1 else 'them'} earlier)")
    return join_words(words)


def same_day_note(known: Lineage, entry: Entry, key: str) -> str:
    """Who of another house came with it on the same day."""
    titles = [one.head.title for one in known.of_the_day(key, entry)]
    return f" (like {join_words(titles)}, released the same day)" if titles else ""


def since(entry: Entry) -> str:
    """The training of the same architecture that came out before the model."""
    title, day = entry.after
    return f", from {title} of {date.fromisoformat(day):%B %Y} on" if title else ""


def like(known: Lineage, entry: Entry, link: Link) -> str:
    """What a model without anything new has beside a relative: what it gained, dropped and scaled."""
    words = say_beside(known, entry, link, MOST_WORDS - len(f"{link.title} with".split()))
    return f"{link.title} with {words}." if words else describe_equal(known, entry, link)


def differences_from(known: Lineage, entry: Entry, link: Link) -> list[Ranked]:
    """What may be said of a model beside a relative."""
    other = known.entries[link.slug]
    return differences(other.spec, entry.spec, other.mechanisms, entry.mechanisms)


LIGHT_WORDS = {"vocab_size": "vocabulary", "max_position_embeddings": "context", "scale": "softmax scale",
               "rope": "RoPE", "norms": "norms", "final_norm": "norms"}  # fmt: skip


def describe_equal(known: Lineage, entry: Entry, link: Link) -> str:
    """Equal mechanisms: whether sizes differ, or only what near-clones differ in, or nothing."""
    fields = {name.rpartition(".")[2] for name in differing_fields(entry.facts, known.entries[link.slug].facts)}
    if not fields and entry.facts:
        return f"Same mechanisms and sizes as {link.title}; other weights."
    if fields and fields <= set(LIGHT_WORDS):
        words = list(dict.fromkeys(word for name, word in LIGHT_WORDS.items() if name in fields))
        verb = "differs" if len(words) == 1 and words[0] != "norms" else "differ"
        return f"Same mechanisms and sizes as {link.title}; {join_words(words)} {verb}."
    return f"Same mechanisms as {link.title}; sizes differ."


SHARES = ("", "", "half", "a third", "a quarter", "a fifth", "a sixth", "a seventh", "an eighth", "a ninth", "a tenth")
NEAR = 0.04  # of a round ratio


def rest(known: Lineage, entry: Entry, near: list[Link]) -> str:
    """The muted end of the line: how the cache grows beside that of the company's nearest model."""
    base = next((link for link in near if link.same_company), near[0] if near else None)
    other = known.entries[base.slug].spec if base else None
    if entry.spec is None or other is None:
        return ""
    mine, theirs = (kv_bytes_per_token(spec, "growing+index") for spec in (entry.spec, other))
    if not mine and theirs and (full_at := memory(entry.spec, 0).full_at):
        return f"Its cache stops growing at {full_at:,} tokens."
    return describe_growth(mine, theirs, base.title if base else "")


LITTLE = 1.1  # times another's, below which per cent more are said


def describe_growth(mine: float, theirs: float, title: str) -> str:
    """Bytes of cache per token, and how they compare with another model's."""
    if not mine or not theirs:
        return "Its memory does not grow with the context." if theirs else ""
    return f"{scaled_bytes(mine)} of cache per token, {say_ratio(mine / theirs)} {title}'s."


def say_ratio(ratio: float) -> str:
    """How a number compares with another, as the words in front of that: a third of, 2.5 times, the same as."""
    if ratio == 1:
        return "the same as"
    if word := round_ratio(ratio):
        return f"{word} of" if ratio < 1 else word
    if 1 < ratio < LITTLE:
        return f"{(ratio - 1) * 100:.1f} % more than"
    return f"{ratio:.1f} times" if ratio > 1 else f"{ratio * 100:.0f} % of"


def round_ratio(ratio: float) -> str:
    """Half, a quarter, twice, five times; "" where it is nothing round."""
    whole = max(2, round(max(ratio, 1 / ratio)))
    if whole >= len(SHARES) or abs(max(ratio, 1 / ratio) / whole - 1) >= NEAR:
        return ""
    return SHARES[whole] if ratio < 1 else "twice" if whole == 2 else f"{number_word(whole)} times"
