"""Structures of the catalogue -> what /lineage/ shows of each: its lane, its glyph, its label and what it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from cutaway.gallery.cached import Same
from cutaway.gallery.comparing.entries import Entry, Link, Structure
from cutaway.gallery.comparing.mechanisms import labels
from cutaway.gallery.comparing.relatives import Lineage
from cutaway.gallery.drawing.pictures import role_of
from cutaway.gallery.spec import ModelSpec, MoE
from cutaway.gallery.sublayers import parts_of

OLDEST = date(2023, 4, 1)  # what is older stands at the left edge, with its year
DRAWN = 250  # structures in the drawing; the list has all
MOST = 3  # mechanisms named on a label; the list and the card name all
LATE = date(2026, 6, 1).toordinal()  # from here on one is named, for want of room at the right edge


@dataclass(frozen=True, slots=True)
class Lane:
    """Models whose rarest mixer has one role."""

    key: str
    title: str
    says: str
    role: str


LANES = (
    Lane("dense", "Full attention", "dense", "full"),
    Lane("window", "Sliding windows", "and full attention", "window"),
    Lane("moe", "Full attention", "mixture of experts", "full"),
    Lane("latent", "Latent attention", "MLA", "latent"),
    Lane("sparse", "Sparse attention", "an indexer picks tokens", "sparse"),
    Lane("linear", "Linear, delta, convolution", "fixed state, most or all layers", "linear"),
    Lane("ssm", "State space", "Mamba", "ssm"),
)
RAREST = ("ssm", "linear", "sparse", "latent", "window")


@dataclass(frozen=True, slots=True)
class Shown:
    """One structure as it is drawn."""

    slug: str
    title: str  # with the sizes of its near-clones
    company: str
    date: str
    day: int
    lane: int
    mixers: tuple[tuple[str, float], ...]  # role -> its share of the layers
    mlps: tuple[tuple[str, float], ...]
    first: tuple[str, ...]  # mechanisms that it is the first here with
    clones: tuple[tuple[str, str], ...]  # (slug, title) of the others of its stack
    parent: Link | None

    @property
    def same(self) -> bool:
        """Whether only sizes differ from its relative's."""
        return self.parent is not None and not self.parent.apart

    @property
    def tag(self) -> str:
        """The second line of its label."""
        if not self.first:
            return ""
        most = MOST if self.day < LATE else 1
        more = f" + {len(self.first) - most} more" if len(self.first) > most else ""
        return "+ " + " + ".join(self.first[:most]) + more

    @property
    def changes(self) -> str:
        """What it gained and lost against its relative."""
        if self.parent is None:
            return "the oldest model here"
        words = [f"+ {word}" for word in labels(self.parent.gained)]
        words += [f"− {word}" for word in labels(self.parent.lost)]
        return ", ".join(words) or "same mechanisms"

    @property
    def says(self) -> str:
        """The whole in a line, for a screen reader."""
        relative = f"; closest earlier model {self.parent.title}: {self.changes}" if self.parent else ""
        return f"{self.title}, {self.date}{relative}"


@lru_cache(1)
def shown(known: Lineage) -> tuple[Shown, ...]:
    """Every structure, by date."""
    return tuple(_shown(one) for one in known.structures)


def drawn(known: Lineage, most: int = DRAWN) -> list[Shown]:
    """As many structures as a drawing holds, by date: those that most descend from, so that relatives are there too."""
    after = {one.head.slug: 0 for one in known.structures}
    for one in reversed(known.structures):
        if one.parent:
            after[one.parent.slug] += 1 + after[one.head.slug]
    places = range(len(known.structures))
    ranked = sorted(places, key=lambda place: -after[known.structures[place].head.slug])[:most]
    return [shown(known)[place] for place in sorted(ranked)]


def _shown(one: Structure) -> Shown:
    head, spec = one.head, one.head.spec
    title = stacked([entry.title for entry in one.members])
    old = f" ({head.date[:4]})" if date.fromisoformat(head.date) < OLDEST else ""
    return Shown(
        *(head.slug, title + old, head.company, head.date),
        date.fromisoformat(head.date).toordinal(),
        *look_of(Same(spec)),
        first=tuple(labels(one.new)),
        clones=tuple((entry.slug, entry.title) for entry in one.members if entry is not head),
        parent=one.parent,
    )


@lru_cache(4096)  # specs stay when another model of the catalogue changes
def look_of(same: Same) -> tuple[int, tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]:
    """Its lane, and how much of the stack has each colour: of mixers, of MLPs."""
    return lane_of(same.spec), shares(same.spec, "mixer"), shares(same.spec, "mlp")


def roles(spec: ModelSpec, half: str) -> Iterator[str]:
    """The colour of every single mixer or MLP, layer by layer."""
    for layer in spec.layers:
        for part in parts_of(getattr(layer, half)):
            yield role_of(part)


def shares(spec: ModelSpec, half: str) -> tuple[tuple[str, float], ...]:
    """How much of the stack has each colour, the most frequent first."""
    found = Counter(roles(spec, half))
    return tuple((role, count / found.total()) for role, count in found.most_common())


def lane_of(spec: ModelSpec) -> int:
    """The lane of the rarest role; full attention alone is parted by its MLPs."""
    held = set(roles(spec, "mixer"))
    kind = next((role for role in RAREST if role in held), "")
    if not kind:
        kind = "moe" if any(isinstance(part, MoE) for layer in spec.layers for part in parts_of(layer.mlp)) else "dense"
    return next(place for place, lane in enumerate(LANES) if lane.key == kind)


def stacked(titles: list[str]) -> str:
    """Qwen3 32B, Qwen3 4B, Qwen3 8B -> Qwen3 32B · 4B · 8B; more than three are counted."""
    first, *others = titles
    if not others:
        return first
    words = first.split()
    rests = []
    for other in others:
        own = other.split()
        same = next((i for i, (a, b) in enumerate(zip(words, own, strict=False)) if a != b), min(len(words), len(own)))
        rests.append(" ".join(own[same:]) if 0 < same < len(own) else other)
    short = all(len(rest) <= 12 for rest in rests)
    return " · ".join([first, *rests]) if short and len(rests) <= 3 else f"{first} and {len(others)} more"


def undated(rows, known: Lineage) -> list:
    """Drawn models without a date, which take no part; packings and trainings of others are left out."""
    return [row for row in rows if row.snapshot and not row.date and not row.variant_of and row.slug not in known.of]


def path(known: Lineage, slug: str) -> list[Entry]:
    """From the first ancestor to a structure's head."""
    found = [known.of[slug].head]
    while link := known.of[found[-1].slug].parent:
        found.append(known.of[link.slug].head)
    return found[::-1]
