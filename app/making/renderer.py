"""A Node that stays: what pages show before any script, rendered a piece at a time without starting one for each.

A watching build asks it after every change. It ends with the process that began it; a forked one begins its own.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any


class Renderer:
    """build/render.mjs, waiting for requests: a line of JSON each, answered by a line."""

    def __init__(self, node: str, script: Path, width: int) -> None:
        run = [node, str(script), "serve", str(width)]
        self.process = subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.lock = Lock()
        atexit.register(self.end)

    def render(self, script: Path, version: str, kind: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Pieces by key, made by a script that is loaded anew where its version is another; ValueError says why not."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin and stdout
        asks = json.dumps({"script": str(script), "version": version, "kind": kind, "asked": asked})
        with self.lock:
            try:
                stdin.write(asks + "\n")
                stdin.flush()
                told = json.loads(stdout.readline() or "{}")
            except OSError:
                told = {}
        if "pieces" not in told:
            raise ValueError(told.get("fault", "Node has ended; start the build again."))
        return told["pieces"]

    def end(self) -> None:
        """Close what it reads from, at which it ends."""
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)


@cache
def of_process(_process: int, node: str, script: Path, width: int) -> Renderer:
    """The one that a process began."""
    return Renderer(node, script, width)


def renderer(node: str, script: Path, width: int) -> Renderer:
    """The one of this process, begun when it is first asked for; `script` is build/render.mjs."""
    return of_process(os.getpid(), node, script, width)
