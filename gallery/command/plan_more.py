"""A plan -> what else `cutaway plan` says to people: changes that fit, what is wasted, the ten best layouts."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.gallery.command.report import table
from cutaway.gallery.drawing.words import size
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.fixes import Fix, fewest_nodes, fixes
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.redundancy import list_redundancies
from cutaway.gallery.planning.search import Row, Table, search


def say_changes(fix: Fix) -> str:
    """ "tp 8 and ep 4"."""
    return " and ".join(f"{name} {value}" for name, value in fix.changes)


def advice(model: PlannerModel, found: Plan) -> Iterator[tuple[str, str]]:
    """What to change, where it does not fit; what is held or done more than once, where it does."""
    layout = found.layout
    if found.fits:
        for waste in list_redundancies(model, found):
            yield "wasted", waste.says + (f": {size(waste.bytes)} of a GPU" if waste.bytes else "")
        return
    offers = fixes(model, layout)
    for fix in offers:
        kept = f", {fix.row.plan.sequences:,} sequences" if fix.row.plan.sequences else ""
        yield "would fit", f"{say_changes(fix)}: {fix.row.plan.fullest.total_bytes / 1e9:,.1f} GB{kept}"
    if not offers:
        nodes = fewest_nodes(model, layout)
        least = (
            f"; in another layout {nodes:,} nodes of {layout.per_node} hold it" if nodes else ", nor any of 4,096 nodes"
        )
        yield "would fit", f"no layout near this one on up to 8 times these GPUs{least}"


def short(layout: Layout) -> tuple[object, ...]:
    """A layout in a table."""
    pp = f"{layout.pp}x{layout.chunks}" if layout.chunks > 1 else layout.pp
    return (layout.tp, pp, layout.cp, layout.dp, layout.ep, layout.etp)


def row_of(word: str, one: Row) -> tuple[object, ...]:
    sizes: tuple[object, ...] = (f"{one.plan.fullest.total_bytes / 1e9:,.1f}",)
    if one.layout.job != "train":
        sizes += ("" if one.plan.sequences is None else f"{one.plan.sequences:,}",)
    return (word, *short(one.layout), *sizes, f"{one.seconds:.3g}", f"{one.unhidden:.3g}", one.bound.binds)


def best(model: PlannerModel, layout: Layout, sort: str) -> list[str]:
    """The ten best of all legal layouts, and this one's place."""
    found: Table = search(model, layout, sort)
    unit = "step" if layout.job == "train" else "token of all sequences"
    kept = () if layout.job == "train" else ("sequences",)
    head = ("", "tp", "pp", "cp", "dp", "ep", "etp", "GB", *kept, "s at least", "s unhidden", "binds")
    rows: list[tuple[object, ...]] = [head]
    rows += [row_of(str(place), one) for place, one in enumerate(found.rows, 1)]
    if found.own and found.own.plan.fits and found.own.layout not in [one.layout for one in found.rows]:
        rows.append(row_of("yours", found.own))
    place = f"; this one is number {found.place:,}" if found.place else "; this one does not fit"
    said = f"{found.legal:,} layouts are legal, {found.fitting:,} fit{place}. Seconds are of a {unit}."
    return ["", said, "", *table(rows, right=tuple(range(1, len(head) - 1)))] if len(rows) > 1 else ["", said]
