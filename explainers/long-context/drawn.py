"""compute's result -> the zoom ruler, the layers in a row, the lab's tables, as HTML and SVG. Twin of view.js.

On the ruler now is at the right. A bar is UNITS wide whatever its width on the screen; what is read stands above, what
is kept below it in yellow.
"""

from __future__ import annotations

from html import escape
from math import floor
from pathlib import Path
from typing import Any

from explainers import load_file
from explainers.beats_facts import HOLE, bound

HERE = Path(__file__).parent
scales, counting = load_file(HERE / "ruler.py"), load_file(HERE / "counting.py")
UNITS, CELL, TICK = scales.UNITS, scales.CELL, scales.TICK
ROW, HIGH, KEPT, ZOOM, GAP = 24, 16, 3, 12, 0.6  # units: rows; the bar; the strip below; the wedge; between cells
FINE = 8  # units below which cells are told apart only where there is room
NAMED = 8  # kinds of layers that a legend names


def at_path(now: Any, path: str) -> Any:
    for key in path.split("."):
        now = now[int(key)] if isinstance(now, list) else now[key]
    return now


def fill(words: str, now: dict, tag: str = "span") -> str:
    """Words with values in braces, each bound to its path."""
    return HOLE.sub(lambda hole: bound(at_path(now, hole[1]), hole[1], hole[2] or "text", tag), words)


def nearest(x: float) -> float:
    """To hundredths, as Math.round has it."""
    return floor(100 * x + 0.5) / 100


def px(x: float) -> str:
    return f"{nearest(x):.2f}".rstrip("0").rstrip(".")


def legend(items: list[tuple[str, str]]) -> str:
    found = (f'<li><i class="{css}" aria-hidden="true"></i>{words}</li>' for css, words in items)
    return f'<ul class="cw-legend">{"".join(found)}</ul>'


# ---------------------------------------------------------------- one bar of the ruler


def across(back: float, span: int) -> float:
    """Where a token so far back stands."""
    return UNITS * (1 - back / span)


def stretch(css: str, run: list, span: int, y: float) -> str:
    """A run; in cells where these can be told apart."""
    low, high, cell = run
    left, right, period = across(high, span), across(low, span), UNITS * cell / span
    if period < CELL:
        return f'<path class="{css}" d="M{px(left)} {px(y)}H{px(right)}v{HIGH}H{px(left)}z"/>'
    dashes, middle = f"{px(period - GAP)} {px(GAP)}", px(y + HIGH / 2)
    fine = " fine" if period < FINE else ""
    return f'<path class="{css} cells{fine}" stroke-dasharray="{dashes}" d="M{px(right)} {middle}H{px(left)}"/>'


def ticks(bar: dict, span: int, y: float) -> str:
    """What an indexer picked."""
    period = UNITS * bar["cell"] / span
    wide = max(TICK, period - GAP)
    place = px if period >= CELL else lambda x: str(floor(x + 0.5))
    marks = (
        f"M{place(max(0, across(back + bar['cell'], span)))} {px(y)}h{px(wide)}v{HIGH}h-{px(wide)}z"
        for back in bar["ticks"]
    )
    return f'<path class="read" d="{"".join(marks)}"/>'


def state_cells(y: float) -> str:
    return f'<path class="kept cells" stroke-dasharray="22 3" d="M{UNITS} {px(y + HIGH / 2)}H0"/>'


def one_bar(row: dict, which: int, span: int, y: float, hide: bool) -> str:
    """One bar: its track, what is scored and read, and the strip of what is kept."""
    bar = row["bars"][which]
    made = f'<rect class="track" y="{px(y)}" width="{UNITS}" height="{HIGH}"/>'
    made += "".join(stretch("scored", run, span, y) for run in bar["scored"])
    if not (hide and bar["scored"]):
        made += "".join(stretch("read", run, span, y) for run in bar["read"]) + ticks(bar, span, y)
    for low, high, _ in bar["kept"]:
        left, right = across(high, span), across(low, span)
        made += f'<rect class="kept" x="{px(left)}" y="{px(y + HIGH + 2)}" width="{px(right - left)}" height="{KEPT}"/>'
    if row["key"] == "state" and which == 2:
        made += state_cells(y)
    return f'<g class="{row["role"]}">{made}</g>'


# ---------------------------------------------------------------- the ruler of a beat


def span_words(now: dict, which: int) -> str:
    """all 1,048,576 tokens | the last 8,192, 128 times nearer"""
    if not which:
        return "all {spans.0:int} tokens"
    near = now["nearer"][which - 1] > 1
    return f"the last {{spans.{which}:int}}" + (f", {{nearer.{which - 1}:num 3}} times nearer" if near else "")


def zoomed(now: dict, which: int, high: int) -> tuple[str, str]:
    """(the frame on a bar's right end, the wedge that opens it below)."""
    if which == 2:
        return "", ""
    left = px(across(now["spans"][which + 1], now["spans"][which]))
    frame = f'<path class="frame" d="M{left} -1H{UNITS}V{high}H{left}z"/>'
    wedge = (
        f'<svg class="zoom" width="100%" height="{ZOOM}" viewBox="0 0 {UNITS} {ZOOM}" preserveAspectRatio="none">'
        f'<path d="M0 {ZOOM}L{left} 0H{UNITS}V{ZOOM}z"/></svg>'
    )
    return frame, wedge


def said(rows: list[dict], hide: bool) -> str:
    """The ruler in words."""
    if hide:
        return "; ".join(f"{row['short']}: which are read is not shown yet" for row in rows) + "."
    return "; ".join(f"{row['name']}: {row['read']:,} of {row['entries']:,} read" for row in rows) + "."


def ruler(now: dict, keys: tuple[str, ...], hide: bool = False) -> str:
    """Some kinds of layers on three bars, each opening a part of the one above."""
    rows = [row for key in keys for row in now["ruler"] if row["key"] == key]
    high, made = ROW * len(rows), ""
    names = "".join(f"<span>{row['short']}</span>" for row in rows) if len(rows) > 1 else ""
    for which, span in enumerate(now["spans"]):
        frame, wedge = zoomed(now, which, high - 2)
        marks = "".join(one_bar(row, which, span, ROW * i, hide) for i, row in enumerate(rows))
        made += (
            f'<p class="span"><span>{fill(span_words(now, which), now)}</span><span>now</span></p>'
            f'<p class="names">{names}</p><div class="bars"><svg width="100%" height="{high}" '
            f'viewBox="0 0 {UNITS} {high}" preserveAspectRatio="none">{marks}{frame}</svg>{wedge}</div>'
        )
    lone = "" if names else " lone"
    return f'<div class="cw-long-context-ruler{lone}" role="img" aria-label="{said(rows, hide)}">{made}</div>'


# ---------------------------------------------------------------- the layers in a row


def each_layer(now: dict) -> list[dict]:
    return [now["kinds"][counting.LETTERS.index(letter)] for letter in now["stack"]]


def strip(now: dict) -> str:
    """Every layer of a model: as high as what it keeps, and below in the colour of what it is."""
    layers = each_layer(now)
    most, paths = max(kind["keeps"] for kind in layers) or 1, {"kept": ""}
    for i, kind in enumerate(layers):
        tall = max(2, 76 * kind["keeps"] / most) if kind["keeps"] else 0
        paths["kept"] += f"M{10 * i + 1} 78v-{px(tall)}h8V78z" if tall else ""
        paths[kind["role"]] = paths.get(kind["role"], "") + f"M{10 * i + 1} 84h8v14h-8z"
    marks = "".join(f'<path class="{css}" d="{d}"/>' for css, d in paths.items())
    named = [
        (kind["role"], fill(f"{{kinds.{i}.count:int}} × {{kinds.{i}.name}}: {{kinds.{i}.keeps:bytes}} each", now))
        for i, kind in enumerate(now["kinds"][:NAMED])
    ]
    more = len(now["kinds"]) - NAMED
    title = fill("what each of the {of.layers:int} layers of {of.title} keeps, layer 0 at the left", now)
    return (
        f'<p class="cw-long-context-title">{title}</p><svg class="cw-long-context-strip" role="img" '
        f'aria-label="The layers in order, each as high as what it keeps." width="100%" height="120" '
        f'viewBox="0 0 {10 * len(layers)} 100" preserveAspectRatio="none">{marks}</svg>'
        f"{legend([*named, *([('dense', f'and {more} further kinds')] if more > 0 else [])])}"
    )


def mixed(now: dict) -> str:
    """The layers of a hybrid: states that are fixed, caches that grow, and what keeps nothing."""
    layers, paths = each_layer(now), {}
    for i, kind in enumerate(layers):
        tall = 34 if kind["keeps"] else 14
        paths[kind["role"]] = paths.get(kind["role"], "") + f"M{10 * i + 1} {36 - tall}h8v{tall}h-8z"
        css = "kept" if kind["slope"] else "fixed" if kind["keeps"] else ""
        if css:
            low = 30 if css == "kept" else 12
            paths[css] = paths.get(css, "") + f"M{10 * i + 1} 42h8v{low}h-8z"
    marks = "".join(f'<path class="{css}" d="{d}"/>' for css, d in paths.items())
    role = next((kind["role"] for kind in layers if kind["keeps"] and not kind["slope"]), "dense")
    cache = next((kind["role"] for kind in layers if kind["slope"]), "full")
    named = [
        (role, fill("{mix.states:int} states that stay as they are", now)),
        (cache, fill("{mix.caches:int} caches that grow", now)),
        ("dense", fill("{mix.rest:int} layers keep nothing", now)),
    ]
    return (
        f'<p class="cw-long-context-title">{fill("{mix.layers:int} layers of {mix.title}, in order", now)}</p>'
        f'<svg class="cw-long-context-strip" role="img" aria-label="Layers with states and layers with caches, in '
        f'order." width="100%" height="76" viewBox="0 0 {10 * len(layers)} 74" preserveAspectRatio="none">{marks}</svg>'
        f"{legend(named)}"
    )


# ---------------------------------------------------------------- the lab

RESULTS = (
    ("kept in all", "of.kept", "bytes", ""), ("read for one new token", "of.reads", "bytes", ""),
    ("of that, keys of indexers", "of.index", "bytes", ""), ("arithmetic, weights", "of.weights_gflop", "fixed 1", " GFLOP"),
    ("arithmetic, states", "of.states_gflop", "fixed 1", " GFLOP"),
    ("arithmetic, indexers", "of.index_gflop", "fixed 1", " GFLOP"),
    ("arithmetic, reading", "of.read_gflop", "fixed 1", " GFLOP"), ("of all arithmetic, looking back", "of.past_share", "percent 1", ""),
)  # fmt: skip


def results(now: dict) -> str:
    rows = "".join(
        f"<div><dt>{label}</dt><dd>{fill(f'{{{path}:{how}}}', now)}{unit}</dd></div>"
        for label, path, how, unit in RESULTS
    )
    return (
        f'<p class="cw-long-context-big">{fill("{of.slope} bytes per token", now)}</p>'
        f'<p class="cw-long-context-formula">{fill("{of.formula}", now)}</p>'
        f'<dl class="cw-long-context-results">{rows}</dl><p class="cw-note">{fill(beyond(now), now)}</p>'
    )


def beyond(now: dict) -> str:
    """What is read of what is kept, and whether the config goes so far."""
    first = "{of.read_share:percent 1} of what is kept is read for each new token."
    longest = now["of"]["longest"]
    return first + (" Its config ends at {of.longest:int} tokens." if 0 < longest < now["spans"][0] else "")


def small_bar(row: dict, which: int, span: int) -> str:
    high = HIGH + 2 + KEPT
    return (
        f'<svg width="100%" height="{high}" viewBox="0 0 {UNITS} {high}" preserveAspectRatio="none" aria-hidden="true">'
        f"{one_bar(row, which, span, 0, False)}</svg>"
    )


def kinds_table(now: dict) -> str:
    """Every kind of layer on one ruler, with what it reads and keeps."""
    heads = ("{spans.0:int} tokens", "the last {spans.1:int}", "the last {spans.2:int}")
    head = "".join(f'<th scope="col">{fill(one, now)}</th>' for one in heads)
    roles = {kind["role"] + kind["name"].split()[0] for kind in now["kinds"]}
    body = ""
    for i, row in enumerate(now["ruler"][:-1]):
        own = ' class="own"' if row["role"] + row["name"].split()[0] in roles else ""
        name = fill(f"{{ruler.{i}.name}}", now)
        cells = "".join(f"<td>{small_bar(row, which, span)}</td>" for which, span in enumerate(now["spans"]))
        sizes = "".join(
            f'<td class="size {key}">{fill(f"{{ruler.{i}.{key}:bytes}}", now)}</td>' for key in ("reads", "keeps")
        )
        title = fill(f"{{ruler.{i}.title}}", now)
        body += f'<tr{own}><th scope="row"><b>{name}</b><small>{title}</small></th>{cells}{sizes}</tr>'
    return (
        '<table class="cw-long-context-kinds"><caption>Kinds of layers on one ruler, with the bytes that one layer '
        f'reads for the newest token and keeps</caption><thead><tr><th scope="col">kind of layer</th>{head}'
        f'<th scope="col" class="size">reads</th><th scope="col" class="size">keeps</th></tr></thead><tbody>{body}</tbody></table>'
    )


def plain_table(caption: str, heads: tuple[str, ...], rows: list[list[str]], css: str = "") -> str:
    """A table as kit.table makes it; a claim's columns have names."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    names = ["", ' class="published"', ' class="ours"', "", ""] if css else [""] * len(heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>'
        + "".join(f"<td{name}>{one}</td>" for name, one in zip(names, rest, strict=False))
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<div class="cw-scroll" tabindex="0" role="region" aria-label="{caption}"><table class="cw-table{css}"><caption>'
        f"{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


CROSSINGS = (
    "model",
    "layers with states",
    "states",
    "layers with caches",
    "a token adds",
    "caches lead from, in tokens",
)
CLAIMS = ("model", "what", "published", "counted here", "how", "source")


def crossings(now: dict) -> str:
    holes = ("title", "states:int", "fixed:bytes", "caches:int", "slope:bytes", "tokens:int")
    rows = [[fill(f"{{cross.{i}.{hole}}}", now) for hole in holes] for i in range(len(now["cross"]))]
    return plain_table("Where the caches of hybrids overtake their states", CROSSINGS, rows)


def claimed(now: dict, data: dict) -> str:
    rows = []
    for i, (name, says, published, _, how, source, link) in enumerate(data["claims"]):
        from_where = f'<a href="{escape(link)}">{escape(source)}</a>'
        ours = fill(f"{{claims.{i}.ours}}", now)
        rows.append([escape(name), escape(says), escape(published), ours, escape(how), from_where])
    return plain_table("What others published, counted again", CLAIMS, rows, " cw-long-context-claims")


def picture(now: dict, data: dict) -> str:
    """The lab: layers, models, numbers; below them the ruler and both tables."""
    charts = load_file(HERE / "charts.py")
    return (
        f'{strip(now)}<div class="cw-split"><div>{charts.bars(now)}</div><div>{results(now)}</div></div><!--more-->'
        f'<div class="cw-section">{kinds_table(now)}</div><div class="cw-section">{crossings(now)}</div>'
        f'<div class="cw-section">{claimed(now, data)}</div>'
    )
