"""A model of a lineage -> its headline of at most 40 words, and how its cache compares with a relative's.

What is first here comes first; then what else differs from the nearest relative, structure before sizes; then what is
rare and both have.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from itertools import groupby

from cutaway.gallery.comparing.earlier import had
from cutaway.gallery.comparing.entries import Entry, Link
from cutaway.gallery.comparing.facts import differing_fields
from cutaway.gallery.comparing.mechanisms import BIT, BY_KEY
from cutaway.gallery.comparing.relatives import CLONE_DAYS, Lineage
from cutaway.gallery.comparing.shape import shape_of
from cutaway.gallery.comparing.slots import SLOT_OF, without_echoes
from cutaway.gallery.comparing.text.mechanism import name_mechanism
from cutaway.gallery.comparing.text.number import number_word, scaled_bytes
from cutaway.gallery.comparing.text.slot import WINDOWS, words_of
from cutaway.gallery.comparing.text.verdict import AND, MOST_WORDS, Ranked, differences, fitting, in_order
from cutaway.gallery.counting.memory import kv_bytes_per_token, memory
from cutaway.gallery.joined import join_words

MOST_FIRSTS = 6
BOTH = "; both have "
MANY = 3  # firsts beside which nothing else is said
MOST_SHARED = 4  # mechanisms that both have
SIZES = 3.0  # the rank from which clauses are of details and sizes
STRANGER = 0.6  # a share below which another house's model is no kin
NOTHING = 0.125  # a share below which nothing is said of another house's model
KIN = 0.3  # a share below which a sibling of the same mechanisms says more than the house's model of the time before
EXPERTS_RANK, SCORES_RANK = 2.2, 2.0  # beside those of slots.py
FEW = 3  # one structure in so many: what is said though the relative has it, too
PACKED_WORDS = 20  # of what a packing and its base have


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
    if near[0].share < NOTHING and not near[0].same_company:
        return first
    told = say_beside(known, entry, near[0], MOST_WORDS - len(f"{first} Next to {near[0].title}:".split()), said)
    return f"{first} Next to {near[0].title}: {told}." if told else first


def predecessor(known: Lineage, entry: Entry, link: Link) -> Link:
    """Whom a model is told beside: if the nearest is a sibling or a stranger, its house's model of the time before, or
    rather a sibling than a stranger."""
    kin = entry.date and not is_sibling(entry, link) and (link.same_company or link.share >= STRANGER)
    if kin or not entry.date or not differences_from(known, entry, link):
        return link
    own = [one for one in known.nearly(entry.slug, entry.company) if not one.founder]
    found = next(
        (one for one in own if not is_sibling(entry, one)), None if link.same_company else next(iter(own), None)
    )
    if not found or (is_sibling(entry, link) and link.share > found.share < KIN):
        return link
    return known.nearest_in_size(entry, found)


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
    if not keys:
        return []
    rare = [key for key in keys if len(known.having(key)) * FEW <= len(known.structures)]
    said = []
    for key in without_echoes(rare):
        mine, theirs = words_of(entry.spec, key), words_of(other.spec, key)
        if mine == theirs or key not in WINDOWS:
            said.append(Ranked(SLOT_OF[key].rank, mine[0] if mine == theirs else mine[1]))
    counts = {shape_of(one.spec).experts for one in (entry, other)}
    return [*said, Ranked(EXPERTS_RANK, f"{counts.pop()} experts")] if len(counts) == 1 and counts != {0} else said


def say_firsts(known: Lineage, entry: Entry, new: tuple[str, ...]) -> tuple[str, set[str]]:
    """(what no earlier model here had, those of them that are said): all of them only where others had each earlier."""
    own = [BY_KEY[key] for key in new if not had(key, entry.date)]
    if not own:
        told = set(new) - {"moe"}  # its sizes are said, too
        return f"First in the catalogue with {known_earlier(entry, new)}.", told
    weights = known.weights(entry.slug)
    own.sort(key=lambda row: -weights.sum(BIT[row.key]))
    words = join_words(
        [name_mechanism(entry.spec, row.key) + same_day_note(known, entry, row.key) for row in own[:MOST_FIRSTS]]
    )
    return f"First in the catalogue with {words}{since(entry)}.", {row.key for row in own}


def known_earlier(entry: Entry, new: tuple[str, ...]) -> str:
    """Mechanisms that models outside had: each run of one model's with its name behind it."""
    words = []
    for title, run in groupby(new, lambda key: row.title if (row := had(key, entry.date)) else ""):
        held = [name_mechanism(entry.spec, key) for key in run]
        pronoun = "them" if len(held) > 1 else "one" if held[0].endswith("shared experts") else "it"
        words.append(f"{join_words(held)} ({title} had {pronoun} earlier)")
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


def say_packed(known: Lineage, entry: Entry, held: tuple[str, ...]) -> str:
    """The headline of a packing or training: its base's architecture, less or more what it says otherwise."""
    less, more = (
        [name_mechanism(entry.spec, key) for key in a if key not in b]
        for a, b in ((entry.mechanisms, held), (held, entry.mechanisms))
    )
    without, with_ = f" without {join_words(less)}" if less else "", f" with {join_words(more)}" if more else ""
    shared = [key for key in held if key in entry.mechanisms and SLOT_OF[key].rank < SCORES_RANK]
    rare = fitting(kept_clauses(known, entry, entry, shared), PACKED_WORDS) if entry.spec else []
    shown = f" Both have {join_words([one.words for one in rare])}." if rare else ""
    return f"The architecture of {entry.title}{without}{with_}; other weights.{shown}"


# ---------------------------------------------------------------- its cache

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
