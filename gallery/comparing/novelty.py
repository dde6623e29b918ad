"""A model of a lineage -> what stands above its drawing: tagline, numbered items, relatives, line of descent."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.comparing.relatives import Lineage, Link, Step

MOST = 6  # items


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is new, or rare: plain strings without markup."""

    number: int  # 1, 2, ...; the mark on the drawing
    key: str  # of MECHANISMS
    word: str  # in bold: "Gated DeltaNet", "RoPE on 64 of 256 dimensions"
    says: str  # the rest of the sentence
    pill: str  # "first here", "first here, earlier in Qwen1.5-MoE", "4th here", "first pair here"
    first: bool  # the pill is black
    earlier: tuple[str, ...] = ()  # slugs of those who had it before, the first one first


@dataclass(frozen=True, slots=True)
class Novelty:
    """Everything that the top of a model page says of it; pages without a date have items, but no tagline."""

    slug: str
    tagline: str  # in bold, ends with a full stop
    rest: str  # muted: "The rest has earlier relatives." ...
    items: tuple[Item, ...]
    nearest: tuple[Link, ...]
    later: tuple[Link, ...]
    descent: tuple[Step, ...]
    mechanisms: tuple[tuple[str, str], ...]  # (key, word) of all it has


def of(known: Lineage, slug: str) -> Novelty | None:
    """What is new in a model; None where it takes no part (no date, not drawn)."""
    raise NotImplementedError
