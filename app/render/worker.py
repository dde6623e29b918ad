"""Standard input -> standard output: requests in, answers out, in a process that may be killed at any moment.

It says that it is ready, answers one request after another, and ends when its server ends, however that comes about:
a thread waits for the end of standard input, which the system closes even behind a server that was killed.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import re
import signal
import sys
import threading
from pathlib import Path

from cutaway.app.render.job import MOST_BYTES, answer
from cutaway.gallery import comparing

ANSWERS = 1000  # then a fresh process takes over: what the caches of gallery/ hold stays small
HEAVY_BYTES = 120 << 20  # that it has held at once: the next gets a fresh one, since memory is seldom given back
YIELDING = 10  # steps of niceness: pages come first
GRACE = 5  # seconds after which a worker whose server cannot stop it stops itself


def limit_memory(most: int = MOST_BYTES) -> None:
    """A request for more memory than this fails in this process, where the platform can say so."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def give_way() -> None:
    """Let the server, which answers everybody, go first on a busy machine, and be the last to end on a full one."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(YIELDING)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def is_heavy(most: int = HEAVY_BYTES) -> bool:
    """Whether this process has ever held so many bytes, where the platform says so (getrusage counts its parent's)."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)
    return found is not None and int(found[1]) << 10 > most


def listen(requests: queue.SimpleQueue) -> None:
    """Hand on what comes; end the process when nobody is left to answer."""
    with contextlib.suppress(BaseException):
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    os._exit(0)


def own_output():
    """Standard output for answers alone: what anything prints goes to the server's log."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def warm() -> None:
    """What every answer stands beside, read while nobody waits yet: the reader's seconds are for the config alone."""
    with contextlib.suppress(Exception):
        comparing.catalogue_lineage()


def main(answer=answer, warm=None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's; its end is ours
    answers = own_output()
    requests: queue.SimpleQueue = queue.SimpleQueue()
    limit_memory()
    give_way()
    threading.Thread(target=listen, args=(requests,), daemon=True).start()
    if warm:
        warm()
    tell(answers, "ready")
    last, left = False, ANSWERS
    while not last:
        seconds, request = requests.get()
        tell(answers, "begun")
        alarm(int(seconds) + GRACE)
        found, left = answer(request), left - 1
        alarm(0)
        last = left == 0 or getattr(found, "last", False) or is_heavy()
        tell(answers, (found, last))


def tell(answers, what) -> None:
    """Send it, or end where nobody listens any more."""
    try:
        pickle.dump(what, answers)
        answers.flush()
    except BrokenPipeError:
        os._exit(0)


def alarm(seconds: int) -> None:
    """The system ends this process after so many seconds, also inside a call that never lets a thread run."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    main(warm=warm)
