"""compute's result -> the block as a card with the size of what runs on every wire, and the stream through the stack.

Twin of view.js. The card is drawn in one coordinate system; along the stack everything is stretched.
"""

from __future__ import annotations

from math import log2

from cutaway.explainers.beats_facts import bound
from cutaway.explainers.experts.drawn import fill

STREAM, RIGHT, ROWS, RISE, OWN_ROW = 58, 372, {"mixer": 236, "mlp": 136}, 46, 26
BOXES = {"before": (84, 46), "half": (142, 104), "gate": (258, 46), "behind": (316, 46)}
HIGH, WIDE, BARE = 300, 384, 30  # with and without the row of the layer's own embedding
TICKS = (1, 4, 16, 64)
LOW, TOP, CHART = -1, 7, 160  # powers of two at the foot and the head of the chart; pixels


def fine(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".")


def line(css: str, *points: tuple[float, float]) -> str:
    return f'<path class="{css}" d="M{"L".join(f"{x:g} {y:g}" for x, y in points)}"/>'


def box(css: str, x: float, y: float, wide: float, words: tuple[str, ...], high: float = 34) -> str:
    """A box around its height, with a line or two of words."""
    start = y + 4 - 7 * (len(words) - 1)
    text = "".join(
        f'<text x="{x + wide / 2:g}" y="{start + 14 * i:g}" data-index="">{one}</text>' for i, one in enumerate(words)
    )
    return f'<g class="{css}"><rect x="{x}" y="{y - high / 2:g}" width="{wide}" height="{high:g}"/>{text}</g>'


def inside(now: dict, half: str) -> tuple[str, ...]:
    """What stands in a half's box."""
    if half == "mlp":
        return ("MLP",)
    more = [name for name, on in (("QK-norm", now["qk"]), ("cap", now["cap"])) if on]
    return ("attention", " · ".join(more)) if more else ("attention",)


def boxes(now: dict, half: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """(place, kind, words) of the boxes of a half, from left to right."""
    kind = now["norm"]
    return [
        *([("before", "norm", ("norm",))] if kind in ("pre", "sandwich") else []),
        ("half", half, inside(now, half)),
        *([("gate", "gate", ("σ gate",))] if half == "mixer" and now["gate"] != "none" else []),
        *([("behind", "norm", ("norm",))] if kind in ("sandwich", "behind") else []),
    ]


def half(now: dict, name: str) -> str:
    """A half: out of the stream, through its boxes, back to a sum in the stream."""
    y, up = ROWS[name], ROWS[name] - RISE
    side = now["parallel"]
    sum_at = ROWS["mlp"] - RISE if side else up
    starts = (STREAM, y) if name == "mixer" or not side else (STREAM + 14, y)
    wires = line("wire", starts, (RIGHT, y), (RIGHT, sum_at), (STREAM, sum_at))
    if side and name == "mlp":
        wires += line("wire", (STREAM + 14, ROWS["mixer"]), (STREAM + 14, y))
    made = "".join(box(css, BOXES[at][0], y, BOXES[at][1], words) for at, css, words in boxes(now, name))
    adds = f'<text class="size" x="194" y="{y - 25}">{fill(f"adds {{here.{name}:fixed 2}}", now, "tspan")}</text>'
    return wires + made + adds


def on_stream(now: dict) -> str:
    """Sums, and norms that stand in the stream itself."""
    sums = [ROWS["mlp"] - RISE] if now["parallel"] else [ROWS[name] - RISE for name in ROWS]
    sums += [OWN_ROW] if now["own"] else []
    made = "".join(
        f'<g class="sum"><circle cx="{STREAM}" cy="{y}" r="9"/><path d="M{STREAM - 5} {y}h10M{STREAM} {y - 5}v10"/></g>'
        for y in sums
    )
    if now["norm"] == "post":
        made += "".join(box("norm", STREAM - 23, y - 24, 46, ("norm",), 20) for y in sums if y != OWN_ROW)
    if now["norm"] == "normed":
        places = [ROWS["mixer"]] if now["parallel"] else ROWS.values()
        made += "".join(box("norm", STREAM - 23, y + 24, 46, ("norm",), 20) for y in places)
    return made


def sizes_at(now: dict) -> str:
    """How large the stream is, below each half and at the top."""
    places = [("enter", 280), *([] if now["parallel"] else [("middle", 168)]), ("leave", 16 if now["own"] else 46)]
    return "".join(
        f'<text class="stream" x="17" y="{y}">{bound(now["here"][key], f"here.{key}", "fixed 2")}</text>'
        for key, y in places
    )


def streams(now: dict) -> str:
    """One line, or four."""
    return "".join(
        line("flow", (STREAM + dx, HIGH - 8), (STREAM + dx, 4 if now["own"] else BARE + 4))
        for dx in ((-6, -2, 2, 6) if now["streams"] > 1 else (0,))
    )


def third(now: dict) -> str:
    """The layer's own embedding."""
    if not now["own"]:
        return ""
    words = fill("adds {here.own:fixed 2}", now, "tspan")
    return (
        line("wire", (246, OWN_ROW), (STREAM, OWN_ROW))
        + box("own", 84, OWN_ROW, 162, ("the layer’s own embedding",), 28)
        + f'<text class="size" x="256" y="{OWN_ROW + 4}" text-anchor="start">{words}</text>'
    )  # fmt: skip


def label(now: dict) -> str:
    """What a screen reader is told of the card."""
    return f"A block: attention and MLP {'side by side' if now['parallel'] else 'in turn'}, norms: {now['norm']}."


def block(now: dict) -> str:
    """The card."""
    made = streams(now) + half(now, "mixer") + half(now, "mlp") + third(now) + on_stream(now) + sizes_at(now)
    top = 0 if now["own"] else BARE
    where = fill("Layer {here.at:int} of {cost.passes:int}, counted from zero. Sizes are root mean squares.", now)
    return (
        f'<svg class="ab-card" viewBox="0 {top} {WIDE} {HIGH - top}" role="img" '
        f'aria-label="{label(now)}">{made}</svg>'
        f'<p class="ab-where">{where}</p>'
    )


# ---------------------------------------------------------------- the stream through the stack


def up(size: float) -> float:
    """The height of a size, from 0 at the foot to 100 at the head."""
    return 100 * (min(max(log2(max(size, 1e-9)), LOW), TOP) - LOW) / (TOP - LOW)


def path(values: list[float], high: float = 100) -> str:
    """A line through values, one unit apart."""
    return "M" + "L".join(f"{i} {high - up(v):.1f}" for i, v in enumerate(values))


def grid(ticks: tuple[int, ...], wide: int) -> str:
    lines = "".join(f'<path class="grid" d="M0 {fine(100 - up(t))}H{wide}"/>' for t in ticks)
    return lines


def axis(ticks: tuple[int, ...]) -> str:
    return "".join(f'<text x="0" y="{fine(CHART * (1 - up(t) / 100) + 4)}" data-index="">{t}</text>' for t in ticks)


def stretched(wide: int, inside: str) -> str:
    """Lines over as many units as there are layers, beside a scale."""
    return (
        f'<svg x="5%" width="95%" height="{CHART}" viewBox="0 0 {wide} 100" preserveAspectRatio="none">'
        f"{grid(TICKS, wide)}{inside}</svg>{axis(TICKS)}"
    )


RESULTS = (
    ("stream at the end", "size", "fixed 2"),
    ("embedding’s share in it", "heard", "percent 1"),
    ("largest score", "top", "fixed 1"),
    ("weights, beside plain layers", "share.weights", "percent 1"),
    ("kept of a token, beside plain", "share.kept", "percent 1"),
    ("meetings under tensor parallelism", "cost.meetings", "int"),
    ("tokens a step, with drafts", "drafted.expected", "fixed 2"),
)


def results(now: dict) -> str:
    each = (f"<div><dt>{name}</dt><dd>{fill(f'{{{path}:{how}}}', now)}</dd></div>" for name, path, how in RESULTS)
    return f'<dl class="ab-results">{"".join(each)}</dl>'


def picture(now: dict) -> str:
    """The block, what became of the stream, and the numbers of the whole stack."""
    return f"{block(now)}<!--more-->{results(now)}"
