"""A computed layer, or a step of ZeRO -> pictures as HTML, laid out as the script lays them out."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from math import cos, pi, sin
from typing import Any

from cutaway.explainers import MORE, fmt
from cutaway.explainers.tensor_parallel import layout

WIDE, NARROW = 820, 358  # pixels: a figure on a large screen, and on a phone
ROLE = {"weight": "weight", "gradient": "gradient", "accumulated": "gradient"}


def px(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0") if abs(x) < 20 else f"{x:.0f}"


def box(x: float, y: float, w: float, h: float) -> str:
    """A rectangle as a piece of a path."""
    return f"M{px(x)} {px(y)}h{px(w)}v{px(h)}h{px(-w)}z"


def paths(found: dict[str, str]) -> str:
    """{class: pieces} -> a path for each class."""
    return "".join(f'<path class="{css}" d="{d}"/>' for css, d in found.items())


def text(x: float, y: float, html: str) -> str:
    return f'<text x="{px(x)}" y="{px(y)}">{html}</text>'


def group(css: str, html: str, anchor: str = "middle") -> str:
    return f'<g class="cw-tensor-parallel-{css}" text-anchor="{anchor}">{html}</g>'


def filled(template: str, now: dict) -> str:
    """A template with its numbers; the script's drawing, which takes over, says of each which it is."""
    return escape(layout.said(template, now))


def sheets(block: Any, t: int) -> list[tuple[float, float, float, float, int]]:
    """x, y, width, height and rank of a matrix's pieces."""
    w, h = block.w, block.h
    if block.kind == "copy":
        return [(0, 0, w, h, -1)]
    if block.kind == "columns":
        return [(w * r / t, 0, w / t, h, r) for r in range(t)]
    if block.kind == "rows":
        return [(0, h * r / t, w, h / t, r) for r in range(t)]
    if block.kind == "partial":
        step = block.apart / max(t - 1, 1)
        return [(r * step, r * step, w, h, r) for r in range(t)]
    heads, copies = t // block.copies, block.copies
    return [
        (w * g / heads + 4 * c, 4 * (copies - 1 - c), w / heads, h, g * copies + c)
        for c in reversed(range(copies))
        for g in range(heads)
    ]


def matrices(p: Any, t: int, plain: dict[str, str]) -> str:
    """The matrices of an item: pieces side by side go into a path for each rank, sheets are drawn one by one."""
    out, x = "", p.x + (p.w - p.wide) / 2
    for i, block in enumerate(p.item.blocks):
        wide, tall = block.size
        top = p.y - block.h - 2.5 + i * (block.h + 5) if p.item.over else p.y - tall / 2
        for dx, dy, w, h, rank in sheets(block, t):
            small = [one - (0.75 if rank >= 0 and one > 2 else 0) for one in (w, h)]
            d, css = box(x + dx, top + dy, *small), f"cw-rank{rank}" if rank >= 0 else "cw-tensor-parallel-copy"
            if block.kind in ("partial", "copies"):
                out += f'<path class="cw-rank {css} cw-tensor-parallel-sheet" d="{d}"/>'
            else:
                css = f"cw-rank {css}" if rank >= 0 else css
                plain[css] = plain.get(css, "") + d
        x += 0 if p.item.over else wide + 5
    return out


def ring(p: Any, t: int) -> str:
    """The ranks in a circle and what they do."""
    x, y = p.x + 56, p.y

    def at(turn: float) -> tuple[float, float]:
        return x + 42 * cos(turn * 2 * pi - pi / 2), y + 42 * sin(turn * 2 * pi - pi / 2)

    small = 7 if t > 8 else 10 if t > 5 else 12
    nodes = f'<circle class="cw-tensor-parallel-round" cx="{px(x)}" cy="{px(y)}" r="42"/>' if t > 1 else ""
    for r in range(t):
        cx, cy = at(r / t)
        nodes += f'<circle class="cw-rank cw-rank{r}" cx="{px(cx)}" cy="{px(cy)}" r="{small}"/>'
    first, second = p.item.ring.split("-") if t > 1 else ("nothing", "to send")
    words = text(x, y - 2, first + ("-" if t > 1 else "")) + text(x, y + 12, second)
    return f"<g>{nodes}{words}</g>"


def svg(width: float, height: float, label: str, inside: str) -> str:
    size = f'viewBox="0 0 {px(width)} {px(height)}" width="{px(width)}" height="{px(height)}"'
    return f'<svg class="cw-tensor-parallel-svg" role="img" aria-label="{escape(label)}" {size}>{inside}</svg>'


def layer(model: dict, now: dict, width: float, label: str, alone: bool = True, hush: bool = False) -> str:
    """The layer at a step; `hush` draws no meeting and nothing that comes of one."""
    t, step = int(now["tp"]), int(now["step"])
    placed, height, titles = layout.layout(model, now, width, alone, int(step > 4))
    placed = [p for p in placed if not (hush and p.item.meets)]
    plain: dict[str, str] = {}
    sheeted = "".join(matrices(p, t, plain) for p in placed)
    named = [(p, p.x + p.w / 2, p.y + p.h / 2) for p in placed if p.item.blocks]
    lines = [(line, x, y + 30 + 13 * i) for p, x, y in named for i, line in enumerate(p.item.note)]
    return svg(
        width,
        height,
        label,
        "".join(f'<text class="cw-tensor-parallel-half" y="{px(y)}">{said}</text>' for said, y in titles)
        + group("signs", "".join(text(p.x + p.w / 2, p.y + 6, p.item.sign) for p in placed if p.item.sign))
        + group("names", "".join(text(x, y + 16, filled(p.item.name, now)) for p, x, y in named))
        + group("notes", "".join(text(x, y, filled(line, now)) for line, x, y in lines))
        + group("rings", "".join(ring(p, t) for p in placed if p.item.ring))
        + sheeted
        + paths(plain),  # last: the box round a path of many pieces is no background of the words
    )


def label(model: dict, now: dict, hush: bool = False) -> str:
    """The layer in words; nothing of the meetings while a bet asks for them."""
    ends = "reduce-scatter and all-gather" if now["sequence_parallel"] else "an all-reduce"
    sent, message = fmt.in_kib(now["formula_bytes"]), fmt.in_kib(now["message_bytes"])
    which = "both" if model["parallel"] else "each"
    meets = "" if hush else f"; {ends} after {which}: every rank sends {sent} of {message}"
    ranks = "rank" if now["tp"] == 1 else "ranks"
    return (
        f"{model['title']}, one layer on {int(now['tp'])} {ranks}. "
        f"Attention by heads and rows of o, MLP by columns and rows of down{meets}."
    )


def both(draw: Callable[[float], str]) -> str:
    """A drawing for wide and one for narrow screens."""
    sizes = {"wide": WIDE, "narrow": NARROW}
    return "".join(f'<div class="cw-tensor-parallel-{css}">{draw(px)}</div>' for css, px in sizes.items())


def once(draw: Callable[[float], str]) -> str:
    """The narrow drawing on every screen: what stands far below is drawn by the script before it is seen."""
    return f'<div class="cw-tensor-parallel-once">{draw(NARROW)}</div>'


def zero(state: dict, now: dict, width: float) -> str:
    """Every rank as a card of bars, as wide as the parameters, as tall as their bytes."""
    d, z, left = int(state["dp"]), now["zero"], 190 if width > 640 else 0
    fit = max(2, int((width - left) // 84))
    shown = list(range(d)) if d <= fit else [*range(fit - 1), d - 1]
    card, names, y = min(130, (width - left) / len(shown)), "", 32.0
    w, bars = card - 10, {"cw-tensor-parallel-missing": ""}
    for i, (what, bytes_, share) in enumerate(z["held"]):
        role = f"cw-tensor-parallel-{ROLE.get(re.split('[ ,]', what)[0], 'optimizer')}"
        words = filled(f"{{zero.held.{i}.0}} · {{zero.held.{i}.1}} B", now)
        names += text(left - 12, y + bytes_ * 11 / 2 + 4, words) if left else ""
        for n, r in enumerate(shown):
            x, own = left + n * card + 4, max(w * share, 3)
            at = x + (w - own) * r / max(d - 1, 1) if share < 1 else x
            bars["cw-tensor-parallel-missing"] += box(x, y, w, bytes_ * 11)
            bars[role] = bars.get(role, "") + box(at, y, own, bytes_ * 11)
        y += bytes_ * 11 + 3
    xs = [(left + n * card + card / 2 - 1, f"{'… ' if r > n else ''}rank {r}") for n, r in enumerate(shown)]
    heads = "".join(text(x, 22, said) for x, said in xs)
    each = "".join(text(x, y + 15, filled("{zero.per_parameter:fixed 2} B", now)) for x, _ in xs)
    said = f"ZeRO stage {int(state['stage'])} on {d} ranks: each keeps {fmt.fixed(z['per_parameter'], 2)} bytes."
    words = group("kept", names, "end") + group("strong", heads + each)
    return svg(width, y + 23, said, words + paths(bars))


KEYS = (("weight", "weights"), ("gradient", "gradients"), ("optimizer", "optimizer states"),
        ("missing", "not on this rank"))  # fmt: skip
LEGEND = "".join(f'<li><i class="cw-tensor-parallel-{css}" aria-hidden="true"></i>{words}</li>' for css, words in KEYS)
LEGEND = f'<ul class="cw-legend">{LEGEND}</ul>'


def picture(state: dict[str, Any], model: dict[str, Any], out: dict[str, Any]) -> str:
    """The layer cut over the ranks; the bytes each rank sends; how close the executed copy came."""
    now = {**state, **out}
    words = (
        f"{label(model, now)} After each half the partial sums of {fmt.in_kib(out['message_bytes'])} meet, and every "
        f"rank sends {fmt.in_kib(out['formula_bytes'])}."
    )
    return (
        f'<h2 class="cw-heading"><span>{model["title"]}: one layer, {int(state["tp"])} ranks</span> '
        "<small>one colour per rank, grey is a copy on every rank</small></h2>"
        f"<p>{words} A scaled-down copy with the same heads ran here: none of its tensors differs from the unsharded "
        f"layer's by more than {out['differ_most']}.</p>"
        f"{MORE}{layer(model, now, WIDE, label(model, now), alone=False)}"
    )
