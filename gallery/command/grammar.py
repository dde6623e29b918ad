"""What the commands' grammars share: the parser, a model's arguments, choices, and "did you mean"."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from cutaway.gallery.command import streams
from cutaway.gallery.command.colour import headed
from cutaway.gallery.command.examples import EXAMPLES, example_lines

EDIT = """what if it had ...: layers=40,heads=64; also kv, window, chunk, q_rank, kv_rank, key_heads, value_heads,
state_heads, experts, active, as far as the model has them; may be given again"""


class UsageError(Exception):
    """Arguments that fit the grammar but not the model or the machine: one sentence."""


class Parser(argparse.ArgumentParser):
    """argparse would pass over a full disk in silence: help and complaints take the way of everything else."""

    commands: Mapping[str, argparse.ArgumentParser]  # of the top one: what each command takes

    def error(self, message: str) -> NoReturn:
        """One sentence, as for everything else that goes wrong."""
        end = "" if message.endswith((".", "?")) else "."
        self.exit(2, f"cutaway: {message[:1].upper()}{message[1:]}{end} `{self.prog} --help` says what it takes.")

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            streams.write(headed(message)) if file is sys.stdout else streams.say(message.rstrip("\n"))


def meant(word: str, known: Iterable[str]) -> str:
    """ " Did you mean facts?": the one of `known` that is most like a word, whatever the case; "" where none is."""
    lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(word.lower(), lower, 1, 0.6)
    return f" Did you mean {lower[near[0]]}?" if near else ""


def one_of(values: Sequence[str]) -> dict[str, Any]:
    """The arguments of an option that takes one of some words."""

    def kind(text: str) -> str:
        if text not in values:
            raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(values)}.{meant(text, values)}")
        return text

    return {"type": kind, "choices": list(values)}


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Every long option of a command."""
    return sorted(set(re.findall(r"--[a-z][\w-]*", parser.format_usage())))


def add_command(commands: Any, name: str, words: str) -> argparse.ArgumentParser:
    """A command whose help ends with its examples."""
    says = words[0].upper() + words[1:] + "."
    raw = argparse.RawDescriptionHelpFormatter
    epilog = "\n".join(["examples:", *example_lines(EXAMPLES[name])])
    return commands.add_parser(name, description=says, epilog=epilog, formatter_class=raw)


def add_what(parser: argparse.ArgumentParser, name: str = "what", **more: Any) -> None:
    """The model or models that a command is about; a shell completes them from the catalogue."""
    action = parser.add_argument(name, metavar="MODEL", help="repo id, Hub URL, slug, path, or -", **more)
    vars(action)["completer"] = complete_models


def complete_models(prefix: str, **asked: Any) -> list[str]:
    """Slugs of the catalogue that begin so, then files."""
    from argcomplete.completers import FilesCompleter

    from cutaway.gallery import catalog

    slugs = [row.slug for row in catalog.drawable_rows() if row.slug.lower().startswith(prefix.lower())]
    return [*slugs, *FilesCompleter()(prefix)]


def add_output(parser: argparse.ArgumentParser, json_too: bool = True) -> None:
    """Where to write, and as what."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")
    if json_too:
        parser.add_argument("--json", action="store_true", help="JSON for programs")


def add_source(parser: argparse.ArgumentParser) -> None:
    """Where models are looked for."""
    parser.add_argument("--revision", help="branch, tag or commit on the Hub")
    parser.add_argument("--offline", action="store_true", help="use the catalogue's snapshot, ask nobody")


def model_command(
    commands: Any, name: str, words: str, json_too: bool = True, edit: bool = True
) -> argparse.ArgumentParser:
    """A command about one model."""
    parser = add_command(commands, name, words)
    add_what(parser)
    add_source(parser)
    add_output(parser, json_too)
    if edit:
        parser.add_argument("--edit", metavar="FIELD=N", action="append", default=[], help=EDIT)
    return parser
