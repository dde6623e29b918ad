"""compute's result -> the square of plain attention, a row in two tiles, the square in tiles, as HTML and SVG.

Twin of view.js. chip.py draws what is on the chip, bars.py what is to the scale of a real head.
"""

from __future__ import annotations

from cutaway.explainers.flash import bars, cells, chip

fill, box = cells.fill, cells.box
SIDE, SQUARE = 236, (112, 60)  # pixels: the square of beat 1 and its corner
CELL, CORNER = 30, (56, 24)  # the small example without numbers
ONE = 92  # the room for one tile beside it

PASSES = (
    ("scores = Q × K", "written", "written {plain.pass_bytes:bytes}"),
    ("softmax, row by row", "read, written", "read {plain.pass_bytes:bytes}, written {plain.pass_bytes:bytes}"),
    ("weights × V", "read", "read {plain.pass_bytes:bytes}"),
)


def words(now: dict, css: str, x: float, y: float, said: str) -> str:
    """Words in a drawing."""
    return f'<text class="{css}" x="{x:.2f}" y="{y:.2f}">{fill(said, now, "tspan")}</text>'


def square(now: dict, hide: bool = False) -> str:
    """Q, K and the square between them to scale, and what plain attention does with it."""
    thick = max(0.75, min(36.0, SIDE * now["head"]["qk"] / now["tokens"]))
    x, y = SQUARE
    middle, half = x + SIDE / 2, y + SIDE / 2
    svg = (
        '<svg class="cw-flash-square" viewBox="0 0 360 304" role="img" aria-label="A square of scores: every query '
        'against every key, with Q and K beside it to scale.">'
        f"{box('score', x, y, SIDE, SIDE)}"
        f'<rect class="input" x="{x}" y="{y - 5 - thick:.2f}" width="{SIDE}" height="{thick:.2f}"/>'
        f'<rect class="input" x="{x - 5 - thick:.2f}" y="{y}" width="{thick:.2f}" height="{SIDE}"/>'
        f"{words(now, 'muted', middle, y - 13 - thick, 'K, {tokens:int} keys')}"
        f"{words(now, 'muted end', x - 13 - thick, half, 'Q, {tokens:int}')}"
        f"{words(now, 'strong', middle, half - 4, '{square:count} scores')}"
        f"{words(now, 'muted', middle, half + 16, 'one head, drawn to scale')}</svg>"
    )
    steps = "".join(
        f"<li><b>{name}</b><span>{bare if hide else fill(said, now)}</span></li>" for name, bare, said in PASSES
    )
    ends = f'<p class="cw-flash-ends">{fill("Q, K, V and the output: {ends:bytes}", now)}</p>'
    return (
        f'<div class="cw-flash-pair">{svg}<div class="cw-flash-side"><p class="cw-flash-title">plain attention, pass '
        f'by pass</p><ol class="cw-flash-passes">{steps}</ol>{ends}</div></div>'
    )


# ---------------------------------------------------------------- softmax in two tiles

KEPT = (("largest score", "max", "fixed 1"), ("sum", "sum", "fixed 3"), ("output so far", "out", "signed 3"))
MEND = (
    "**factor e^({row.first.max:fixed 1} − {row.second.max:fixed 1}) = {row.factor:fixed 3}**",
    "sum: {row.first.sum:fixed 3} × {row.factor:fixed 3} + {row.fresh_sum:fixed 3} = {row.second.sum:fixed 3}",
    "output: {row.first.out:signed 3} × {row.factor:fixed 3} + {row.fresh_out:signed 3} = {row.second.out:signed 3}",
    "**at the end: {row.second.out:signed 3} ÷ {row.second.sum:fixed 3} = {row.tiled:fixed 4}**",
    "plain softmax, in one go: {row.plain:fixed 4}",
)


def line(now: dict, name: str, path: str, how: str, hide: bool = False) -> str:
    """One row of eight cells; the second tile's may be kept back."""
    each = (
        f'<td class="{path}{" hush" if hide and i > 3 else ""}">{cells.put(now, f"row.{path}.{i}", how)}</td>'
        for i in range(8)
    )
    return f'<tr><th scope="row">{name}</th>{"".join(each)}</tr>'


def kept(now: dict, which: str, title: str, hide: bool) -> str:
    rows = "".join(
        f"<div><dt>{name}</dt><dd>{cells.put(now, f'row.{which}.{key}', how)}</dd></div>" for name, key, how in KEPT
    )
    return f'<div class="cw-flash-kept {which}{" hush" if hide else ""}"><p>{title}</p><dl>{rows}</dl></div>'


def pieces(now: dict, hide: bool = False) -> str:
    """Row 7 in two tiles: its cells, what is carried, and the one factor."""
    names = (f'<th scope="colgroup" colspan="4">{name}</th>' for name in ("first tile", "second tile"))
    head = f"<tr><td></td>{''.join(names)}</tr>"
    rows = (
        line(now, "score", "scores", "fixed 1")
        + line(now, "value", "values", "signed 0")
        + line(now, "e^(score − max)", "weights", "fixed 3", hide)
    )
    mend = "".join(f"<p>{fill(words, now)}</p>" for words in MEND)
    return (
        f'<table class="cw-flash-cells" aria-label="One row of scores in two tiles"><thead>{head}</thead>'
        f'<tbody>{rows}</tbody></table><div class="cw-flash-carried">'
        f"{kept(now, 'first', 'kept after the first tile', False)}"
        f"{kept(now, 'second', 'kept after the second', hide)}</div>"
        f'<div class="cw-flash-mend{" hush" if hide else ""}">{mend}</div>'
    )


# ---------------------------------------------------------------- the square in tiles

LEFT = "{small.computed:int} tiles computed, {small.left:int} left out"


def tiles(now: dict, hide: bool = False) -> str:
    """The causal square, one tile beside it, and which tiles are never needed."""
    x, y = CORNER
    label = "Queries against keys: no query needs a later key." + ("" if hide else " Tiles lie over it.")
    svg = (
        f'<svg class="cw-flash-tiles" viewBox="0 0 300 268" role="img" aria-label="{label}">'
        f'<text class="muted" x="{x + 4 * CELL}" y="14">keys</text><text class="muted end" x="{x - 8}" '
        f'y="{y + 4 * CELL + 4}">queries</text>'
        f"{cells.grid(now, CELL, CORNER, hide)}{'' if hide else cells.outlines(now, CELL, CORNER)}</svg>"
    )
    small = now["small"]
    wide, tall = small["wide"] * CELL, small["tall"] * CELL
    high = max(ONE, tall + 2)  # larger tiles are drawn smaller, so that nothing below moves
    one = (
        f'<svg class="cw-flash-one" viewBox="-1 {(tall - high) / 2:g} {8 * CELL + 2} {high}" height="{ONE}" '
        f'preserveAspectRatio="xMinYMid meet" aria-hidden="true">{box("tile", 0, 0, wide, tall)}</svg>'
    )
    said = (
        f"<p><b>{fill('needed: {small.needed:int} of {small.scores:int} scores', now)}</b></p>{one}"
        f"<p>{fill('one tile: {small.tall:int} queries × {small.wide:int} keys', now)}</p>"
        f"<p>{fill('{small.tiles:int} such tiles cover the square', now)}</p>"
        f'<p class="{"hush" if hide else "strong"}">{fill(LEFT, now)}</p>'
    )
    legend = bars.legend(needed="needed", idle="computed, then masked", out="left out")
    return f'<div class="cw-flash-pair">{svg}<div class="cw-flash-side">{said}{legend}</div></div>'


def picture(now: dict) -> str:
    """The lab's first picture."""
    return f'{bars.lab(now)}<!--more--><div class="cw-section">{chip.walk(now)}</div>'
