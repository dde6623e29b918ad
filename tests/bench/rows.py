"""Measurements -> aligned lines with their targets."""

from __future__ import annotations

from typing import NamedTuple


class Missing(Exception):
    """The part that would be measured is not there; the message says which."""


class Row(NamedTuple):
    """One figure; `most` is its target, None where there is none."""

    name: str
    value: float
    unit: str
    most: float | None = None
    note: str = ""

    @property
    def late(self) -> bool:
        return self.most is not None and self.value > self.most


def quantile(values: list[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def number(value: float) -> str:
    """Three figures, whole numbers whole."""
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.3g}"


def show(rows: list[Row]) -> list[str]:
    """One line per row: name, value, unit, target, and OVER where it is missed."""
    wide = max((len(row.name) for row in rows), default=0)
    lines = []
    for row in rows:
        target = "" if row.most is None else f"at most {number(row.most)}" + ("  OVER" if row.late else "  ok")
        line = (
            f"  {row.name.ljust(wide)}  {number(row.value).rjust(9)} {row.unit.ljust(20)} {target.ljust(16)} {row.note}"
        )
        lines.append(line.rstrip())
    return lines
