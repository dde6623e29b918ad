"""Comparisons of a test, counted as they are made: what a Tally says was checked was checked.

tally = Tally()
tally.same(found, wanted, slug, layer)  # one comparison, and where it was made
tally.near(logits, golden, abs=1e-4)    # one for each number
tally.add(len(asked), wrong)            # made elsewhere, as in a browser: how many, and which of them differ
verified("logits of the shipped weights", tally, against="torch 2.9")
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import pytest


class Tally:
    """How many comparisons were made, and the first few that failed."""

    SHOWN = 5

    def __init__(self) -> None:
        self.checked = 0
        self.mismatches = 0
        self.shown: list[str] = []

    def same(self, found: Any, wanted: Any, *where: object) -> None:
        """One comparison of equals."""
        self._count(found == wanted, f"{found!r} is not {wanted!r}", where)

    def holds(self, truth: object, *where: object) -> None:
        """One condition."""
        self._count(bool(truth), "it does not hold", where)

    def near(self, found: Any, wanted: Any, *where: object, rel: float | None = None, abs: float | None = None) -> None:
        """A number, or as many of them on either side, each within a tolerance as pytest.approx has it."""
        ours, theirs = np.ravel(found).tolist(), np.ravel(wanted).tolist()
        self.same(len(ours), len(theirs), *where, "how many") if len(ours) != len(theirs) else None
        for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
            near = mine == pytest.approx(other, rel=rel, abs=abs)
            self._count(near, f"{mine!r} is not near {other!r}", (*where, place))

    def add(self, many: int, wrong: Sized) -> None:
        """Comparisons that were made elsewhere: how many, and which of them failed."""
        self.checked += many
        self.mismatches += len(wrong)
        self._show(str(wrong)[:400]) if wrong else None

    def _count(self, right: bool, what: str, where: tuple[object, ...]) -> None:
        self.checked += 1
        if not right:
            self.mismatches += 1
            self._show(f"{' '.join(map(str, where))}: {what}"[:400])

    def _show(self, line: str) -> None:
        if len(self.shown) < self.SHOWN:
            self.shown.append(line)
