"""Which request is next: clients take turns, and each has only a few requests at work or in line.

The rule of HubQueue, for work on this machine. Callers hold a lock.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Lines of requests, one for each client: `most` in all, `each` of one client."""

    def __init__(self, most: int, each: int) -> None:
        self.most, self.each = most, each
        self.lines: dict[Hashable, deque[T]] = {}  # the client whose turn is next comes first
        self.at_work: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        """How many wait."""
        return sum(map(len, self.lines.values()))

    def add(self, client: Hashable, request: T) -> bool:
        """Whether there was room for it at the end of its client's line."""
        line = self.lines.get(client, deque[T]())
        if len(line) >= self.each or len(self) >= self.most:
            return False
        line.append(request)
        self.lines[client] = line
        return True

    def take(self, at_once: int) -> tuple[Hashable, T] | None:
        """The next client and its oldest request; None where everybody who waits has `at_once` at work already."""
        for client, line in self.lines.items():
            if self.at_work[client] < at_once:
                request = line.popleft()
                del self.lines[client]
                if line:
                    self.lines[client] = line
                self.at_work[client] += 1
                return client, request
        return None

    def done(self, client: Hashable) -> None:
        """One that its client had at work is over."""
        self.at_work[client] -= 1
        if not self.at_work[client]:
            del self.at_work[client]

    def drop(self, request: T) -> None:
        """Take a request out of its line, where it is in one."""
        for client, line in self.lines.items():
            if request in line:
                line.remove(request)
                if not line:
                    del self.lines[client]
                return
