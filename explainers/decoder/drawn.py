"""compute's result -> tiles of a stream, what is said next, a state, right answers, as SVG. Twin of view.js."""

from __future__ import annotations

from math import floor

from cutaway.explainers.beats_facts import bound

TOP, HIGH, LAST = 16, 150, 71  # of the chart: the line of 100 %, its height, the furthest distance
BACKS = range(2, LAST + 1, 3)  # tokens: a value is said every third one
SIDE = 40  # of a square of a state
WIDE, GAP, PITCH, LINES = 96, 2, 1.5, 13  # of what is kept, in cells: across, between rows, line to line, in all
KINDS = {"W": "write", "R": "read", "X": "reset"}


def tile(now: dict, i: int, u: int, kind: str = "") -> str:
    """One unit: W or R, its key, its value; face down ("down"), or with its value asked for ("asked")."""
    unit = now["stream"]["units"][i]
    fed = "said" if unit["said"] else "value"
    lie = unit[fed] != unit["value"]
    own = [KINDS[unit["word"]], *(["here"] if i == u else []), *([kind] if kind else []), *(["lie"] if lie else [])]
    if kind == "down":
        return f'<li class="{" ".join(own)}"></li>'
    value = "?" if kind == "asked" else bound(unit[fed], f"stream.units.{i}.{fed}", "int", "span")
    return f'<li class="{" ".join(own)}"><b>{unit["word"]}</b><i>{unit["key"]}</i><u>{value}</u></li>'.replace(
        "<i>&<", "<i>&amp;<"
    )


def tiles(now: dict, u: int, hide: bool = False, ask: bool = False) -> str:
    """The stream; while something is asked the others lie face down, or the one under the cursor has no value."""
    kinds = [
        "asked" if i == u and (hide or ask) else "down" if hide else "" for i in range(len(now["stream"]["units"]))
    ]
    return f'<ol class="cw-decoder-tiles">{"".join(tile(now, i, u, kind) for i, kind in enumerate(kinds))}</ol>'


def bar(share: float, css: str = "") -> str:
    """A bar as long as its share."""
    box = f'class="cw-decoder-bar {css}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg {box}><rect width="{100 * share:.2f}" height="8"/></svg>'


def says(now: dict) -> str:
    """The five likeliest next tokens."""
    rows = "".join(
        f"<li><b>{bound(one['name'], f'live.top.{i}.name', 'text', 'span')}</b>{bar(one['share'])}"
        f"<span>{bound(one['share'], f'live.top.{i}.share', 'percent 1', 'span')}</span></li>"
        for i, one in enumerate(now["live"]["top"])
    )
    return f'<ol class="cw-decoder-says">{rows}</ol>'


def own_writes(now: dict) -> list[int]:
    """The units up to the cursor that write the key under it."""
    before = enumerate(now["stream"]["units"][: now["here"]["token"] // 3 + 1])
    return [i for i, one in before if one["key"] == now["here"]["key"] and one["word"] == "W"]


def heads(now: dict, names: tuple[str, ...] = ("first", "last")) -> str:
    """How each head's look falls on the first write of the key and on the last."""
    writes = own_writes(now)
    ends = (writes[0], writes[-1])
    rows = "".join(
        f'<tr><th scope="row">head <span data-index="">{h}</span></th>'
        + "".join(
            f"<td>{bar(row[i], 'look')}{bound(row[i], f'live.looks.{h}.{i}', 'percent 0', 'span')}</td>" for i in ends
        )
        + "</tr>"
        for h, row in enumerate(now["live"]["looks"])
    )
    head = "".join(f'<th scope="col">on the {name} write</th>' for name in names)
    return f'<table class="cw-decoder-heads"><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>'


def gates(now: dict) -> str:
    """How much of each head's state stays over a reset."""
    rows = "".join(
        f'<tr><th scope="row">head <span data-index="">{h}</span></th>'
        f"<td>{bar(share, 'look')}{bound(share, f'model.stays.{h}', 'percent 1', 'span')}</td></tr>"
        for h, share in enumerate(now["model"]["stays"])
    )
    head = '<thead><tr><td></td><th scope="col">of its state stays after X X X</th></tr></thead>'
    return f'<table class="cw-decoder-heads">{head}<tbody>{rows}</tbody></table>'


def row_by_row(row: int, first: int, last: int) -> str:
    """The numbers that tokens keep, as lines of cells; short rows stand beside one another."""
    beside = (WIDE + GAP) // (row + GAP)
    return "".join(f"M{i % beside * (row + GAP)} {PITCH * (i // beside) + 0.5:g}h{row}" for i in range(first, last))


def ink(now: dict, hide: bool) -> str:
    """A state and a cache, each number a cell: how many tokens it takes to keep as much; while asked, one token."""

    def put(key: str, how: str = "int") -> str:
        return bound(now["meets"][key], f"meets.{key}", how, "span")

    row, fixed, after = (now["meets"][key] for key in ("row", "fixed", "after"))
    side = round((fixed / 4) ** 0.5)
    state = "".join(f"M{h * (side + GAP)} {i + 0.5:g}h{side}" for h in range(4) for i in range(side))
    kept, more = (row_by_row(row, 0, 1), "") if hide else (row_by_row(row, 0, after), row_by_row(row, after, after + 2))
    met = "" if hide else f"After {put('after')} tokens it holds as much as the state ever will. After {put('many')}:"
    return (
        f'<div class="cw-decoder-ink"><p>A state, at any length: {put("fixed")} numbers.</p>'
        f"{cells(side, state)}<p>A cache ({put('cache', 'text')}): {put('row')} numbers a token.</p>"
        f"{cells(LINES, kept, more)}<p>{met}</p></div>"
    )


def cells(high: int, kept: str, more: str = "") -> str:
    """Lines of cells, those to come pale."""
    pale = f'<path class="later" d="{more}"/>' if more else ""
    return f'<svg viewBox="0 0 {WIDE} {high}" aria-hidden="true"><path d="{kept}"/>{pale}</svg>'


def sizes(now: dict) -> str:
    """What every mixer keeps, beside full attention."""
    most, rows = now["every"][0]["bytes"], ""
    for i, one in enumerate(now["every"]):
        own = ' class="own"' if one["title"] == now["model"]["title"] else ""
        name = bound(one["title"], f"every.{i}.title", "text", "span")
        kept = bound(one["bytes"], f"every.{i}.bytes", "bytes", "span")
        rows += f"<li{own}>{name}{bar(one['bytes'] / most, 'bytes')}{kept}</li>"
    return f'<ul class="cw-decoder-every">{rows}</ul>'


def squares(row: list[float]) -> tuple[str, str]:
    """The paths of a state: (filled for what is above zero, hollow for what is below); area is size."""
    side, most = round(len(row) ** 0.5), max(map(abs, row)) or 1.0
    paths: dict[bool, list[str]] = {True: [], False: []}
    for place, value in enumerate(row):
        half = floor(SIDE * (abs(value) / most) ** 0.5 / 2 - 1)
        if half < 1:
            continue
        x, y = SIDE * (place % side) + SIDE // 2 - half, SIDE * (place // side) + SIDE // 2 - half
        paths[value > 0].append(f"M{x} {y}h{2 * half}v{2 * half}h-{2 * half}z")
    return "".join(paths[True]), "".join(paths[False])


def state(now: dict, h: int) -> str:
    """One head's state."""
    row = now["live"]["state"][h]
    side = SIDE * round(len(row) ** 0.5)
    above, below = squares(row)
    return (
        f'<svg class="cw-decoder-state" role="img" viewBox="0 0 {side} {side}" aria-label="The state of head {h}: '
        f'filled squares are above zero, hollow ones below."><path class="above" d="{above}"/>'
        f'<path class="below" d="{below}"/></svg>'
    )


def y(share: float) -> float:
    return TOP + HIGH * (1 - share)


def x(back: int) -> str:
    return f"{8 + 90 * (back - 2) / (LAST - 2):.3f}%"


def dots(said: list, css: str, limit: int) -> str:
    """Right answers by how many tokens back the value was last said."""
    shown = (one for one in zip(BACKS, said, strict=False) if one[0] <= limit)
    return "".join(f'<circle class="{css}" cx="{x(back)}" cy="{y(share):.2f}" r="4"/>' for back, share in shown)


def chart(one: dict, full: dict, hide: bool) -> str:
    """A mixer beside full attention; while a bet is open only what lies within 23 tokens."""
    grid = "".join(
        f'<line x1="8%" x2="100%" y1="{y(share):g}" y2="{y(share):g}"/>'
        f'<text x="0" y="{y(share) + 4:g}" data-index="">{100 * share:.0f} %</text>'
        for share in (0, 0.5, 1)
    )
    ticks = "".join(
        f'<text x="{x(back)}" y="{TOP + HIGH + 20}" text-anchor="middle" data-index="">{back}</text>'
        for back in (2, 23, 47, 71)
    )
    label = f"Right answers of {one['title']} and of full attention, by tokens since the value was last said."
    return (
        f'<svg class="cw-decoder-chart" role="img" aria-label="{label}" width="100%" height="{TOP + HIGH + 28}">'
        f'<g class="grid">{grid}{ticks}</g><g>{dots(full["said"], "full", LAST)}</g>'
        f"<g>{dots(one['said'], one['role'] + ' own', 23 if hide else LAST)}</g></svg>"
        '<p class="cw-note">tokens since the value was last said; dots: ring full attention, disc this mixer</p>'
    )


def heat(now: dict, data: dict, few: bool = False) -> str:
    """Right answers of 100, by how many keys live and how far back the value was written."""
    here = now["here"]
    head = "".join(f'<th scope="col" data-index="">{a}–{b}</th>' for a, b in data["far"])
    rows = ""
    for i, (a, b) in enumerate(data["live"]):
        cells = ""
        for j, value in enumerate(now["heat"][i]):
            mark = ' class="here"' if (i, j) == (here["crowd"], here["far"]) else ""
            shown = "" if value < 0 or (few and i > 1) else bound(value, f"heat.{i}.{j}", "int", "span")
            cells += f'<td{mark} data-warm="{-1 if not shown else round(value / 10)}">{shown}</td>'
        rows += f'<tr><th scope="row" data-index="">{a}–{b} keys</th>{cells}</tr>'
    caption = "<caption>Right answers in percent, by keys that live and by tokens since the write.</caption>"
    return (
        f'<table class="cw-decoder-heat">{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def picture(now: dict, state: dict, data: dict) -> str:
    """The stream, what comes next, what is kept; below, how often it is right."""
    both = {**state, **now}

    def put(path: str, how: str) -> str:
        value = both
        for key in path.split("."):
            value = value[key]
        return bound(value, path, how, "span")

    kept = (
        f"<p>{put('model.title', 'text')}: after {put('tokens', 'int')} tokens {put('kept.numbers', 'int')} numbers "
        f"are kept, {put('kept.bytes', 'bytes')}, and {put('kept.conv', 'int')} in convolutions. "
        f"It is right {put('model.all', 'percent 1')} of the time.</p>"
    )
    return f"{tiles(now, state['u'], ask=True)}{says(now)}{kept}<!--more-->{heat(now, data)}"
