"""A value of a graph on all ranks: whole or in lanes, all rows or each rank its own, and what is still to be summed."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutaway.gallery.mesh.collectives import Parts
from cutaway.gallery.mesh.lanes import Lanes


@dataclass
class Value:
    """`parts` are there; `pending` partial sums still wait for their meeting."""

    name: str
    form: tuple[int, ...]  # of one token, the whole of it
    parts: Parts | None
    lanes: Lanes | None = None  # of `parts`; None: whole
    pending: Parts | None = None  # all rows, to be summed over the tensor axis
    own_rows: bool = False  # `parts` are each rank's share of the rows (sequence parallelism)
    free: bool = False  # it has no row for each token
    known: dict[str, Parts] = field(default_factory=dict)  # what it was turned into before
