"""Requests and settings -> every step of an engine that serves them: vLLM V1's scheduler, first come, first served.

A step: running requests get their next tokens in order, then waiting ones are admitted, all from one token budget.
Where blocks run out, the request admitted last is preempted: it loses its blocks and computes its text again.
`allocation` "max" and "exact" reserve one contiguous range for each request instead, as engines did before paging.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.explainers.paged_cache.pool import Key, Pool
from cutaway.explainers.paged_cache.workloads import LIMIT, NONE

WAITS, PREFILLS, DECODES, REPEATS, STALLS, PREEMPTED, AWAY = "w", "p", "d", "r", "s", "x", " "


class Request:
    """One request, and how far the engine is with it."""

    def __init__(self, number: int, row: list[int], parent: Request | None, system: int) -> None:
        arrival, own, answer, _ = row
        self.number, self.answer, self.parent, self.gap = number, answer, parent, arrival
        self.shared = parent.prompt + parent.answer if parent else system  # tokens that an earlier request has, too
        self.prompt = self.shared + own
        self.arrival = NONE if parent else arrival  # a next turn comes after its parent's answer
        self.computed = self.made = self.furthest = self.stored = self.hits = 0
        self.table: list[int] = []
        self.lane: list[str] = []
        self.first = self.done = 0  # steps: of the first token, of the last

    def text(self) -> int:
        """Tokens so far: the prompt and what has been generated."""
        return self.prompt + self.made

    def owner(self, at: int) -> int:
        """The request whose text the token at a place belongs to; all tokens before it are that request's, too."""
        if at >= self.shared:
            return self.number
        return self.parent.owner(at) if self.parent else 0


class Engine:
    """The queues, the pool, and what has been counted."""

    def __init__(self, rows: list[list[int]], given: Mapping[str, Any], blocks: int) -> None:
        self.given, self.size, self.pool = given, given["block_size"], Pool(blocks)
        self.all: list[Request] = []
        for number, row in enumerate(rows):
            parent = self.all[row[3]] if row[3] != NONE else None
            self.all.append(Request(number, row, parent, given["system"]))
        self.waiting: list[Request] = []
        self.running: list[Request] = []
        self.now = self.preemptions = self.repeated = self.tokens = 0
        self.marks: dict[int, str] = {}  # what each request does in this step
        self.paged = given["allocation"] == "paged"
        self.caching = given["prefix_caching"] and self.paged
        moves = given["moves"]
        self.moves = list(zip(moves[::2], moves[1::2], strict=True))

    def over(self) -> bool:
        """Whether every request is answered."""
        return all(one.done for one in self.all)

    def blocks_for(self, tokens: int) -> int:
        return -(-tokens // self.size)

    def step(self) -> list[Request]:
        """One step up to where blocks are still held; the requests that it finishes. `finish` ends it."""
        self.now += 1
        self.marks = {}
        self.waiting += [one for one in self.all if one.arrival == self.now - 1]
        self.tokens = self.given["max_num_batched_tokens"]
        idle = not self.running
        preempted = self.moved()
        preempted = self.run_running() or preempted
        if not preempted and (idle or self.given["batching"] != "static"):
            self.admit()
        return self.sample()

    def moved(self) -> bool:
        """The reader's moves: a waiting request to the head of its queue, a running one back to it."""
        preempted = False
        for one in [self.all[number] for step, number in self.moves if step == self.now]:
            if one in self.waiting:
                self.waiting.remove(one)
                self.waiting.insert(0, one)
            elif one in self.running:
                self.running.remove(one)
                self.preempt(one)
                preempted = True
        return preempted

    def preempt(self, one: Request) -> None:
        """Takes a request's blocks and puts it at the head of the waiting queue; its text it keeps."""
        self.pool.release(one.table)
        one.table, one.computed, one.stored = [], 0, 0
        self.waiting.insert(0, one)
        self.preemptions += 1
        self.marks[one.number] = PREEMPTED

    def run_running(self) -> bool:
        """Running requests in order of admission, each as many tokens as it lacks; whether one was preempted."""
        preempted, i = False, 0
        while i < len(self.running) and self.tokens > 0:
            one = self.running[i]
            new = min(one.text() - one.computed, self.tokens)
            need = self.blocks_for(one.computed + new) - len(one.table)
            while need > len(self.pool.free):
                last = self.running.pop()
                self.preempt(last)
                preempted = True
                if last is one:
                    return True
            self.schedule(one, new, need)
            i += 1
        return preempted

    def schedule(self, one: Request, new: int, need: int) -> None:
        """Gives a request blocks and tokens of this step; blocks that get full can be found from now on."""
        if need > 0:
            one.table += self.pool.take(need)
        again = max(0, min(one.furthest, one.computed + new) - one.computed)
        first = PREFILLS if one.computed < one.prompt else DECODES
        self.marks[one.number] = REPEATS if again else first
        self.repeated += again
        one.computed += new
        one.furthest = max(one.furthest, one.computed)
        self.tokens -= new
        if self.caching:
            for place in range(one.stored, one.computed // self.size):
                self.pool.store(one.table[place], self.key(one, place))
            one.stored = max(one.stored, one.computed // self.size)

    def key(self, one: Request, place: int) -> Key:
        return (one.owner((place + 1) * self.size - 1), place)

    def found(self, one: Request) -> list[int]:
        """The cached blocks that a request begins with. The last token is never taken: its logits are needed."""
        blocks: list[int] = []
        while self.caching and (len(blocks) + 1) * self.size <= one.text() - 1:
            block = self.pool.find(self.key(one, len(blocks)))
            if block is None:
                break
            blocks.append(block)
        return blocks

    def admit(self) -> None:
        """Waiting requests in order, until one does not fit: into the batch, the token budget or the blocks."""
        while self.waiting and self.tokens > 0 and len(self.running) < self.given["max_num_seqs"]:
            one = self.waiting[0]
            hits = self.found(one)
            lacks = one.text() - len(hits) * self.size
            if lacks > self.tokens and self.given["batching"] == "whole":
                return
            if not (self.room_paged(one, hits) if self.paged else self.room_reserved(one)):
                return
            self.waiting.pop(0)
            self.running.append(one)
            new = min(lacks, self.tokens)
            self.schedule(one, new, self.blocks_for(one.computed + new) - len(one.table))

    def room_paged(self, one: Request, hits: list[int]) -> bool:
        """Whether a request's whole text fits into free blocks; then it holds those it has found."""
        idle = sum(1 for block in hits if not self.pool.refs[block])
        if self.blocks_for(one.text()) - len(hits) + idle > len(self.pool.free):
            return False
        self.pool.touch(hits)
        one.table, one.stored = list(hits), len(hits)
        one.computed = len(hits) * self.size
        one.hits += one.computed
        return True

    def room_reserved(self, one: Request) -> bool:
        """Whether there is a contiguous range for all that a request may need; then it is reserved."""
        most = LIMIT if self.given["allocation"] == "max" else one.prompt + one.answer
        one.table = self.pool.run_of(self.blocks_for(most))
        self.pool.reserve(one.table)
        return bool(one.table)

    def sample(self) -> list[Request]:
        """Who has computed all its text gets its next token; the requests whose answer that ends."""
        ended = []
        for one in self.running:
            if one.number in self.marks and one.computed == one.text():
                one.made += 1
                one.first = one.first or self.now
                if one.made == one.answer:
                    ended.append(one)
        return ended

    def finish(self, ended: list[Request]) -> None:
        """Ends the step: notes what each request did, and frees the blocks of those that are answered."""
        for one in self.all:
            if not one.done:
                seen = STALLS if one in self.running else WAITS if one in self.waiting else AWAY
                one.lane.append(self.marks.get(one.number, seen))
        for one in ended:
            self.running.remove(one)
            self.pool.release(one.table)
            one.table, one.done = [], self.now
            for other in self.all:
                if other.parent is one:
                    other.arrival = self.now + other.gap
