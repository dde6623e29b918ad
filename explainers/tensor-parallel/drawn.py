"""A computed layer -> the first picture as HTML: both halves as matrices cut by rank, and what is sent, in words."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from explainers import MORE, fmt

WIDTH, TOKENS = 950, 44
Block = tuple[str, float, float]  # how it is cut, width, height


def _rect(x: float, y: float, w: float, h: float, rank: int, sheet: bool = False) -> str:
    kind = "cw-tensor-parallel-copy" if rank < 0 else f"cw-rank cw-rank{rank}"
    extra = " cw-tensor-parallel-sheet" if sheet else ""
    space = 0 if rank < 0 else min(1, w / 5)
    return f'<rect class="{kind}{extra}" x="{x:.1f}" y="{y:.1f}" width="{w - space:.1f}" height="{h:.1f}" rx="2"/>'


def _cut(block: Block, x: float, y: float, t: int) -> str:
    """A block at its upper left corner: a copy, or one piece per rank."""
    kind, w, h = block
    if kind == "copy":
        return _rect(x, y, w, h, -1)
    if kind == "columns":
        return "".join(_rect(x + w * r / t, y, w / t, h, r) for r in range(t))
    if kind == "rows":
        return "".join(_rect(x, y + h * r / t, w, h / t - 1, r) for r in range(t))
    step = 24 / max(t - 1, 1)
    return "".join(_rect(x + r * step, y + r * step, w, h, r, True) for r in range(t))


def _ring(x: float, y: float, t: int, word: str) -> str:
    def at(turn: float) -> tuple[float, float]:
        return x + 42 * cos(turn * 2 * pi - pi / 2), y + 42 * sin(turn * 2 * pi - pi / 2)

    gap = 17 / 42 / 2 / pi
    out = ""
    for r in range(t if t > 1 else 0):
        (x1, y1), (x2, y2) = at(r / t + gap), at((r + 1) / t - gap)
        out += f'<path d="M{x1:.1f} {y1:.1f}A42 42 0 0 1 {x2:.1f} {y2:.1f}"/>'
    out = f'<g class="cw-tensor-parallel-arcs">{out}</g>'
    small = 12 if t <= 5 else 10 if t <= 8 else 7
    for r in range(t):
        cx, cy = at(r / t)
        out += f'<circle class="cw-rank cw-rank{r}" cx="{cx:.1f}" cy="{cy:.1f}" r="{small}"/>'
    first, second = word.split("-")
    out += f'<text x="{x:.1f}" y="{y - 2:.1f}" text-anchor="middle">{first}-</text>'
    return f'<g>{out}<text x="{x:.1f}" y="{y + 12:.1f}" text-anchor="middle">{second}</text></g>'


def _row(top: float, t: int, items: list[tuple[list[Block], str, str]], word: str) -> str:
    """One half of the layer: blocks with names, then the ring, spread over the width."""
    middle, x = top + 66, 0.0
    step = (WIDTH - 110) / len(items)
    out = ""
    for n, (blocks, name, shape) in enumerate(items):
        if n == len(items) - 1:
            out += f'<g class="cw-tensor-parallel-rings">{_ring(x + 56, middle, t, word)}</g>'
            x += 118
        wide = sum(b[1] for b in blocks) + 5 * (len(blocks) - 1)
        left = x + (step - wide) / 2
        for block in blocks:
            tall = block[2] + (24 if block[0] == "partial" else 0)
            out += _cut(block, left, middle - tall / 2, t)
            left += block[1] + 5
        centre, under = x + step / 2, middle + max(b[2] + (24 if b[0] == "partial" else 0) for b in blocks) / 2
        out += f'<g class="cw-tensor-parallel-names"><text x="{centre:.1f}" y="{under + 16:.1f}" '
        out += f'text-anchor="middle">{name}</text></g><g class="cw-tensor-parallel-notes">'
        out += f'<text x="{centre:.1f}" y="{under + 30:.1f}" text-anchor="middle">{shape}</text></g>'
        x += step
    return out


def _halves(m: dict[str, Any], state: dict[str, Any]) -> list[list[tuple[list[Block], str, str]]]:
    h, wide, f, s = m["hidden"], m["heads"] * m["head_dim"], m["mlp"], int(state["sequence"])
    a, b = min(92 / h, 92 / wide), min(92 / h, 120 / f)
    kv = max(m["kv_heads"] * m["head_dim"] * a, 12)
    stream = "rows" if state["sequence_parallel"] else "copy"

    def by(rows: int, columns: int) -> str:
        return f"{rows:,} × {columns:,}"

    def ends(name: str, scale: float) -> list[tuple[list[Block], str, str]]:
        partial = ([("partial", 0.7 * h * scale, 0.7 * TOKENS)], f"{state['tp']} partial {name}", by(s, h))
        return [partial, ([(stream, h * scale, TOKENS)], name, by(s, h))]

    qkv: list[Block] = [("columns", wide * a, h * a), ("columns", kv, h * a), ("columns", kv, h * a)]
    up = "gate, up" if m["gated"] else "up"
    return [
        [
            ([(stream, h * a, TOKENS)], "x", by(s, h)),
            (qkv, "q, k, v", by(h, wide)),
            ([("columns", wide * a, TOKENS)], "heads", f"{m['heads']} of {m['head_dim']}"),
            ([("rows", h * a, wide * a)], "o", by(wide, h)),
            *ends("y", a),
        ],
        [
            ([(stream, h * b, TOKENS)], "y", by(s, h)),
            ([("columns", f * b, h * b)], up, by(h, f)),
            ([("columns", f * b, TOKENS)], "stays sharded", by(s, f)),
            ([("rows", h * b, f * b)], "down", by(f, h)),
            *ends("z", b),
        ],
    ]


def picture(state: dict[str, Any], model: dict[str, Any], out: dict[str, Any]) -> str:
    """The layer cut over the ranks; the bytes each rank sends; how close the executed copy came."""
    t = int(state["tp"])
    word = "reduce-scatter" if state["sequence_parallel"] else "all-reduce"
    attention, mlp = _halves(model, state)
    sent, message = fmt.in_kib(out["formula_bytes"]), fmt.in_kib(out["message_bytes"])
    words = (
        f"{model['title']}, one layer on {t} ranks: attention by heads and rows of o, MLP by columns and rows of down. "
        f"After each half the partial sums of {message} meet, and every rank sends {sent}."
    )
    return (
        f'<h2 class="cw-heading"><span>{model["title"]}: one layer, {t} ranks</span> '
        "<small>one colour per rank, grey is a copy on every rank</small></h2>"
        f"<p>{words} A scaled-down copy with the same heads ran here: none of its tensors differs from the unsharded "
        f"layer's by more than {max(out['away']):.1e}.</p>"
        f"{MORE}"
        f'<svg class="cw-tensor-parallel-svg" role="img" aria-label="{words}" viewBox="0 0 {WIDTH} 370" '
        f'width="{WIDTH}" height="370">'
        '<text class="cw-tensor-parallel-half" x="0" y="14">attention</text>'
        '<text class="cw-tensor-parallel-half" x="0" y="206">MLP</text>'
        f"{_row(10, t, attention, word)}{_row(206, t, mlp, word)}</svg>"
    )
