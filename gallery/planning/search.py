"""A sheet and a layout -> the best ways to lay the same job over the same GPUs out of all legal ones, and its place.

Two orders: by `seconds`, at least (everything hides behind the slowest), and by `unhidden`, without overlap. Both
are of a unit of work: a training step, or one token of all sequences together. Times that agree to three digits are
equal, and then the other order counts, then the memory of the fullest GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import nsmallest
from typing import NamedTuple

from cutaway.gallery.planning.candidates import dense, folds
from cutaway.gallery.planning.fits import Plan, make_plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal import problem
from cutaway.gallery.planning.legal_axes import experts_of
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.search_batched import ALIKE, Found, search_fitting
from cutaway.gallery.planning.seconds import Bound, bind_step

ORDERS = ("seconds", "unhidden")
BEST = 10
Key = tuple[float, ...]


class Row(NamedTuple):
    """One layout of the table."""

    layout: Layout
    plan: Plan
    bound: Bound
    seconds: float  # of a unit of work, at least
    unhidden: float  # of a unit of work, without overlap


class Table(NamedTuple):
    """What a search found."""

    legal: int
    fitting: int
    rows: list[Row]  # the best first
    place: int | None  # of the layout itself among those that fit, from 1; None: it does not fit
    own: Row | None  # None: it is illegal, or nothing of it can be timed


def digits(number: float) -> float:
    """Three of them, as JavaScript's toPrecision(3) gives them."""
    return float(f"{number:.3g}")


def key(found: Found, order: str) -> Key:
    """What a table is sorted by."""
    both = digits(found.seconds), digits(found.unhidden)
    first, second = both if order == "seconds" else both[::-1]
    base = found.base
    return (first, second, found.bytes, base.pp, base.chunks, base.tp, base.cp, found.ep, found.etp)


def work(plan: Plan) -> int:
    """Units of work in a step of a plan."""
    layout = plan.layout
    if layout.job == "train":
        return 1
    return (layout.batch or plan.here * layout.dp) * (layout.sequence if layout.job == "prefill" else 1)


def row(sheet: PlannerModel, layout: Layout, ends: bool = True) -> Row | None:
    """A legal layout with its plan and its times; None where nothing of it can be timed."""
    made = make_plan(sheet, layout, ends)
    if not made.timed:
        return None
    least, units = bind_step(sheet, made), work(made)
    return Row(layout, made, least, least.seconds / units, least.unhidden / units)


def row_key(one: Row) -> Found:
    """What the table's order needs of a row."""
    return Found(one.seconds, one.unhidden, one.plan.fullest.total_bytes, one.layout, one.layout.ep, one.layout.etp)


def search_serving(sheet: PlannerModel, layout: Layout) -> Iterator[Found | None]:
    """Every legal way to serve on the same GPUs; None for one that does not fit."""
    for made in dense(sheet, layout):
        for ep, etp in folds(sheet, made):
            one = row(sheet, replace(made, ep=ep, etp=etp), ends=False)
            yield row_key(one) if one and one.plan.fits else None


def candidates(
    sheet: PlannerModel, layout: Layout, order: str, own: Row | None, best: int
) -> tuple[int, int, list[Found]]:
    """(how many are legal, how many fit, those of them that may come first or before the layout itself)."""
    if layout.job == "train":
        return search_fitting(sheet, layout, ORDERS.index(order), getattr(own, order) if own else 0.0, best)
    found = list(search_serving(sheet, layout))
    fits = [one for one in found if one]
    return len(found), len(fits), fits


def best_rows(found: list[Found], order: str, best: int) -> list[Found]:
    """The best of them: those whose time is near the tenth's are compared digit by digit."""
    times = sorted(getattr(one, order) for one in found)
    most = times[min(best, len(times)) - 1] * ALIKE if times else 0.0
    return nsmallest(best, (one for one in found if getattr(one, order) <= most), key=lambda one: key(one, order))


def place(found: list[Found], own: Found, order: str) -> int:
    """How many are better, and one."""
    mine, time = key(own, order)[:3], getattr(own, order)
    better = sum(getattr(one, order) * ALIKE < time for one in found)
    return (
        1
        + better
        + sum(
            time <= getattr(one, order) * ALIKE and getattr(one, order) <= time * ALIKE and key(one, order)[:3] < mine
            for one in found
        )
    )


def normalise_layout(sheet: PlannerModel, layout: Layout) -> Layout:
    """The layout as the table names it: without experts any etp is the same plan."""
    return layout if experts_of(sheet) else replace(layout, etp=layout.usual_etp)


def search(sheet: PlannerModel, layout: Layout, order: str = "seconds", best: int = BEST) -> Table:
    """The best layouts, and the place of this one among all that fit."""
    own = None if problem(sheet, layout) else row(sheet, normalise_layout(sheet, layout))
    fits = own if own and own.plan.fits else None
    legal, many, found = candidates(sheet, layout, order, fits, best)
    rows = [row(sheet, one.layout) for one in best_rows(found, order, best)]
    where = place(found, row_key(fits), order) if fits else None
    return Table(legal, many, [one for one in rows if one], where, own)
