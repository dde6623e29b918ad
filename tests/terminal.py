"""A command on a pseudo-terminal, as a reader has it: what it shows there, and how it ends."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

SECONDS = 60


def on_terminal(command: Sequence[object], folder: Path, env: Mapping[str, str]) -> tuple[bytes, int]:
    """(everything that a command writes to a terminal, its exit code)."""
    main, side = pty.openpty()
    words = [str(one) for one in command]
    with subprocess.Popen(words, cwd=folder, env=env, stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        shown = b""
        while piece := _read(main):
            shown += piece
        code = process.wait(SECONDS)
    os.close(main)
    return shown, code


def _read(end: int) -> bytes:
    """The next bytes; b"" once the other side is gone."""
    try:
        return os.read(end, 65_536)
    except OSError:
        return b""
