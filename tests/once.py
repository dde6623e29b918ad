"""What all workers of a run need -> a folder that the first of them writes."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path


def once(tmp_path_factory, name: str, build: Callable[[Path], None]) -> Path:
    """The folder that `build` writes, written once a run however many workers ask."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    out = shared / name
    with open(shared / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            build(shared / f"{name}.part")
            (shared / f"{name}.part").rename(out)
    return out
