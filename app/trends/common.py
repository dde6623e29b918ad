"""What the plots of /trends/ share: the years that their sentences compare, dots, medians of half-years."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from cutaway.app.trends import structures as st
from cutaway.app.trends.chart import Axis, Dot, Level, date_axis
from cutaway.app.trends.structures import Structure

LARGE = 100e9  # parameters
ENOUGH = 20  # architectures of a year, for a sentence about it
Structures = list[Structure]


def dot(one: Structure, x: float, y: float, tip: str, role: str = "", size: float = 8) -> Dot:
    return Dot(x, y, role or one.kind.role, one.row["slug"], one.title, tip, size)


def day(one: Structure) -> int:
    return one.day.toordinal()


def years(found: Structures) -> tuple[int, int]:
    """The two years that sentences compare: the latest with enough architectures, and two years before."""
    of_year = Counter(one.day.year for one in found)
    last = max((year for year, many in of_year.items() if many >= ENOUGH), default=found[-1].day.year)
    return last - 2, last


def half_years(
    found: Structures, value: Callable[[Structure], float], role: str, words: str = "median of the half-year"
) -> tuple[Level, ...]:
    """The median of each half-year that has at least three architectures; the first of them is labelled."""
    out: list[Level] = []
    for span in st.spans(6, found[0].day, found[-1].day):
        if len(known := st.within(found, span)) >= 3:
            end = min(span.end, found[-1].day + timedelta(days=20))
            middle = st.median_of(known, value)
            out.append(Level(span.start.toordinal(), end.toordinal(), middle, role, "" if out else words))
    return tuple(out)


def over_time(found: Structures) -> Axis:
    return date_axis(one.day for one in found)
