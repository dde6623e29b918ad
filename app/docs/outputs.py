"""Lines such as `cutaway facts openai/gpt-oss-20b` -> what they print, worked out from the catalogue's snapshots.

    python -m cutaway.app.docs.outputs < lines.json > printed.json

They run in a process of their own, in an empty folder and without the Hub: what the command prints is the process's
standard output, and a file it writes is nobody's. A line that needs more than Cutaway and its snapshots is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from cutaway.explainers import stored_results

SHELL = set("|<>$;&`")  # marks of a line that a shell has to run
LONG = {"serve", "build", "snapshot", "poster"}  # commands that stay, or write what is no text
PICTURE = re.compile(r"\.(png|pdf)$")  # needs an extra package, and what is said of a drawing is the same as of an .svg
SECONDS = 120
COLUMNS = "100"


def of(lines: Sequence[str]) -> dict[str, str]:
    """Line -> what it prints, for those that can run here."""
    wanted = tuple(line for line in lines if runnable(line))
    name = f"printed-{hashlib.sha256(repr(wanted).encode()).hexdigest()[:8]}"
    return stored_results.recall(name, ("cutaway", "gallery", "explainers", "app"), lambda: _printed(wanted))


def runnable(line: str) -> bool:
    """Whether a line is a command of ours on a model of the catalogue, and nothing else."""
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    ours = words[:1] == ["cutaway"] and words[1:2] and words[1] not in LONG
    return bool(ours) and not SHELL & set(line) and not any(word == "-" or word.startswith(".") for word in words)


def _printed(lines: tuple[str, ...]) -> dict[str, str]:
    """All of them in one process."""
    more = {"HF_HUB_OFFLINE": "1", "COLUMNS": COLUMNS, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "cutaway.app.docs.outputs"],
            input=json.dumps(lines),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            cwd=folder,
            env={**os.environ, **more},
        )
    if done.returncode:
        raise RuntimeError(f"The examples of the documentation did not run: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def run(line: str) -> str:
    """What one line prints; of a drawing what is said beside it on standard error."""
    from cutaway.gallery.command.arguments import parser
    from cutaway.gallery.command.cli import main

    words = [PICTURE.sub(".svg", word) for word in shlex.split(line)[1:]]
    if hasattr(parser().parse_args(words), "offline"):
        words.append("--offline")
    raw, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    if code:
        raise SystemExit(f"{line}: exit code {code}: {err.getvalue()}")
    text = raw.getvalue().decode("utf-8", "replace")
    return err.getvalue() if not text.strip() or text.startswith("<svg") else text


if __name__ == "__main__":
    printed = {line: run(line) for line in json.load(sys.stdin)}
    json.dump(printed, sys.stdout)
