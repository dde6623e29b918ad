"""compute's result -> the square with the numbers of one tile, and what the chip holds meanwhile. Twin of view.js."""

from __future__ import annotations

from cutaway.explainers.beats_facts import printed
from cutaway.explainers.flash import cells

WIDE, START = 36, (62, 24)  # pixels: a score with its number, and the square's corner


def numbers(now: dict) -> str:
    """The square with the numbers of the current tile; dots where tiles were."""
    walk, small, (x, y) = now["walk"], now["small"], START
    tall, wide = small["tall"], small["wide"]
    done = small["order"][: walk["step"] - 1]
    names, marks = "", ""
    for q in range(8):
        on = ' class="on"' if walk["row"] <= q <= walk["row_to"] else ""
        names += f'<text{on} x="{x - 8}" y="{y + q * WIDE + 22}" data-index="">query {q}</text>'
        for k in range(q + 1):
            if q - k < now["reach"] and [q // tall * tall, k // wide * wide] in done:
                marks += f'<circle cx="{x + k * WIDE + 18}" cy="{y + q * WIDE + 18}" r="2"/>'
    each = "".join(
        f'<text x="{x + (walk["key"] + j) * WIDE + 18}" y="{y + (walk["row"] + i) * WIDE + 22}" '
        f'data-out="walk.cells.{i}.{j}" data-format="signed 1">{printed(walk["cells"][i][j], "signed 1")}</text>'
        for i in range(tall)
        for j in range(wide)
    )
    here = cells.box("here", x + walk["key"] * WIDE, y + walk["row"] * WIDE, wide * WIDE, tall * WIDE)
    return (
        f'<svg class="cw-flash-walk" viewBox="0 0 352 314" role="img" aria-label="{said(now)}">'
        f'<text class="muted" x="{x + 4 * WIDE}" y="14">keys</text>'
        f"{cells.grid(now, WIDE, START)}{cells.outlines(now, WIDE, START)}"
        f'<g class="names">{names}</g><g class="done">{marks}</g>{here}<g class="numbers">{each}</g></svg>'
    )


def said(now: dict) -> str:
    """The walk for a screen reader."""
    walk = now["walk"]
    return (
        f"Tile {walk['step']} of {walk['steps']}: queries {walk['row']} to {walk['row_to']}, "
        f"keys {walk['key']} to {walk['key_to']}."
    )


def line(head: str, each: list[str], css: str) -> str:
    return f'<tr class="{css}"><th scope="row">{head}</th>{"".join(f"<td>{one}</td>" for one in each)}</tr>'


CARRIED = (("max", "signed 1"), ("sum", "fixed 3"), ("out", "signed 3"), ("written", "signed 3"))


def chip(now: dict) -> str:
    """Queries, keys, scores and values of the tile, and what each row carries."""
    walk = now["walk"]
    across, down = range(len(walk["values"])), range(len(walk["queries"]))
    keys = [line(f"key, {name}", [cells.put(now, f"walk.keys.{j}.{n}", "num 3") for j in across], "key")
            for n, name in enumerate(("1st", "2nd"))]  # fmt: skip
    rows = [
        line(
            cells.fill(
                f"query {{walk.rows.{i}.query:int}}: {{walk.queries.{i}.0:num 3}}, {{walk.queries.{i}.1:num 3}}", now
            ),
            [cells.put(now, f"walk.cells.{i}.{j}", "signed 1") for j in across],
            "score",
        )
        for i in down
    ]
    values = line("value", [cells.put(now, f"walk.values.{j}", "signed 0") for j in across], "value")
    stats = "".join(
        f'<tr><th scope="row">{cells.put(now, f"walk.rows.{i}.query", "int")}</th>'
        + "".join(f"<td>{cells.put(now, f'walk.rows.{i}.{key}', how)}</td>" for key, how in CARRIED)
        + "</tr>"
        for i in down
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("row", "max", "sum", "out", "out ÷ sum"))
    return (
        '<div class="cw-flash-chip"><p class="cw-flash-title">on the chip (SRAM), now</p>'
        '<table class="cw-flash-tile" aria-label="The tile on the chip">'
        f"<tbody>{''.join((*keys, *rows, values))}</tbody></table>"
        f'<table class="cw-flash-stats" aria-label="What each row carries"><thead><tr>{head}</tr></thead>'
        f"<tbody>{stats}</tbody></table></div>"
    )


def walk(now: dict) -> str:
    """The square and the chip."""
    return f'<div class="cw-flash-pair walk">{numbers(now)}{chip(now)}</div>'
