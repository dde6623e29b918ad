"""A computed block -> the HTML that stands on the page before any script: the columns, the figures, the four rules."""

from __future__ import annotations

import math
from html import escape

from explainers import MORE, fmt

WIDTH, HEIGHT, TOP, BOTTOM, RIGHT = 950, 280, 22, 26, 48


def number(x: float, digits: int = 4) -> str:
    """Significant digits with a true minus."""
    return f"{x:.{digits}g}".replace("-", "−")


def picture(state: dict, data: dict, out: dict) -> str:
    """Heading, figures, columns, rules, cost."""
    row = next(r for r in data["schemes"] if r["name"] == state["scheme"])
    cost = next(r for r in data["ledger"] if r["name"] == state["scheme"])
    costs = " + ".join(
        c["what"] + f" {c['bits']}" + (f" ÷ {c['per']:,}" if c["per"] > 1 else "") for c in cost["costs"]
    )
    return "".join(
        (
            f'<h2 class="cw-heading"><span>{row["label"]}: {out["n"]:,} numbers share one scale</span></h2>',
            figures(out),
            columns(out),
            MORE,  # an embed shows no more before its script
            rules(data, out),
            f"<p>{escape(costs)} = <strong>{number(cost['bits'], 6)} bits per weight</strong></p>",
        )
    )


def figures(out: dict) -> str:
    """The scale, and what it did to the block."""
    rows = (
        ("scale", number(out["scale"])),
        ("clipped", f"{out['clipped_count']:,} of {out['n']:,}"),
        ("became zero", f"{out['zeros']:,} of {out['n']:,}"),
        ("error, root mean square", number(math.sqrt(out["mse"]), 3)),
        ("worst error", number(out["worst"], 3)),
    )
    cells = "".join(f'<div><dt>{what}</dt><dd class="cw-mono">{how}</dd></div>' for what, how in rows)
    return f'<dl class="cw-blocks-rows facts">{cells}</dl>'


def columns(out: dict) -> str:
    """What was given, what comes back and the error between, as the widget draws them."""
    most = 1.12 * max(map(abs, [*out["values"], *out["dequantized"], 1e-30]))
    wide = (WIDTH - RIGHT) / out["shown"]
    words = (
        f"{out['shown']} columns: each number and what comes back. The largest, element {out['peak']}, is"
        f" {number(out['amax'])} and sets the scale {number(out['scale'])}; {len(out['clipped'])} clipped."
    )

    def y(v: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) / 2 * (1 - v / most)

    def rect(name: str, x: float, width: float, a: float, b: float) -> str:
        box = f'x="{x:.1f}" width="{width:.1f}" y="{min(a, b):.1f}" height="{abs(a - b):.1f}"'
        return f'<rect class="cw-blocks-{name}" {box}/>'

    parts = [f'<svg class="cw-blocks-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(words)}">']
    parts.append('<g class="cw-blocks-levels">')
    for level in out["levels"]:
        if abs(level) <= most:
            parts.append(f'<line x1="0" x2="{WIDTH - RIGHT}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>')
    parts.append("</g>")
    for i, (v, back) in enumerate(zip(out["values"], out["dequantized"], strict=True)):
        middle = wide * (i + 0.5)
        parts.append(f'<g class="cw-blocks-col{" peak" if i == out["peak"] else ""}">')
        parts.append(rect("given", middle - 0.31 * wide, 0.62 * wide, y(0), y(v)))
        parts.append(rect("error", middle - 2, 4, y(v), y(back)))
        parts.append(rect("back", middle - 0.43 * wide, 0.86 * wide, y(back) - 1.5, y(back) + 1.5) + "</g>")
    parts.append(f'<line class="cw-blocks-zero" x1="0" x2="{WIDTH - RIGHT}" y1="{y(0):.1f}" y2="{y(0):.1f}"/></svg>')
    return "".join(parts)


def rules(data: dict, out: dict) -> str:
    """The same block under the four scale rules, as a table."""
    if not out["lab"]:
        return ""
    head = "".join(f'<th scope="col">{h}</th>' for h in ("rule", "scale", "clips", "mean squared error", "used by"))
    body = []
    for rule, found in zip(data["rules"], out["lab"], strict=True):
        exponent = found["scale_code"] - 127
        cells = (
            f"{fmt.pow2(exponent)}",
            f"{found['clipped_count']} of {out['n']}",
            number(found["mse"], 3),
            rule["who"],
        )
        body.append(
            f'<tr><th scope="row">{rule["name"]}</th>' + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>"
        )
    caption = "<caption>Four rules for this scale</caption>"
    table = f'<table class="cw-table">{caption}<thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'
    return f'<div class="cw-scroll" tabindex="0" role="region" aria-label="Four rules for this scale">{table}</div>'
