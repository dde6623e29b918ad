"""A schedule of the mesh, run over small numpy slices: what everyone holds after every step, and what was sent.

Each rank has n slots of WIDTH numbers. Log rows: [step, src, dst, chunk, into, bytes, op].
"""

from __future__ import annotations

import numpy as np

from cutaway.gallery import mesh

WIDTH = 2  # numbers in a chunk; the first tells by its binary digits whose numbers are summed in it


class Run:
    """n ranks and their slots; `frames` keeps what everyone holds before the run and after every step."""

    def __init__(self, start: np.ndarray, plan: mesh.Schedule):
        self.n = len(start)
        self.slots = [list(rank) for rank in start.astype(np.float32)]
        self.log: list[list] = []
        self.phases: list[str] = []
        self.frees: list[bool] = []  # of each step: does the sender give up what it sends?
        self.frames = [self._frame()]
        mesh.carry_out(plan, self.slots, self._seen)
        if plan.order:
            self.frames.append(self._frame())

    @property
    def held(self) -> np.ndarray:
        """The slots as one array; a slot that was given up is zero."""
        nothing = np.zeros(WIDTH, np.float32)
        return np.array([[nothing if slot is None else slot for slot in rank] for rank in self.slots])

    def _frame(self) -> list[list[int]]:
        return [[int(x) for x in rank.ravel()] for rank in self.held]

    def _seen(self, step: mesh.Step, sent: list[np.ndarray]) -> None:
        self.phases.append(step.phase)
        for (src, dst, chunk, into, adds), payload in zip(step.sends, sent, strict=True):
            self.log.append([len(self.phases), src, dst, chunk, into, payload.nbytes, "add" if adds else "copy"])
        self.frees.append(step.frees)
        self.frames.append(self._frame())
