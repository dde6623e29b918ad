"""A step on the network -> its result, or TimeoutError when the time is over or nobody waits for it any more."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


def _sockets(thread: threading.Thread) -> Iterator[socket.socket]:
    """The sockets its stack is busy with: the HTTP libraries offer no way to cancel a call from outside."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        for value in frame.f_locals.values():
            inner = getattr(value, "__dict__", None)
            held = (value, *(inner.get(name) for name in ("_sock", "sock"))) if isinstance(inner, dict) else (value,)
            yield from (one for one in held if isinstance(one, socket.socket))
        frame = frame.f_back


def hang_up(thread: threading.Thread) -> None:
    """Shut the sockets that a thread reads from or writes to; it ends with the client's own error."""
    for one in set(_sockets(thread)):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def run_within(seconds: float, step: Callable[[], Any], dropped: threading.Event | None = None) -> Any:
    """The step's result; TimeoutError after so long, or once `dropped` is set; the client alone would go on."""
    box: dict[str, Any] = {}

    def run() -> None:
        try:
            box["result"] = step()
        except BaseException as error:
            box["error"] = error

    thread = threading.Thread(target=run, daemon=True, name="hub")
    thread.start()
    until = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < until:
        if dropped is not None and dropped.is_set():
            hang_up(thread)  # again until it ends: its connection may only just be opening
        thread.join(min(0.05, seconds))
    if thread.is_alive():
        hang_up(thread)
        raise TimeoutError
    if "error" in box:
        raise box["error"]
    return box["result"]
