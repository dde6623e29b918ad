"""vLLM V1's KV cache manager and scheduler once more, small, from its published rules: a second route to paged-cache.

Written from vLLM's page on automatic prefix caching and its scheduler's comments, not from the explainer: texts are
lists of tokens, a block's hash is that of its parent and its tokens, free blocks are a dict in order of their release.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

WHOLE = 256  # max_model_len


@dataclass(eq=False)
class Sequence:
    """A request with its tokens."""

    number: int
    prompt: list
    answer: list
    arrival: int | None
    gap: int = 0
    parent: Sequence | None = None
    tokens: list = field(default_factory=list)
    computed: int = 0
    blocks: list = field(default_factory=list)
    finished: int = 0
    most: int = 0
    digests: list = field(default_factory=list)  # of its full blocks; a text only grows

    def __post_init__(self):
        self.tokens = list(self.prompt)


def sequences(rows: list[list[int]], system: int) -> list[Sequence]:
    """Texts for rows of [arrival, own, answer, parent]."""
    made: list[Sequence] = []
    for number, (arrival, own, answer, parent) in enumerate(rows):
        before = made[parent] if parent >= 0 else None
        begins = [*before.prompt, *before.answer] if before else [("system", i) for i in range(system)]
        prompt = begins + [(number, i) for i in range(own)]
        said = [(number, "said", i) for i in range(answer)]
        made.append(Sequence(number, prompt, said, None if before else arrival, arrival, before))
    return made


class Server:
    """schedule() is one step; what it did stands in `did`, {number: tokens}."""

    def __init__(self, every: list[Sequence], blocks: int, state: dict):
        self.every, self.state, self.size = every, state, state["block_size"]
        self.free = dict.fromkeys(range(blocks))  # head first
        self.users = [set() for _ in range(blocks)]
        self.hash_of: dict[int, str] = {}
        self.waiting, self.running = [], []
        self.clock = self.preempted = self.again = self.evicted = self.hits = 0

    # ---- blocks

    def hashes(self, one: Sequence, count: int) -> list[str]:
        while len(one.digests) < count:
            parent, start = one.digests[-1:], len(one.digests) * self.size
            inside = one.tokens[start : start + self.size]
            one.digests.append(hashlib.sha256(repr((parent, inside)).encode()).hexdigest())
        return one.digests[:count]

    def cached(self, digest: str) -> int | None:
        return next((block for block, known in self.hash_of.items() if known == digest), None)

    def new_blocks(self, one: Sequence, count: int) -> None:
        for _ in range(count):
            block = next(iter(self.free))
            del self.free[block]
            if self.hash_of.pop(block, None):
                self.evicted += 1
            self.users[block].add(one)
            one.blocks.append(block)

    def drop(self, one: Sequence) -> None:
        for block in reversed(one.blocks):
            self.users[block].discard(one)
            if not self.users[block]:
                self.free[block] = None
        one.blocks = []

    def lacking(self, one: Sequence, tokens: int) -> int:
        return max(0, -(-tokens // self.size) - len(one.blocks))

    def compute(self, one: Sequence, count: int) -> None:
        self.again += sum(1 for place in range(one.computed, one.computed + count) if place < one.most)
        one.computed += count
        one.most = max(one.most, one.computed)
        self.did[one.number] = count
        if self.state["prefix_caching"] and self.state["allocation"] == "paged":
            full = one.computed // self.size
            for block, digest in zip(one.blocks, self.hashes(one, full), strict=False):
                if block not in self.hash_of:
                    self.hash_of[block] = digest

    # ---- a step

    def schedule(self) -> None:
        self.clock += 1
        self.did: dict[int, int] = {}
        self.waiting += [one for one in self.every if one.arrival == self.clock - 1]
        budget, empty, before = self.state["max_num_batched_tokens"], not self.running, self.preempted
        self.by_hand()
        for one in list(self.running):
            if not budget or one not in self.running:
                continue
            count = min(len(one.tokens) - one.computed, budget)
            while one in self.running and self.lacking(one, one.computed + count) > len(self.free):
                self.preempt(self.running[-1])
            if one in self.running:
                self.new_blocks(one, self.lacking(one, one.computed + count))
                self.compute(one, count)
                budget -= count
        if self.preempted == before and (empty or self.state["batching"] != "static"):
            self.admit(budget)
        self.seen = {one.number: list(one.blocks) for one in self.running}
        self.generate()

    def by_hand(self) -> None:
        moves = self.state["moves"]
        for step, number in zip(moves[::2], moves[1::2], strict=True):
            if step == self.clock and number < len(self.every):
                one = self.every[number]
                if one in self.running:
                    self.preempt(one)
                elif one in self.waiting:
                    self.waiting.sort(key=lambda other, one=one: other is not one)

    def preempt(self, one: Sequence) -> None:
        self.running.remove(one)
        self.drop(one)
        one.computed = 0
        self.waiting = [one, *self.waiting]
        self.preempted += 1

    def admit(self, budget: int) -> None:
        while self.waiting and budget and len(self.running) < self.state["max_num_seqs"]:
            one = self.waiting[0]
            hits = self.prefix(one)
            rest = len(one.tokens) - len(hits) * self.size
            if self.state["batching"] == "whole" and rest > budget:
                break
            if self.state["allocation"] == "paged":
                left = [block for block in self.free if block not in hits]
                if -(-len(one.tokens) // self.size) - len(hits) > len(left):
                    break
                for block in hits:
                    self.free.pop(block, None)
                    self.users[block].add(one)
                one.blocks, one.computed = hits, len(hits) * self.size
                self.hits += one.computed
            elif not self.reserve(one):
                break
            self.running.append(self.waiting.pop(0))
            count = min(rest, budget)
            self.new_blocks(one, self.lacking(one, one.computed + count))
            self.compute(one, count)
            budget -= count

    def prefix(self, one: Sequence) -> list[int]:
        """Cached blocks from the start on; the last token is left to be computed."""
        found: list[int] = []
        for digest in self.hashes(one, (len(one.tokens) - 1) // self.size):
            block = self.cached(digest)
            if block is None:
                break
            found.append(block)
        return found

    def reserve(self, one: Sequence) -> bool:
        most = WHOLE if self.state["allocation"] == "max" else len(one.prompt) + len(one.answer)
        need = -(-most // self.size)
        for start in range(len(self.users) - need + 1):
            if all(block in self.free for block in range(start, start + need)):
                one.blocks = list(range(start, start + need))
                for block in one.blocks:
                    del self.free[block]
                    self.users[block].add(one)
                return True
        return False

    def generate(self) -> None:
        for one in [one for one in self.running if one.number in self.did]:
            said = len(one.tokens) - len(one.prompt)
            if one.computed < len(one.tokens):
                continue
            one.tokens.append(one.answer[said])
            if said + 1 == len(one.answer):
                one.finished = self.clock
        for one in [one for one in self.running if one.finished]:
            self.running.remove(one)
            self.drop(one)
            for other in self.every:
                if other.parent is one:
                    other.arrival = self.clock + other.gap


def served(rows: list[list[int]], blocks: int, state: dict) -> tuple[Server, list[tuple]]:
    """(the server at its end, per step: tokens of each request, tables, waiting queue)."""
    server = Server(sequences(rows, state["system"]), blocks, state)
    steps = []
    while not all(one.finished for one in server.every):
        server.schedule()
        steps.append((server.did, server.seen, [one.number for one in server.waiting]))
    return server, steps
