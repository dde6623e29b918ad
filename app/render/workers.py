"""Requests -> futures of answers from worker processes, which end at a time limit or when nobody waits.

A stranger's config may take for ever to read and draw; it does so in a process of its own (worker.py), off the event
loop. Workers start when they are first needed, as many as are busy at once up to `size`; one that dies is replaced, and
one that nobody has needed for a while ends. Clients take turns (turns.py): nobody waits for all that another asked.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Hashable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from weakref import WeakSet

from cutaway.app.render.job import TOO_MUCH
from cutaway.app.render.turns import Turns

# -P: nothing is imported from the folder it starts in
COMMAND = (sys.executable, "-P", "-m", "cutaway.app.render.worker")
ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS, SIZE, LINE = 10.0, 3, 64
PER_CLIENT, PER_CLIENT_LINE = 2, 16  # at work and in line, of one client
READY = 2  # workers that stay: one client's question leaves one for the next
IDLE_SECONDS = 30.0  # after which any other ends
START_SECONDS = 60.0

LATE = "This config takes more than {:g} seconds to read and draw, so it was stopped. " + TOO_MUCH
DIED = "The process that was drawing this config ended before it was done. Try it once more."
FULL = "The server is busy: {:,} configs are already waiting to be drawn. Try again in a minute."
OWN = "{:,} of your configs are already waiting to be drawn. Try again when they are done."
DEEP = "This config nests too deeply to be read: no config needs more than a few levels."
UNWANTED = "Nobody waits for this drawing any more."


class Stopped(Exception):
    """Why there is no answer, in a sentence."""


class Worker:
    """One process, and the two pipes to it."""

    def __init__(self, command: tuple[str, ...]):
        pipe = subprocess.PIPE
        self.stopped, self.last = "", False
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe)
        assert self.process.stdin and self.process.stdout
        self.requests, self.answers = self.process.stdin, self.process.stdout
        try:
            self._read(START_SECONDS, DIED)
        except Stopped:
            self.close()
            raise

    def begin(self, request: bytes, seconds: float) -> bool:
        """Whether it has begun with this request: one that was killed while it had nothing to do never says so."""
        try:
            self.requests.write(request)
            self.requests.flush()
            return self._read(seconds, DIED) == "begun"
        except (Stopped, OSError):
            return False

    def end(self, seconds: float):
        """The answer to the request it has begun with, or Stopped."""
        found, self.last = self._read(seconds, LATE.format(seconds))
        return found

    def stop(self, why: str) -> None:
        """End it now; whoever reads from it is told why."""
        self.stopped = why
        self.process.kill()

    def close(self) -> None:
        """Leave no process and no pipe behind."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.requests, self.answers):
            with contextlib.suppress(OSError):
                pipe.close()

    @property
    def alive(self) -> bool:
        return not (self.stopped or self.last) and self.process.poll() is None

    def _read(self, seconds: float, late: str):
        timer = threading.Timer(seconds, self.stop, (late,))
        timer.daemon = True
        timer.start()
        try:
            return pickle.load(self.answers)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise Stopped(self.stopped or DIED) from None
        finally:
            timer.cancel()


class Answer(Future):
    """What comes of a request."""

    def __init__(self, request) -> None:
        super().__init__()
        self.request = request


class Pool:
    """Workers, each with a thread of its own that asks it, and the lines of requests before them."""

    def __init__(
        self, command=COMMAND, size: int = SIZE, seconds: float = SECONDS, line: int = LINE, idle: float = IDLE_SECONDS
    ):
        self.command, self.size, self.seconds, self.idle = command, size, seconds, idle
        self._changed = threading.Condition()
        self._turns: Turns[Answer] = Turns(line, PER_CLIENT_LINE)
        self._threads = self._free = self._starting = 0  # of the threads: at no request; their worker not there yet
        self._running: dict[Future, Worker] = {}
        self._unwanted: WeakSet[Future] = WeakSet()

    def submit(self, request, client: Hashable = None) -> Future:
        """The answer to come; None asks for a worker that is ready. A request without a client has its own turn."""
        future = Answer(request)
        with self._changed:
            if self._turns.add(future if client is None else client, future):
                self._grow()
                self._changed.notify_all()
                return future
            full = len(self._turns) >= self._turns.most
        future.set_exception(Stopped(FULL.format(self._turns.most) if full else OWN.format(self._turns.each)))
        return future

    def cancel(self, future: Future) -> None:
        """Nobody waits for it: take it out of the line, or stop who works on it."""
        if future.cancel():
            with self._changed:
                self._turns.drop(future)  # type: ignore[arg-type] # submit() gave it
            return
        with self._changed:
            self._unwanted.add(future)
            if worker := self._running.get(future):
                worker.stop(UNWANTED)

    def _grow(self) -> None:
        """Start threads, where more wait than are free to work, or fewer are there than are to stand ready."""
        while self._threads < self.size and (len(self._turns) > self._free or self._threads < READY):
            self._threads += 1
            self._free += 1
            threading.Thread(target=self._serve, name="drawing", daemon=True).start()

    def _serve(self) -> None:
        worker = self._started()
        while turn := self._next():
            client, future = turn
            if future.set_running_or_notify_cancel():
                worker = self._settle(worker, future)
            with self._changed:
                self._turns.done(client)
                self._changed.notify_all()
            worker = worker if worker and worker.alive else self._started(worker)
            with self._changed:
                self._free += 1
        if worker:
            worker.close()

    def _started(self, ended: Worker | None = None) -> Worker | None:
        """A new worker before anybody waits for it; None where it cannot start: who asks next is told."""
        with self._changed:
            self._starting += 1
        try:
            if ended:
                ended.close()
            return Worker(self.command)
        except (Stopped, OSError):
            return None
        finally:
            with self._changed:
                self._starting -= 1
                self._changed.notify_all()

    def _next(self) -> tuple[Hashable, Answer] | None:
        """The next client and its request; None where this thread has waited long, and enough others stand ready."""
        until = time.monotonic() + self.idle
        with self._changed:
            while (turn := self._turns.take(self._at_once())) is None:
                if self._changed.wait(max(0.0, until - time.monotonic())) or time.monotonic() < until:
                    continue
                if self._threads > READY:
                    self._threads -= 1
                    break
                until = time.monotonic() + self.idle
            self._free -= 1
        return turn

    def _at_once(self) -> int:
        """How many requests of one client may be at work: never the last worker that is ready, unless it is the one."""
        return PER_CLIENT if self._threads - self._starting > PER_CLIENT else 1

    def _settle(self, worker: Worker | None, future: Answer) -> Worker | None:
        """Give the future its answer or the reason why there is none; the worker, where it lives on."""
        try:
            request = future.request
            packed = pickle.dumps((self.seconds, request))
            worker = self._ready(worker)
            if request is not None and not worker.begin(packed, self.seconds):
                worker = self._renewed(worker, packed)
            found = request and self._ask(worker, future)
        except RecursionError:
            future.set_exception(Stopped(DEEP))
        except Exception as error:
            future.set_exception(error if isinstance(error, Stopped) else Stopped(f"{DIED} ({error})"))
        else:
            future.set_result(found)
        return worker

    def _ready(self, worker: Worker | None) -> Worker:
        """This worker, or a new one where it has ended meanwhile or could not be started."""
        if worker and worker.alive:
            return worker
        if worker:
            worker.close()
        return Worker(self.command)

    def _renewed(self, worker: Worker, packed: bytes) -> Worker:
        """A new worker that has begun with the request, in place of one that had died before."""
        worker.close()
        worker = Worker(self.command)
        if not worker.begin(packed, self.seconds):
            worker.close()
            raise Stopped(DIED)
        return worker

    def _ask(self, worker: Worker, future: Future):
        with self._changed:
            if future in self._unwanted:
                worker.stop(UNWANTED)
            self._running[future] = worker
        try:
            return worker.end(self.seconds)
        finally:
            with self._changed:
                del self._running[future]


@cache
def pool() -> Pool:
    """This server process's workers."""
    return Pool()
