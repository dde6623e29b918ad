"""Who works on what: the ranks of a mesh, the sequence and the rows of each, the stages of a pipeline; and what all
of them share, the network and the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cutaway.gallery.mesh.collectives import Collectives
from cutaway.gallery.mesh.grid import Mesh
from cutaway.gallery.mesh.network import Network
from cutaway.gallery.mesh.tape import NoTape, Tape
from cutaway.gallery.mesh.weights import Weights
from cutaway.gallery.running.interpreter import Run, check_tokens
from cutaway.gallery.running.state import State
from cutaway.gallery.spec import ModelSpec

Array = np.ndarray


@dataclass
class RankRun(Run):
    """A run that sees some rows of its sequence."""

    rows: Array | None = None

    @property
    def positions(self) -> Array:
        """Where its rows stand in the sequence."""
        return np.arange(len(self.tokens)) if self.rows is None else self.rows


class MeshRanks:
    """A model's ranks. `tokens`: one sequence for each place along dp; `rows`: which of its rows each place along cp
    has; with `sequence_parallel` tensor ranks share the rows of the stream; `stages`: of each layer. Without
    `gradients` the tape is an empty one."""

    def __init__(
        self, spec: ModelSpec, state: State, mesh: Mesh, tokens: Sequence[Sequence[int]],
        sequence_parallel: bool, rows: Sequence[Array] | None, stages: Sequence[int],
        gradients: bool,
    ) -> None:  # fmt: skip
        self.spec, self.state, self.mesh, self.t = spec, state, mesh, mesh.length("tp")
        self.tokens = [check_tokens(spec, one) for one in tokens]
        self.rows = [np.arange(len(self.tokens[0]))] if rows is None else list(rows)
        self.sp = sequence_parallel and self.t > 1
        self.stages = stages or even_stages(len(spec.layers), mesh.length("pp"))
        self.ranks = self.stage_ranks(0)  # those that work just now
        self.net, self.tape = Network(mesh), Tape() if gradients else NoTape()
        self.wire = Collectives(self.net, self.tape)
        self.weights = Weights(state, self.tape, self.net)

    def place(self, rank: int) -> int:
        return self.mesh.place(rank, "tp")

    def sequence(self, rank: int) -> Array:
        return self.tokens[self.mesh.place(rank, "dp")]

    def own(self, rank: int, shared_rows: bool) -> Array:
        """The rows that a rank has; a share of them where the tensor axis shares rows."""
        rows = self.rows[self.mesh.place(rank, "cp")]
        return np.split(rows, self.t)[self.place(rank)] if shared_rows else rows

    def here(self, rank: int, layer: int | None, rows: Array | None) -> RankRun:
        """A run of one rank."""
        return RankRun(self.spec, self.state, self.sequence(rank), layer=layer, rows=rows)

    def stage_ranks(self, stage: int) -> list[int]:
        return [rank for rank in self.mesh.ranks if self.mesh.place(rank, "pp") == stage]

    def enter_stage(self, stage: int) -> None:
        """What is computed from here on is computed on this stage's ranks."""
        self.ranks = self.stage_ranks(stage)


def even_stages(layers: int, many: int) -> list[int]:
    """The stage of each layer, as evenly as can be."""
    return [stage for stage, own in enumerate(np.array_split(np.arange(layers), many)) for _ in own]
