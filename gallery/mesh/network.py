"""Arrays by rank -> arrays by rank, after a collective that really moved slices; every message is a row of the log.

A schedule says who sends what; here it is done with real arrays. All groups along an axis go at once, each by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cutaway.gallery.mesh.grid import Mesh
from cutaway.gallery.mesh.schedules import schedule
from cutaway.gallery.mesh.steps import Schedule, Step

Array = np.ndarray
Slots = list[Array | None]  # of one rank; None: nothing is there


class Move(NamedTuple):
    """One chunk that was sent. Rows of one time, source and destination are one message."""

    time: int
    source: int
    destination: int
    tensor: str
    bytes: int
    axis: str
    link: str  # "inside" a node | "outside"


class Call(NamedTuple):
    """One collective in one group, and which rows of the log it made."""

    op: str
    axis: str
    tensor: str
    group: tuple[int, ...]
    held: int  # bytes in all the group's slots before it ran
    start: int
    stop: int


def carry_out(plan: Schedule, held: list[Slots], seen: Callable[[Step, list[Array]], None] | None = None) -> None:
    """Run a schedule on the slots of its ranks, in place; `seen` is told each step and what is sent in it."""
    n, start = len(held), [list(slots) for slots in held]
    for step in plan.steps:
        begun = start if step.first else held
        sent = is_full([begun[source][chunk] for source, _, chunk, _, _ in step.sends])
        for source, _, chunk, _, _ in step.sends if step.frees else ():
            held[source][chunk] = None
        for (_, destination, _, into, adds), payload in zip(step.sends, sent, strict=True):
            there = held[destination][into] if adds else None
            held[destination][into] = payload if there is None else there + payload
        if seen:
            seen(step, sent)
    if plan.order:
        for rank, slots in enumerate(held):
            placed = {plan.slot_of(rank, slot, n): chunk for slot, chunk in enumerate(slots)}
            slots[:] = [placed[slot] for slot in range(n)]


class Network:
    """A mesh whose ranks send; `log` keeps every move, `time` counts the steps so far."""

    def __init__(self, mesh: Mesh, algorithm: str = "ring") -> None:
        self.mesh, self.algorithm = mesh, algorithm
        self.log: list[Move] = []
        self.calls: list[Call] = []
        self.time = 0

    def run(
        self, op: str, slots: Mapping[int, Slots], axis: str, tensor: str, algorithm: str = "", root: int = 0,
        groups: Sequence[list[int]] = (),
    ) -> dict[int, Slots]:  # fmt: skip
        """One collective in every group along an axis; a group is here whole or not at all. `groups`: in these."""
        held, longest = {rank: list(own) for rank, own in slots.items()}, 0
        for group in groups or self.groups(held, axis):
            plan = self.plan(op, group, algorithm or self.algorithm, root)
            size = sum(chunk.nbytes for rank in group for chunk in held[rank] if chunk is not None)
            begun = len(self.log)
            longest = max(longest, self.together(plan, held, group, axis, tensor))
            self.calls.append(Call(op, axis, tensor, tuple(group), size, begun, len(self.log)))
        self.time += longest
        return held

    def groups(self, held: Mapping[int, object], axis: str) -> list[list[int]]:
        """The groups along an axis of the ranks that take part."""
        found = {tuple(self.mesh.group(rank, axis)) for rank in held}
        away = sorted({rank for group in found for rank in group} - set(held))
        if away:
            raise ValueError(f"Ranks {away} of {axis} do not take part; a group meets whole.")
        return [list(group) for group in sorted(found)]

    def plan(self, op: str, group: list[int], algorithm: str, root: int) -> Schedule:
        """The schedule of one group."""
        local = self.mesh.neighbours(group) if algorithm == "hierarchical" else 0
        return schedule(op, algorithm, len(group), root, local)

    def together(self, plan: Schedule, held: dict[int, Slots], group: list[int], axis: str, tensor: str) -> int:
        """One group's steps, logged; returns how many."""
        own, done = [held[rank] for rank in group], 0

        def seen(step: Step, sent: list[Array]) -> None:
            nonlocal done
            done += 1
            for (source, destination, *_), chunk in zip(step.sends, sent, strict=True):
                self.record(self.time + done, group[source], group[destination], tensor, chunk, axis)

        carry_out(plan, own, seen)
        return done

    def record(self, time: int, source: int, destination: int, tensor: str, chunk: Array, axis: str) -> None:
        """One row of the log; what is empty is not sent."""
        size = chunk.nbytes
        if size:
            self.log.append(Move(time, source, destination, tensor, size, axis, self.mesh.link(source, destination)))

    # ------------------------------------------------------------ the collectives

    def all_gather(
        self, parts: Mapping[int, Array], axis: str, tensor: str, dim: int = 0, algorithm: str = ""
    ) -> dict[int, Array]:
        """Everyone's part, joined along a dim in the order of the group, on everyone."""
        found = self.all_gather_parts(parts, axis, tensor, algorithm)
        return {rank: np.concatenate(own, dim) for rank, own in found.items()}

    def all_gather_parts(
        self, parts: Mapping[int, Array], axis: str, tensor: str, algorithm: str = ""
    ) -> dict[int, list[Array]]:
        """The same, part by part: they may differ in size."""
        n = self.mesh.length(axis)
        slots = {rank: fill_slot(part, self.mesh.place(rank, axis), n) for rank, part in parts.items()}
        done = self.run("all-gather", slots, axis, tensor, algorithm)
        return {rank: is_full(own) for rank, own in done.items()}

    def reduce_scatter(
        self, parts: Mapping[int, Array], axis: str, tensor: str, dim: int = 0, algorithm: str = ""
    ) -> dict[int, Array]:
        """The sum of everyone's array, each rank its own share along a dim."""
        n = self.mesh.length(axis)
        slots = {rank: split_array(part, n, dim) for rank, part in parts.items()}
        done = self.run("reduce-scatter", slots, axis, tensor, algorithm)
        return {rank: is_full([own[self.mesh.place(rank, axis)]])[0] for rank, own in done.items()}

    def all_reduce(
        self, parts: Mapping[int, Array], axis: str, tensor: str, algorithm: str = "",
        groups: Sequence[list[int]] = (),
    ) -> dict[int, Array]:  # fmt: skip
        """The sum of everyone's array, on everyone. Chunks are any n parts, as equal as can be."""
        every = groups or self.groups(parts, axis)
        slots: dict[int, Slots] = {
            rank: list(np.array_split(parts[rank].ravel(), len(group))) for group in every for rank in group
        }
        done = self.run("all-reduce", slots, axis, tensor, algorithm, groups=every)
        return {rank: np.concatenate(is_full(own)).reshape(parts[rank].shape) for rank, own in done.items()}

    def all_to_all(
        self, parts: Mapping[int, Sequence[Array]], axis: str, tensor: str, algorithm: str = ""
    ) -> dict[int, list[Array]]:
        """A rank's part j, of any size, to the group's rank j; it gets one of everyone, in the order of the group."""
        slots: dict[int, Slots] = {rank: list(own) for rank, own in parts.items()}
        done = self.run("all-to-all", slots, axis, tensor, algorithm or "direct")
        return {rank: is_full(own) for rank, own in done.items()}

    def broadcast(
        self, parts: Mapping[int, Array], axis: str, tensor: str, root: int = 0, algorithm: str = ""
    ) -> dict[int, Array]:
        """The array of each group's rank at place `root`, on everyone; of others only the key is looked at."""
        n, mesh = self.mesh.length(axis), self.mesh
        nothing: Slots = [None] * n
        slots: dict[int, Slots] = {
            rank: list(np.array_split(part.ravel(), n)) if mesh.place(rank, axis) == root else nothing
            for rank, part in parts.items()
        }
        done = self.run("broadcast", slots, axis, tensor, algorithm, root)
        shapes = {rank: parts[mesh.group(rank, axis)[root]].shape for rank in parts}
        return {rank: np.concatenate(is_full(own)).reshape(shapes[rank]) for rank, own in done.items()}

    def send(self, parts: Mapping[int, Array], to: Mapping[int, int], axis: str, tensor: str) -> dict[int, Array]:
        """Each source's array to its destination, all at once, as stages of a pipeline and rings of keys do."""
        for source, destination in to.items():
            if source != destination:
                self.record(self.time + 1, source, destination, tensor, parts[source], axis)
        self.time += 1
        return {destination: parts[source] for source, destination in to.items()}


def fill_slot(part: Array, place: int, n: int) -> Slots:
    """n slots of which one is filled."""
    return [part if slot == place else None for slot in range(n)]


def split_array(array: Array, n: int, dim: int) -> Slots:
    """n equal parts along a dim."""
    if array.shape[dim] % n:
        raise ValueError(f"{array.shape[dim]} along dim {dim} of {array.shape} are no {n} equal parts.")
    return list(np.split(array, n, dim))


def is_full(slots: Slots) -> list[Array]:
    """What is sent, and what a finished collective promises: something in every slot."""
    chunks = [chunk for chunk in slots if chunk is not None]
    if len(chunks) != len(slots):
        raise AssertionError(f"{len(slots) - len(chunks)} of {len(slots)} slots are empty.")
    return chunks
