"""Ranks that own arrays, and a log of everything they send.

Each rank has n slots of WIDTH numbers. In a step every rank sends what it held when the step began; a message is one or
more chunks from one rank to another. Log rows: [step, src, dst, chunk, into, bytes, op].
"""

from __future__ import annotations

import numpy as np

WIDTH = 2  # numbers in a chunk; the first tells by its binary digits whose numbers are summed in it


class Machine:
    """n ranks and their slots; `frames` keeps what everyone holds before the run and after every step."""

    def __init__(self, start: np.ndarray):
        self.n = len(start)
        self.held = start.astype(np.float32)
        self.log: list[list] = []
        self.phases: list[str] = []
        self.frees: list[bool] = []  # of each step: does the sender give up what it sends?
        self.frames = [self._frame()]

    def _frame(self) -> list[list[int]]:
        return [[int(x) for x in rank.ravel()] for rank in self.held]

    def step(self, phase: str, moves: list[tuple], *, move: bool = False, source: np.ndarray | None = None) -> None:
        """Send all of `moves` = (src, dst, chunk, into, "copy" | "add") at once; `move`: the sender's slot is freed."""
        number = len(self.phases) + 1
        source = self.held if source is None else source
        payloads = [source[src, chunk].copy() for src, _, chunk, _, _ in moves]
        for src, _, chunk, _, _ in moves if move else ():
            self.held[src, chunk] = 0
        for (src, dst, chunk, into, op), payload in zip(moves, payloads, strict=True):
            self.held[dst, into] = payload if op == "copy" else self.held[dst, into] + payload
            self.log.append([number, src, dst, chunk, into, payload.nbytes, op])
        self.phases.append(phase)
        self.frees.append(move)
        self.frames.append(self._frame())

    def reorder(self, slot_of) -> None:
        """Every rank moves chunks between its own slots; nothing is sent, so it is a frame and no step."""
        before = self.held.copy()
        for rank in range(self.n):
            for slot in range(self.n):
                self.held[rank, slot_of(rank, slot)] = before[rank, slot]
        self.frames.append(self._frame())
