"""Headings in bold, on a terminal that has it and where NO_COLOR is not set."""

from __future__ import annotations

import re


def bold(text: str) -> str:
    """The text in bold, if standard output shows it."""
    from termcolor import colored

    return colored(text, attrs=["bold"])


def headed(help_text: str) -> str:
    """A help text with its headings in bold: lines that stand at the margin and end in a colon."""
    return re.sub(r"^(?=\w)[\w ,/]+:$", lambda found: bold(found[0]), help_text, flags=re.M)
