"""Work for several processes of this machine: forked, each takes the next of a list, and all end together."""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FORK = multiprocessing.get_context("fork")  # a child has all that this process has read, and no page needs to be sent


class Turns:
    """Places of a list, handed out to processes: each once, from the start or from the end."""

    def __init__(self, places: int) -> None:
        self.first, self.last, self.files = (FORK.Value("i", value) for value in (0, places, 0))
        self.lock = FORK.Lock()

    def take(self, last: bool) -> int | None:
        """The next place, or None when all are taken."""
        with self.lock:
            if self.first.value >= self.last.value:
                return None
            if last:
                self.last.value -= 1
                return self.last.value
            self.first.value += 1
            return self.first.value - 1

    def count(self) -> int:
        """One more file is written: how many are."""
        with self.files.get_lock():
            self.files.value += 1
            return self.files.value


@contextmanager
def helpers(work: Callable[[], None], processes: int) -> Iterator[None]:
    """Further processes that do the same work; if one fails, the build fails, and if the build fails, they end."""
    parent = os.getpid()

    def alone() -> None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()
        work()

    started = [FORK.Process(target=alone, daemon=True) for _ in range(processes - 1)]
    for process in started:
        process.start()
    try:
        yield
    except BaseException:
        for process in started:
            process.terminate()
        raise
    for process in started:
        process.join()
        if process.exitcode:
            raise SystemExit(f"A process that wrote pages failed (exit code {process.exitcode}); the reason is above.")


def end_with(parent: int) -> None:
    """End this process when the one that started it is gone: a killed build writes nothing more."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


@contextmanager
def loaded_for_good() -> Iterator[None]:
    """What is loaded by now stays meanwhile: to look through it for garbage takes a sixth of a build, and copies the
    memory that forked processes share."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
