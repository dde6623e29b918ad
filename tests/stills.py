"""HTML that stands before any script, as text: the shapes of each kind, where they stand, what they say.

Drawings that scripts make later are kept by tests/explainers/outline.py; those are read in a browser, these are not.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from html.parser import HTMLParser
from pathlib import Path

ATTRIBUTES = "x y width height cx cy r x1 x2 y1 y2 d transform points style viewbox stroke-width"
PLACES = frozenset(ATTRIBUTES.split())
MARKS = {"text-anchor", "data-out", "data-format", "data-warm", "href", "aria-label", "value"}
NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")


class Shapes(HTMLParser):
    """How many elements of each kind there are, the sums of what places them, what is marked, what they say."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count, self.sums, self.said = Counter(), defaultdict(Counter), defaultdict(Counter)
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        held = {key: value or "" for key, value in attrs}
        kind = ".".join([tag, *(one for one in held.get("class", "").split() if one != "cw")])
        self.open.append(kind)
        self.count[kind] += 1
        for key in held.keys() & PLACES:
            self.sums[kind][key] += sum(map(float, NUMBER.findall(held[key])))
        for key in [key for key in held if key in MARKS]:
            self.said[kind][f"{key}={held[key]}"] += 1

    def handle_endtag(self, tag):
        while self.open and self.open.pop().partition(".")[0] != tag:
            pass

    def handle_data(self, data):
        if words := " ".join(data.split()):
            self.said[self.open[-1] if self.open else ""][f'"{words}"'] += 1

    def lines(self) -> list[str]:
        """`rect.cw-rank0 ×7  height=420 width=84 x=390 y=150`: a line for each kind."""
        return [
            "  ".join(
                [f"{kind} ×{n}" if n > 1 else kind]
                + [f"{key}={sums:.0f}" for key, sums in sorted(self.sums[kind].items())]
                + [f"{what} ×{times}" if times > 1 else what for what, times in self.said[kind].items()]
            )
            for kind, n in self.count.items()
        ]


def differ(drawn: dict[str, str], kept: Path, update: bool) -> list[str]:
    """Lines in which drawings, by name, differ from those kept in a file; with `update` they are kept."""
    found = [line for where, html in drawn.items() if html for line in (f"## {where}", *Shapes(html).lines())]
    if update:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("\n".join(found) + "\n", "utf-8")
    before = kept.read_text("utf-8").split("\n")[:-1]
    return list(difflib.unified_diff(before, found, "kept", "now", lineterm="", n=0))[:20]
