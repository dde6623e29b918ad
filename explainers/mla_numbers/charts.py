"""compute's result -> bytes, FLOPs and times as bars, costs by new tokens, GPUs, as SVG. Twin of charts.js.

Along x everything is a percentage, so one drawing fits every width.
"""

from __future__ import annotations

from itertools import pairwise

from cutaway.explainers.flash import cells

fill, put, value = cells.fill, cells.put, cells.value
TOP, FLOOR = 12, 176  # pixels: of the chart over new tokens
TALL = 64  # of a GPU that keeps the most
MIDDLE, SCALE = 62, 17  # of the waves: the line of 0, and pixels to 1

# title, rows: (class, words, path, how)
HELD = ("kept of a token in one layer, BF16", (
    ("small", "one latent and one key for place", "kept.bytes", "bytes B"),
    ("grouped", "eight grouped pairs (GQA)", "kept.grouped_bytes", "bytes B"),
    ("unpacked", "a key and a value for each head", "kept.unpacked_bytes", "bytes B"),
))  # fmt: skip
WAYS = (
    ("arithmetic for one cached token: FLOP", "flops", "int"),
    ("read for it: bytes", "bytes", "int"),
    ("least time on {on.title:text}: ns", "ns", "sig 3"),
)
TOLD = (("unpacked", "unpacked, kept that way"), ("small", "absorbed"))
REBUILT = ("rebuilt", "unpacked anew each time")
PATHS = {"unpacked": "unpacked", "small": "absorbed", "rebuilt": "rebuilt"}


def pct(share: float) -> str:
    return f"{100 * share:.3f}%"


def bars(now: dict, title: str, rows: tuple, hide: tuple = ()) -> str:
    """Bars under a title, each with its words and number above it; those named in `hide` keep their room."""
    values = [value(now, path) for _, _, path, _ in rows]
    made = ""
    for i, ((css, words, path, how), size) in enumerate(zip(rows, values, strict=True)):
        y = 34 * i
        hushed = " hush" if css in hide else ""
        made += (
            f'<g class="{css}{hushed}"><text x="0" y="{y + 13}">{words}</text><text class="end" x="100%" y="{y + 13}">'
            f'{put(now, path, how, "tspan")}</text><rect x="0" y="{y + 18}" width="{pct(size / max(values))}" '
            'height="9"/></g>'
        )
    return (
        f'<p class="name">{fill(title, now)}</p><svg class="bars" width="100%" height="{34 * len(rows) - 4}" '
        f'role="img" aria-label="Bars.">{made}</svg>'
    )


def ways(now: dict, hide: bool = False, more: bool = False) -> str:
    """Arithmetic, bytes and time of each way to read one cached token."""
    kinds = (*TOLD, REBUILT) if more else TOLD
    made = ""
    for title, key, how in WAYS:
        rows = tuple((css, words, f"ways.{PATHS[css]}.{key}", how) for css, words in kinds)
        made += bars(now, title, rows, ("small",) if hide and key != "bytes" else ())
    return f'<div class="ways">{made}</div>'


def high(flops: float, most: float) -> float:
    return FLOOR - (FLOOR - TOP) * flops / most


def grow(now: dict, hide: bool = False) -> str:
    """Both costs of a step over its new tokens, and where they cross."""
    one = now["grow"]
    most, last = max(one["absorbed"][-1], one["unpacked"][-1]), one["new"][-1]
    x = lambda new: pct(0.02 + 0.95 * new / last)  # noqa: E731
    lines = ""
    for way in ("absorbed", "unpacked"):
        points = list(zip(one["new"], one[way], strict=True))
        drawn = "".join(
            f'<line x1="{x(a)}" y1="{high(b, most):.2f}" x2="{x(c)}" y2="{high(d, most):.2f}"/>'
            for (a, b), (c, d) in pairwise(points)
        )
        lines += f'<g class="{way}{" hush" if hide and way == "unpacked" else ""}">{drawn}</g>'
    ticks = "".join(
        f'<text x="{x(n)}" y="{FLOOR + 18}" data-index="">{n}</text>' for i, n in enumerate(one["new"]) if i % 2 == 0
    )
    met = one["crossing"] if 0 < one["crossing"] <= last else last
    hush = " hush" if hide or met != one["crossing"] else ""
    at, side = x(met), "end" if met > last / 2 else "start"
    cross = (
        f'<g class="cross{hush}"><line x1="{at}" x2="{at}" y1="{TOP}" y2="{FLOOR}"/>'
        f'<text class="{side}" x="{at}" dx="{-6 if side == "end" else 6}" y="{FLOOR - 8}">'
        f"{fill('{grow.crossing:int} new tokens', now, 'tspan')}</text></g>"
    )
    here = f'<line class="here" x1="{x(now["fresh"])}" x2="{x(now["fresh"])}" y1="{TOP}" y2="{FLOOR}"/>'
    name = fill("FLOP of one layer’s step, over a cache of {context:int} tokens", now)
    return (
        f'<p class="name">{name}</p><svg class="grow" width="100%" height="{FLOOR + 40}" role="img" '
        'aria-label="Two costs over new tokens.">'
        f'<line class="axis" x1="2%" x2="97%" y1="{FLOOR}" y2="{FLOOR}"/>{lines}{cross}{here}{ticks}'
        f'<text x="50%" y="{FLOOR + 36}">new tokens in the step</text></svg>'
        f"{legend(absorbed='absorbed', unpacked='unpacked')}"
    )


def legend(**labels: str) -> str:
    """A legend."""
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in labels.items())
    return f'<ul class="cw-legend">{"".join(items)}</ul>'


OWN = "{size.title}, one latent: **{gpus.each:bytes KB} on each**, {gpus.all:bytes KB} in all"
OTHER = (
    "{gpus.other.title}, {gpus.other.pairs:int} pairs: **{gpus.other.each:bytes KB} on each**, "
    "{gpus.other.all:bytes KB} in all"
)


def held(now: dict, css: str, each: float, copies: int, most: float) -> str:
    """A column for every GPU; what another one keeps too is hatched."""
    ranks = now["gpus"]["ranks"]
    tall = max(2.0, TALL * each / most)
    made = "".join(
        f'<rect class="{"copy" if r % copies else "own"}" x="{pct((r + 0.1) / ranks)}" y="{TALL - tall:.2f}" '
        f'width="{pct(0.8 / ranks)}" height="{tall:.2f}"/>'
        for r in range(ranks)
    )
    return (
        f'<svg class="held {css}" width="100%" height="{TALL + 1}" role="img" aria-label="What each GPU keeps.">'
        f'{made}<line x1="0" x2="100%" y1="{TALL}" y2="{TALL}"/></svg>'
    )


def gpus(now: dict, hide: bool = False) -> str:
    """What each GPU keeps of a token, for the latent and for grouped heads."""
    one = now["gpus"]
    most = max(one["each"], one["other"]["each"])
    hush = " hush" if hide else ""
    return (
        f'<div class="gpus"><div class="group{hush}"><p>{fill(OWN, now)}</p>'
        f"{held(now, 'small', one['each'], one['copies'], most)}</div>"
        f'<div class="group"><p>{fill(OTHER, now)}</p>'
        f"{held(now, 'grouped', one['other']['each'], one['other']['copies'], most)}</div>"
        f"{legend(own='its own', copy='the same as a neighbour’s')}</div>"
    )


def waves(now: dict) -> str:
    """The three numbers of q′ over distances; flat where nothing turns them."""
    lines = "".join(
        f'<polyline class="w{i}" points="'
        + " ".join(f"{10 * d},{MIDDLE - SCALE * y:.2f}" for d, y in enumerate(wave))
        + '"/>'
        for i, wave in enumerate(now["carry"]["waves"])
    )
    x = 10 * now["distance"]
    return (
        '<div class="waves"><p class="name">the three numbers of q′, by distance</p><svg viewBox="0 0 310 124" '
        'preserveAspectRatio="none" height="124" role="img" aria-label="Three numbers over distances.">'
        f'<line class="axis" x1="0" x2="310" y1="{MIDDLE}" y2="{MIDDLE}"/>{lines}'
        f'<line class="here" x1="{x}" x2="{x}" y1="0" y2="124"/></svg></div>'
    )


def lab(now: dict) -> str:
    """The upper half of the lab."""
    left = bars(now, *HELD) + ways(now, more=True)
    return f'<div class="cw-split"><div>{left}</div><div>{grow(now)}{gpus(now)}</div></div>'
