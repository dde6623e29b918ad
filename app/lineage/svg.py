"""The plan of /lineage/ -> one SVG: lanes, months, lines, glyphs, labels. Every glyph is a link to its model's page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from markupsafe import Markup

from cutaway.app.lineage.entries import LANES
from cutaway.app.lineage.layout import GLYPH, HEAD, LEFT, RIGHT, ROW, WIDTH, Plan, Spot, label_at
from cutaway.gallery.drawing.marks_svg import escape

TOP = 26  # for the months
HIGH = 8  # half a glyph's height
BEND = 5


def svg(plan: Plan, url: Callable[[str], str], says: str) -> Markup:
    """The drawing; what a narrower span of dates needs to know stands in data-attributes."""
    tops = plan.tops()
    height = round(tops[-1]) + TOP
    parts = [
        f'<svg class="cf lin" viewBox="0 0 {WIDTH} {height}" role="group" aria-label="{escape(says)}" '
        f'data-first="{plan.first}" data-last="{plan.last}" data-left="{LEFT}" data-right="{RIGHT}">',
        "".join(lane(plan, place, tops) for place in range(len(LANES)) if plan.rows[place]),
        f'<g class="lin-time">{"".join(months(plan, height))}</g>',
        f'<g class="lin-lines">{"".join(line(plan, spot) for spot in plan.spots if spot.parent)}</g>',
        *(node(plan, spot, url) for spot in plan.spots),
        "</svg>",
    ]
    return Markup("".join(parts))


def lane(plan: Plan, place: int, tops: list[float]) -> str:
    """A lane's ground, its name and how many models it holds."""
    one, y, high = LANES[place], tops[place] + TOP, HEAD + ROW * plan.rows[place]
    many = sum(1 + len(spot.one.clones) for spot in plan.spots if spot.lane == place)
    says = "".join(
        f'<text class="{style}" x="18" y="{22 + 16 * i}">{escape(words)}</text>'
        for i, (style, words) in enumerate(
            (("lin-lane", one.title), ("f-small", one.says), ("f-small", f"{many} models"))
        )
    )
    return (
        f'<g class="lin-ground f-{one.role}" data-lane="{place}" transform="translate(0 {y:g})">'
        f'<rect class="lin-band" width="{WIDTH}" height="{high:g}"/>'
        f'<rect class="f-solid" width="4" height="{high:g}"/>{says}</g>'
    )


def months(plan: Plan, height: int) -> list[str]:
    """A line at each half year, the years named."""
    out = []
    for year in range(date.fromordinal(plan.first).year, date.fromordinal(plan.last).year + 1):
        for month in (1, 7):
            day = date(year, month, 1).toordinal()
            if plan.first <= day <= plan.last:
                x = at(plan, day)
                words = str(year) if month == 1 else "Jul"
                out.append(
                    f'<g data-day="{day}" transform="translate({x:g} 0)"><path d="M.5 20V{height}"/>'
                    f'<text class="f-small" x="0" y="14" text-anchor="middle">{words}</text></g>'
                )
    return out


def at(plan: Plan, day: int) -> float:
    """Where a day stands."""
    return round(LEFT + (max(day, plan.first) - plan.first) / (plan.last - plan.first) * (RIGHT - LEFT), 1)


def line(plan: Plan, spot: Spot) -> str:
    """From a relative to a model: level, or down and then level."""
    parent = spot.parent
    assert parent is not None and spot.one.parent is not None
    far = " lin-far" if spot.one.parent.founder else ""
    return (
        f'<path class="f-{LANES[spot.lane].role}{far}" data-of="{escape(spot.one.slug)}" data-off="{spot.offset:g}" '
        f'd="{path(parent.x, plan.y(parent) + TOP, spot.x, plan.y(spot) + TOP, spot.offset)}"/>'
    )


def path(px: float, py: float, x: float, y: float, offset: float) -> str:
    """The same as in app/lineage/lineage-drawing.js."""
    end = x - GLYPH - 1
    if py == y:
        return f"M{px + GLYPH:.1f} {y:g}H{end:.1f}"
    turn = BEND if y > py else -BEND
    up = px + offset
    start = (
        f"M{up:.1f} {py + (HIGH if y > py else -HIGH):g}"
        if abs(offset) <= GLYPH
        else f"M{px + GLYPH:.1f} {py:g}H{up:.1f}"
    )
    return f"{start}V{y - turn:g}Q{up:.1f} {y:g} {min(up + BEND, end):.1f} {y:g}H{end:.1f}"


def node(plan: Plan, spot: Spot, url: Callable[[str], str]) -> str:
    """A glyph with its label, as a link; a name stands above the middle where a line goes on to the right."""
    one = spot.one
    classes = "lin-node" + (" lin-first" if one.first else " lin-same" if one.same else "")
    raised = one.tag or any(goes_right(other, spot) for other in plan.spots)
    x = label_at(one)
    back = f'<path class="lin-stack" d="M{3 - GLYPH} {-HIGH - 3}H{GLYPH + 3}V{HIGH - 3}"/>' if one.clones else ""
    tag = f'<text class="f-small lin-tag" x="{x}" y="12">{escape(one.tag)}</text>' if one.tag else ""
    return (
        f'<a class="{classes} f-{LANES[spot.lane].role}" href="{escape(url(f"/models/{one.slug}/"))}" '
        f'data-at="{escape(one.slug)}" data-parent="{escape(one.parent.slug if one.parent else "")}" '
        f'data-day="{one.day}" data-shift="{spot.shift:g}" data-lane="{spot.lane}" data-row="{spot.row}" '
        f'aria-label="{escape(one.says)}" transform="translate({spot.x:.1f} {plan.y(spot) + TOP:g})">{back}'
        f'<rect class="lin-room" x="{-GLYPH - 1}" y="{-HIGH - 1}" width="{2 * GLYPH + 2}" height="{2 * HIGH + 2}"/>'
        f"{glyph(one.mixers, -GLYPH)}{glyph(one.mlps, 0.5)}"
        f'<text class="lin-name" x="{x}" y="{-3 if raised else 4}">{escape(one.title)}</text>{tag}</a>'
    )


def goes_right(child: Spot, spot: Spot) -> bool:
    """Whether a line leaves a spot to the right, under its name."""
    return child.parent is spot and (abs(child.offset) > GLYPH or (child.lane, child.row) == (spot.lane, spot.row))


def glyph(shares: tuple[tuple[str, float], ...], x: float) -> str:
    """Half a tower: its colours by their shares, the most frequent at the bottom."""
    out, bottom = [], float(HIGH)
    for role, share in shares:
        high = 2 * HIGH * share
        box = f'x="{x:g}" y="{bottom - high:.1f}" width="{GLYPH - 0.5:g}" height="{high:.1f}"'
        out.append(f'<rect class="f-{role or "plain"} f-solid" {box}/>')
        bottom -= high
    return "".join(out)
