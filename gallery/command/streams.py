"""Text -> standard output, standard error or a file: the right bytes, or one sentence on why not.

Documents (SVG, JSON) are UTF-8 whatever the locale; other text is in the terminal's encoding, "?" for what it lacks.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

from cutaway.gallery.command.named_model import SourceError


def text_of(words: str) -> str:
    """Words without surrogates: bytes of an argument that a C locale could not name are read as UTF-8."""
    try:
        raw = words.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, from an escape in a config
        raw = words.encode("utf-8", "replace")
    return raw.decode("utf-8", "replace")


def write(words: str, output: str | None = None, document: bool = False) -> None:
    """To the file, or to standard output; SourceError where it cannot be."""
    text = text_of(words if words.endswith("\n") else words + "\n")
    if output is None or output == "-":
        return _to_output(text, document)
    write_bytes(text.encode(), output)


def write_bytes(data: bytes, output: str) -> None:
    """To the file; SourceError where it cannot be."""
    try:
        Path(output).write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name has a null character"
        raise SourceError(f"{output} cannot be written: {reason}.") from None


def _to_output(text: str, document: bool) -> None:
    if sys.stdout is None:
        raise SourceError("standard output cannot be written (it is closed).")
    encoding = "utf-8" if document else sys.stdout.encoding or "utf-8"
    finish()  # what was printed before stands before
    try:
        rest = memoryview(text.encode(encoding, "replace"))
        while rest:  # without a buffer (PYTHONUNBUFFERED) a write may take a part only
            rest = rest[sys.stdout.buffer.write(rest) :]
    except OSError as error:
        raise _full(error) from None


def finish() -> None:
    """Everything printed is out: SourceError where it cannot be; a reader who has gone (`| head`) has seen enough."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _let_go(sys.stdout)
        raise
    except OSError as error:
        raise _full(error) from None


def _full(error: OSError) -> OSError:
    _let_go(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return error
    return SourceError(f"standard output cannot be written ({error.strerror}).")


def say(words: str) -> None:
    """A line on standard error; where that is closed or full, nobody is told."""
    try:
        if sys.stderr is not None:
            print(text_of(words), file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def _let_go(stream: TextIO) -> None:
    """Send what is left of a stream nowhere, so that Python's own flush at the end does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
