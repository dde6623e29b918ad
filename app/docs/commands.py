"""The grammar of the `cutaway` command -> what /docs/commands/ shows: every command, its arguments, its examples.

Nothing here names a command: the parsers and the rows of examples.py are all there is.
"""

from __future__ import annotations

import argparse
import re
from functools import cache
from typing import NamedTuple

from cutaway.app.docs import outputs
from cutaway.gallery.command.arguments import parser
from cutaway.gallery.command.examples import EXAMPLES, GROUPS

LINES = 14  # of an output that are shown


class Argument(NamedTuple):
    """One argument: "-o, --output FILE", what it is for, what it may be, and its value where none is given."""

    name: str
    says: str
    choices: tuple[str, ...] = ()
    default: str = ""


class Example(NamedTuple):
    """A line to type, what it is for, and the first lines of what it prints."""

    line: str
    says: str
    output: str = ""
    left: int = 0  # lines that are not shown


class Command(NamedTuple):
    """One command."""

    name: str
    says: str
    usage: str
    arguments: tuple[Argument, ...]
    examples: tuple[Example, ...]


def about() -> list[str]:
    """What the command's help says first, by paragraph."""
    return [" ".join(part.split()) for part in (parser().description or "").split("\n\n")]


LISTED = {"examples", *(name for name, _ in GROUPS)}  # of the help: the page lists them command by command


def tables() -> list[tuple[str, list[str]]]:
    """(heading, lines) of what the help says below its commands and examples: exit codes, the environment."""
    parts = re.split(r"^(\w[\w ]*):\n", parser().epilog or "", flags=re.M)[1:]
    found = zip(parts[::2], parts[1::2], strict=True)
    return [(name, [line.strip() for line in text.splitlines() if line.strip()])
            for name, text in found if name not in LISTED]  # fmt: skip


@cache
def commands() -> tuple[Command, ...]:
    """Every command in the order of the help."""
    said = outputs.of([line for rows in EXAMPLES.values() for line, _ in rows])
    shown = {name: tuple(_shown(line, says, said.get(line)) for line, says in rows) for name, rows in EXAMPLES.items()}
    return tuple(_command(name, one, shown[name]) for name, one in parser().commands.items())


def _command(name: str, one: argparse.ArgumentParser, shown: tuple[Example, ...]) -> Command:
    actions = [action for action in one._actions if action.help != argparse.SUPPRESS]
    arguments = [_argument(action) for action in actions if not isinstance(action, argparse._HelpAction)]
    needed = [action for action in actions if action.required or not action.option_strings]
    words = [_typed(action) for action in sorted(needed, key=lambda action: bool(action.option_strings))]
    more = ["[options]"] if len(needed) < len(arguments) else []
    return Command(name, one.description or "", " ".join(["cutaway", name, *words, *more]), tuple(arguments), shown)


def _typed(action: argparse.Action) -> str:
    """An argument as it is typed: its last name and what stands for its value."""
    value = "" if action.nargs == 0 else _metavar(action)
    return " ".join(part for part in (*action.option_strings[-1:], value) if part)


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar or not action.option_strings:
        return action.metavar or action.dest
    return action.option_strings[-1].lstrip("-").replace("-", "_").upper()


def _argument(action: argparse.Action) -> Argument:
    value = "" if action.nargs == 0 else _metavar(action)
    name = " ".join(part for part in (", ".join(action.option_strings), value) if part)
    help_ = " ".join((action.help or "").split()) % {"default": action.default, "prog": "cutaway"}
    default = "" if "default" in help_ or action.nargs == 0 else _default(action.default)
    return Argument(name, help_, tuple(map(str, action.choices or ())), default)


def _default(value: object) -> str:
    return "" if value in (None, "", argparse.SUPPRESS) or value == [] else str(value)


def _shown(line: str, says: str, output: str | None) -> Example:
    rows = (output or "").rstrip().splitlines()
    return Example(line, says, "\n".join(rows[:LINES]), max(0, len(rows) - LINES))
