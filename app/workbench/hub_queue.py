"""What readers ask of the Hub: one request for all who ask the same, few at once for each reader, none for nobody.

`HubQueue.ask(reader, ...)` gives a Future. A reader waits for one answer at a time: asking again, or `drop(reader)`
when the page is closed, cancels what was asked before, and a request that nobody else waits for ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, NamedTuple

from cutaway.gallery import hub
from cutaway.gallery.hub.repo_address import HubError, address

PER_READER = 2  # one that is wanted, and one that is being hung up
AT_ONCE = 24  # a thread each
KEPT_SECONDS = 60.0
KEPT = 64
KEPT_CHARACTERS = 100_000  # of a config; the rare larger one is asked for again


class Kept(NamedTuple):
    """An answer that came a moment ago."""

    answer: Any
    until: float


class Flight:
    """One request, on its way or about to go."""

    def __init__(self, key: Hashable, reader: Hashable, fetch: Callable[[threading.Event], Any]) -> None:
        self.key, self.reader, self.fetch = key, reader, fetch
        self.waiting: dict[Hashable, Future] = {}
        self.dropped, self.gone = threading.Event(), False


class HubQueue:
    """Where the sessions of one server ask."""

    def __init__(self, per_reader: int = PER_READER, at_once: int = AT_ONCE) -> None:
        self.per_reader, self.at_once = per_reader, at_once
        self.lock = threading.RLock()
        self.flights: list[Flight] = []
        self.kept: dict[Hashable, Kept] = {}

    def ask(self, reader: Hashable, wanted: str, token: bool) -> Future:
        """The config behind an address; what this reader waited for before is dropped."""
        answer: Future = Future()
        try:
            key = (address(wanted), token)
        except HubError as error:
            self.drop(reader)
            answer.set_exception(error)
            return answer
        with self.lock:
            self.drop(reader)
            if (known := self.kept.get(key)) and known.until > time.monotonic():
                answer.set_result(known.answer)
                return answer
            flight = self._flight(key, reader, lambda dropped: hub.fetch(wanted, token=token, dropped=dropped))
            flight.waiting[reader] = answer
            self._send()
        return answer

    def drop(self, reader: Hashable) -> None:
        """Forget what a reader waits for; end what nobody else waits for."""
        with self.lock:
            for flight in list(self.flights):
                if answer := flight.waiting.pop(reader, None):
                    answer.cancel()
                    if not flight.waiting:
                        self._end(flight)

    # ------------------------------------------------------------ requests

    def _flight(self, key: Hashable, reader: Hashable, fetch: Callable[[threading.Event], Any]) -> Flight:
        for flight in self.flights:
            if flight.key == key and not flight.dropped.is_set():
                return flight
        self.flights.append(Flight(key, reader, fetch))
        return self.flights[-1]

    def _end(self, flight: Flight) -> None:
        flight.dropped.set()
        if not flight.gone:
            self.flights.remove(flight)

    def _send(self) -> None:
        """Let go what may go, in the order it was asked."""
        for flight in self.flights:
            going = [other.reader for other in self.flights if other.gone]
            if not flight.gone and len(going) < self.at_once and going.count(flight.reader) < self.per_reader:
                flight.gone = True
                threading.Thread(target=self._run, args=(flight,), daemon=True, name="asking").start()

    def _run(self, flight: Flight) -> None:
        answer, problem = None, None
        try:
            answer = flight.fetch(flight.dropped)
        except Exception as error:  # whoever asked says what it means
            problem = error
        with self.lock:
            self.flights.remove(flight)
            waiting, flight.waiting = list(flight.waiting.values()), {}
            if problem is None:
                self._keep(flight.key, answer)
            self._send()
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(problem) if problem else future.set_result(answer)

    def _keep(self, key: Hashable, answer: Any) -> None:
        now = time.monotonic()
        self.kept = {other: kept for other, kept in self.kept.items() if kept.until > now}
        if len(repr(answer)) <= KEPT_CHARACTERS:
            self.kept[key] = Kept(answer, now + KEPT_SECONDS)
        while len(self.kept) > KEPT:
            del self.kept[next(iter(self.kept))]


HUB_QUEUE = HubQueue()
