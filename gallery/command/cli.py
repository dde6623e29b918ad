"""The `cutaway` command: arguments -> text, JSON or a picture on standard output, or one sentence on standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from cutaway.gallery.command.arguments import parser
from cutaway.gallery.command.cataloguing import run_completion, run_list, run_snapshot
from cutaway.gallery.command.grammar import UsageError, meant, options_of
from cutaway.gallery.command.hosting import run_build, run_serve
from cutaway.gallery.command.looking import (
    run_compare,
    run_draw,
    run_facts,
    run_flops,
    run_lineage,
    run_memory,
    run_plan,
    run_weights,
)
from cutaway.gallery.command.named_model import SourceError
from cutaway.gallery.command.pictures import PictureError
from cutaway.gallery.command.posters import run_poster
from cutaway.gallery.command.streams import finish, say
from cutaway.gallery.hub.repo_address import HubError
from cutaway.gallery.spec import ConfigError

OK, UNEXPECTED, USAGE, CONFIG, HUB, FILE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

COMMANDS = {
    "draw": run_draw,
    "poster": run_poster,
    "facts": run_facts,
    "weights": run_weights,
    "memory": run_memory,
    "flops": run_flops,
    "compare": run_compare,
    "lineage": run_lineage,
    "plan": run_plan,
    "serve": run_serve,
    "build": run_build,
    "completion": run_completion,
    "list": run_list,
    "snapshot": run_snapshot,
}
TOP = ("-h", "--help", "--version")


def _failure(error: Exception) -> tuple[int, str]:
    """(exit code, sentence) of what a command raised."""
    rows = ((UsageError, USAGE), (PictureError, USAGE), (ConfigError, CONFIG), (HubError, HUB), (OSError, FILE))
    code = next((code for kind, code in rows if isinstance(error, kind)), UNEXPECTED)
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and not isinstance(error, SourceError):
        text = f"{error.filename or 'a file'} cannot be used ({error.strerror or text})."
    if code == UNEXPECTED:
        text = f"a fault of ours, {type(error).__name__}: {text} (CUTAWAY_TRACEBACK=1 shows where)"
    return code, text


def _question(argv: Sequence[str]) -> int:
    grammar = parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next
        import argcomplete

        argcomplete.autocomplete(grammar, validator=lambda word, typed: word.lower().startswith(typed.lower()))
    if not argv:
        say(grammar.format_help())
        return USAGE
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        near = meant(argv[0], COMMANDS) or f" Commands are {', '.join(COMMANDS)}."
        raise UsageError(f"No command is called {argv[0][:80]!r}.{near}")
    if argv[0].startswith("-") and argv[0] not in TOP:
        raise UsageError(f"`cutaway` takes no {argv[0][:80]!r} before a command.{meant(argv[0], TOP)}")
    try:
        args, rest = grammar.parse_known_args(argv)
    except SystemExit as told:  # help, the version, or what is wrong with the arguments has been printed
        return int(told.code or OK)
    if rest:
        raise UsageError(_unknown(args.command, rest[0], options_of(grammar.commands[args.command])))
    return COMMANDS[args.command](args)


def _unknown(command: str, word: str, own: Sequence[str]) -> str:
    """What is said of an argument that a command does not take; `own`: its options."""
    near = meant(word.split("=")[0], own) if word.startswith("-") else ""
    return f"cutaway {command} takes no {word[:80]!r}.{near or f' `cutaway {command} --help` says what it takes.'}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the return value is the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode gets "?", not a traceback
    try:
        words = sys.argv[1:] if argv is None else list(argv)
        code = _question(words)
        finish()
        return code
    except BrokenPipeError:  # `| head` has seen enough: end quietly
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        code, text = _failure(error)
        if code == UNEXPECTED and os.environ.get("CUTAWAY_TRACEBACK"):
            raise
        say(f"cutaway: {text}")
        return code


if __name__ == "__main__":
    sys.exit(main())
