"""What ranks hold -> whether it fits, the fullest rank, how many sequences and how long a context."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cutaway.gallery.planning.cache_memory import CacheRow, cache_bytes, cache_rows, padding_bytes
from cutaway.gallery.planning.engine import is_measured
from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory, list_rank_memory
from cutaway.gallery.planning.stages import count_kinds

LONGEST = 1 << 27  # tokens; the search for a longest context ends here


@dataclass(frozen=True, slots=True)
class Plan:
    """A layout of a model, and what follows from it."""

    layout: Layout
    ranks: tuple[RankMemory, ...]  # one of each pipeline stage; the others of the stage are alike
    room_bytes: int  # of one GPU, the used share of its memory
    sequences: int | None  # serving: how many fit at the context, over all of the layout; None: nothing grows
    longest_context: int | None  # serving: of one sequence on each part that attends on its own; None: no end
    here: int = 0  # serving: sequences on the part that has most

    @property
    def fullest(self) -> RankMemory:
        return max(self.ranks, key=lambda rank: rank.total_bytes)

    @property
    def lacks_a_sequence(self) -> bool:
        """Serving: whether all has room but what one sequence keeps."""
        return self.sequences == 0 and self.fullest.total_bytes <= self.room_bytes

    @property
    def neediest(self) -> RankMemory:
        """The rank for which room is looked for: the fullest; with one sequence, where that alone is too much."""
        if not self.lacks_a_sequence:
            return self.fullest
        held = (replace(rank, cache_bytes=rank.cache_bytes + rank.sequence_cache_bytes) for rank in self.ranks)
        return max(held, key=lambda rank: rank.total_bytes)

    @property
    def emptiest(self) -> RankMemory:
        return min(self.ranks, key=lambda rank: rank.total_bytes)

    @property
    def flight(self) -> int:
        """Serving: sequences that pass a stage together. While decoding, groups of them follow each other through a
        pipeline, as many as it has stages."""
        return -(-self.here // self.layout.pp) if self.layout.job == "decode" else self.here

    @property
    def at_most(self) -> bool:
        """Whether more than counted may be held: an engine's overhead that was not measured on such a layout."""
        return not is_measured(self.layout)

    @property
    def timed(self) -> bool:
        """Whether there is a step to time: a server without a sequence has none."""
        return self.layout.job == "train" or self.here > 0

    @property
    def fits(self) -> bool:
        """All that the layout names has room; a server needs room for one sequence at least."""
        return self.fullest.total_bytes <= self.room_bytes and self.sequences != 0


def per_part(ranks: list[RankMemory], room: int) -> int | None:
    """Sequences for which every stage of one part has room; None where a sequence keeps nothing."""
    counts = [max(room - rank.before_text_bytes, -1) // one for rank in ranks if (one := rank.sequence_bytes)]
    full = any(rank.before_text_bytes > room for rank in ranks)
    return 0 if full else min(counts) if counts else None


def longest(sheet: PlannerModel, layout: Layout, ranks: list[RankMemory], room: int) -> int | None:
    """The longest context of which every stage can keep one sequence; None where no context is too long."""
    kinds = [count_kinds(sheet, rank.layers) for rank in ranks]
    kept = [(cache_rows(sheet, layout.cache_dtype, own), own) for own in kinds]

    def size(rows: list[CacheRow], own: dict[int, int], context: int) -> int:
        cached = cache_bytes(sheet, layout, rows, context)
        return cached + padding_bytes(sheet, layout, own, context, cached)

    def fit(context: int) -> bool:
        sizes = (size(*one, context) for one in kept)
        return all(rank.before_text_bytes + size <= room for rank, size in zip(ranks, sizes, strict=True))

    if fit(LONGEST):
        return None
    low, high = 0, LONGEST  # low fits or is 0, high does not fit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fit(middle) else (low, middle)
    return low


def plan(sheet: PlannerModel, layout: Layout) -> Plan:
    """The plan of a legal layout; LayoutError with a sentence for any other."""
    if why := problem(sheet, layout):
        raise LayoutError(why)
    return make_plan(sheet, layout)


def make_plan(sheet: PlannerModel, layout: Layout, ends: bool = True) -> Plan:
    """The plan of a layout that is legal; `ends`: with the longest context, which takes longest to find."""
    room = int(layout.device.memory_bytes * layout.used)
    ranks = list_rank_memory(sheet, layout)
    if layout.job == "train":
        return Plan(layout, tuple(ranks), room, None, None)
    each = per_part(ranks, room)
    here = -(-layout.batch // layout.dp) if layout.batch else 1 if each is None else each  # of the part that has most
    filled = tuple(replace(rank, cache_bytes=here * rank.sequence_bytes) for rank in ranks)
    total = None if each is None else each * layout.dp
    end = longest(sheet, layout, ranks, room) if ends else None
    return Plan(layout, filled, room, total, end, here)
