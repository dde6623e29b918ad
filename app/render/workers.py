"""Requests -> futures of answers from worker processes, which end at a time limit or when nobody waits.

A stranger's config may take for ever to read and draw; it does so in a process of its own (worker.py), off the event
loop. Workers start when they are first needed, as many as are busy at once up to `size`; one that dies is replaced.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import subprocess
import sys
import threading
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from weakref import WeakSet

from cutaway.app.render.job import TOO_MUCH

# -P: nothing is imported from the folder it starts in
COMMAND = (sys.executable, "-P", "-m", "cutaway.app.render.worker")
ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS, SIZE, LINE = 10.0, 4, 32
START_SECONDS = 60.0

LATE = "This config takes more than {:g} seconds to read and draw, so it was stopped. " + TOO_MUCH
DIED = "The process that was drawing this config ended before it was done. Try it once more."
FULL = "Everybody draws at once: {:,} configs wait in line already. Try again in a minute."
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


class Pool:
    """Workers, each with a thread of its own that asks it, and the line of requests before them."""

    def __init__(self, command=COMMAND, size: int = SIZE, seconds: float = SECONDS, line: int = LINE):
        self.command, self.size, self.seconds, self.line = command, size, seconds, line
        self._requests: queue.SimpleQueue = queue.SimpleQueue()
        self._lock, self._idle, self._threads = threading.Lock(), threading.Semaphore(0), 0
        self._running: dict[Future, Worker] = {}
        self._unwanted: WeakSet[Future] = WeakSet()

    def submit(self, request) -> Future:
        """The answer to come; None asks for a worker that is ready, and for nothing more."""
        future: Future = Future()
        if self._requests.qsize() >= self.line:
            future.set_exception(Stopped(FULL.format(self.line)))
            return future
        self._requests.put((request, future))
        with self._lock:
            if not self._idle.acquire(blocking=False) and self._threads < self.size:
                self._threads += 1
                threading.Thread(target=self._serve, name="drawing", daemon=True).start()
        return future

    def cancel(self, future: Future) -> None:
        """Nobody waits for it: take it out of the line, or stop who works on it."""
        if not future.cancel():
            with self._lock:
                self._unwanted.add(future)
                if worker := self._running.get(future):
                    worker.stop(UNWANTED)

    def _serve(self) -> None:
        worker = None
        while True:
            try:
                request, future = self._requests.get_nowait()
            except queue.Empty:
                self._idle.release()
                request, future = self._requests.get()
            if future.set_running_or_notify_cancel():
                worker = self._settle(worker, request, future)

    def _settle(self, worker: Worker | None, request, future: Future) -> Worker | None:
        """Give the future its answer or the reason why there is none; the worker, where it lives on."""
        try:
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
        """This worker, or a new one where it has ended meanwhile."""
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
        with self._lock:
            if future in self._unwanted:
                worker.stop(UNWANTED)
            self._running[future] = worker
        try:
            return worker.end(self.seconds)
        finally:
            with self._lock:
                del self._running[future]


@cache
def pool() -> Pool:
    """This server process's workers."""
    return Pool()
