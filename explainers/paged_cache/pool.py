"""A pool of KV cache blocks -> who holds which, which free ones still answer for a prefix, and which goes next.

The rules are those of vLLM V1's BlockPool: the free queue is in order of eviction, a freed table is appended last block
first, only full blocks have a key, and a key goes when its block is taken for something else.
"""

from __future__ import annotations

Key = tuple[int, int]  # the request whose text the block ends in, and the block's place: together they say every token


class Pool:
    """All blocks of the cache, by number."""

    def __init__(self, count: int) -> None:
        self.refs = [0] * count
        self.keys: list[Key | None] = [None] * count
        self.free = list(range(count))  # the next to be taken comes first
        self.cached: dict[Key, list[int]] = {}  # the same text may be stored twice; the block stored first answers
        self.evictions = 0

    def take(self, count: int) -> list[int]:
        """So many blocks from the head of the free queue; a cached one loses its key."""
        taken, self.free = self.free[:count], self.free[count:]
        for block in taken:
            self.refs[block] = 1
            self.forget(block)
        return taken

    def forget(self, block: int) -> None:
        """Evicts what a block was cached for, if anything."""
        key = self.keys[block]
        if key is None:
            return
        self.cached[key].remove(block)
        if not self.cached[key]:
            del self.cached[key]
        self.keys[block] = None
        self.evictions += 1

    def find(self, key: Key) -> int | None:
        """The block that holds this text, in use or free."""
        return self.cached[key][0] if key in self.cached else None

    def touch(self, blocks: list[int]) -> None:
        """One more request reads these blocks; a free one leaves the queue."""
        for block in blocks:
            if not self.refs[block]:
                self.free.remove(block)
            self.refs[block] += 1

    def store(self, block: int, key: Key) -> None:
        """A block has become full: from now on it can be found."""
        self.keys[block] = key
        self.cached.setdefault(key, []).append(block)

    def release(self, table: list[int]) -> None:
        """Gives a table back, its last block first: that one is the least likely to be asked for again."""
        for block in reversed(table):
            self.refs[block] -= 1
            if not self.refs[block]:
                self.free.append(block)

    def run_of(self, count: int) -> list[int]:
        """The first blocks that lie side by side and are free, or none: what a contiguous reservation needs."""
        found = 0
        for block, refs in enumerate(self.refs):
            found = 0 if refs else found + 1
            if found == count:
                return list(range(block - count + 1, block + 1))
        return []

    def reserve(self, run: list[int]) -> None:
        """Takes a run of blocks for one request."""
        for block in run:
            self.free.remove(block)
            self.refs[block] = 1
