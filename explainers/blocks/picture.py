"""A computed block -> the HTML that stands on the page before any script: the columns, the figures, the four rules."""

from __future__ import annotations

from html import escape

from cutaway.explainers import MORE, fmt
from cutaway.explainers.beats_facts import bound
from cutaway.explainers.blocks.words import NAN, text

WIDTH, HEIGHT, TOP, STRIP, BOTTOM, RIGHT = 816, 300, 24, 18, 24, 48
HALF = (HEIGHT - TOP - STRIP - BOTTOM - 12) / 2
MINI, HIGH = 220, 96


def picture(data: dict, out: dict, state: dict) -> str:
    """Heading, figures, columns, rules, cost."""
    row = next(r for r in data["schemes"] if r["name"] == state["scheme"])
    return "".join(
        (
            f'<h2 class="cw-heading"><span>{row["label"]}: {out["n"]:,} numbers share one scale</span></h2>',
            figures(out),
            columns(out, labels=False),
            MORE,  # an embed shows no more before its script
            rules(data, out),
            f"<p>{escape('; '.join(out['cost']['terms']))}: "
            f"<strong>{fmt.num(out['cost']['bits'])} bits per weight</strong></p>",
        )
    )


def figures(out: dict) -> str:
    """The scale, and what it did to the block."""
    rows = (
        ("scale", out["said"]["now"]),
        ("clipped", f"{out['clipped_count']:,} of {out['n']:,}"),
        ("came back as zero", f"{out['zeros']:,} of {out['n']:,}"),
        ("off by, of itself", share(out["off"])),
        ("error, root mean square", text(out["rms"], 3)),
        ("worst error", text(out["worst"], 3)),
    )
    cells = "".join(f'<div><dt>{what}</dt><dd class="cw-mono">{how}</dd></div>' for what, how in rows)
    return f'<dl class="cw-blocks-rows facts">{cells}</dl>'


def share(value: float | str) -> str:
    return value if isinstance(value, str) else fmt.percent(value, 0)


# ---------------------------------------------------------------- the columns


def plain(value: float | str) -> float:
    """To draw with: a NaN has no height."""
    return 0.0 if isinstance(value, str) else value


def top(out: dict) -> float:
    """The height of the axis: room for all, or, where one rises far above, for all the others."""
    lists = (out["values"], out["dequantized"], out["before"]["dequantized"])
    sizes = [max(abs(plain(part[i])) for part in lists if part) for i in range(len(out["values"]))]
    most = max(*sizes, 1e-30)
    peak = sizes.index(most) if most in sizes else -1
    rest = max((size for i, size in enumerate(sizes) if i != peak), default=0.0)
    return 1.5 * rest if rest and most >= 3 * rest else 1.12 * most


def columns(out: dict, later: bool = False, labels: bool = True, border: bool = False) -> str:
    """What was given and what comes back, as the widget draws it; `later`: not while a bet is open."""
    most, wide = top(out), (WIDTH - RIGHT) / len(out["values"])
    back_too = out["scale"] != NAN

    def y(v: float | str) -> float:
        return TOP + HALF - max(-HALF - 12, min(HALF + 12, HALF * plain(v) / most))

    thick, low = round(0.62 * wide), HEIGHT - BOTTOM
    given: list[str] = []
    peak: list[str] = []
    back, strip = [], []
    for i, (v, q) in enumerate(zip(out["values"], out["dequantized"], strict=True)):
        middle = round(wide * (i + 0.5))
        (peak if i == out["peak"] else given).append(f"M{middle} {y(0):.0f}V{y(v):.0f}")
        if not back_too:
            continue
        back.append(f"M{wide * i + 2:.0f} {y(q):.0f}h{wide - 3:.0f}")
        strip.append(f"M{middle} {low}v-{min(1, out['relative'][i]) * (STRIP - 4):.0f}")
    paths = (
        ("given", given, thick),
        ("back", back, 3),
        ("strip", strip, thick),
    )
    first, *rest = (
        f'<path class="cw-blocks-{name}" stroke-width="{w}" d="{"".join(found)}"/>' for name, found, w in paths if found
    )
    drawn = first + (f'<g class="bet-answered">{"".join(rest)}</g>' if later else "".join(rest))
    line = f'<line class="cw-blocks-zero" x1="0" x2="{WIDTH - RIGHT}" y1="{y(0):.0f}" y2="{y(0):.0f}"/>'
    if border:
        middle = (WIDTH - RIGHT) // 2
        line += f'<line class="cw-blocks-border" x1="{middle}" x2="{middle}" y1="0" y2="{HEIGHT}"/>'
    return (
        f'<svg class="cw-blocks-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label(out, later)}">'
        f"{levels(out, most, y, labels)}"
        f'<g class="peak"><path class="cw-blocks-given" stroke-width="{thick}" d="{"".join(peak)}"/></g>{drawn}{line}'
        f"{cuts(out, most, y, wide)}</svg>"
    )


def levels(out: dict, most: float, y, labels: bool) -> str:
    """Lines at what a code can say, and their numbers where there is room."""
    lines, said, labelled = [], [], 1e9
    for i, v in enumerate(out["levels"]):
        if abs(v) > most:
            continue
        lines.append(f"M0 {y(v):.0f}H{WIDTH - RIGHT + 4}")
        if labels and abs(y(v) - labelled) >= 13:
            labelled = y(v)
            at = f'x="{WIDTH - RIGHT + 8}" y="{labelled + 3.5:.0f}"'
            said.append(f"<text {at}>{bound(v, f'levels.{i}', 'num 3')}</text>")
    return f'<g class="cw-blocks-levels"><path d="{"".join(lines)}"/>{"".join(said)}</g>'


def cuts(out: dict, most: float, y, wide: float) -> str:
    """Two strokes across a column that goes on, and its number."""
    made = []
    for i, v in enumerate(out["values"]):
        if abs(plain(v)) <= most:
            continue
        up, x, reach = v > 0, wide * (i + 0.5), 0.45 * wide
        at = y(v) + (14 if up else -14)
        strokes = "".join(f"M{x - reach:.1f} {at + d + 3:.1f}L{x + reach:.1f} {at + d - 3:.1f}" for d in (-3, 3))
        where = f'x="{x + reach + 2:.1f}" y="{at + (0 if up else 8):.1f}"'
        made.append(f'<path d="{strokes}"/><text {where}>{bound(v, f"values.{i}", "num 4")}</text>')
    return f'<g class="cw-blocks-cuts">{"".join(made)}</g>'


def label(out: dict, later: bool) -> str:
    known = [plain(v) for v in out["values"]]
    given = f"{len(known)} numbers from {fmt.num(min(known), 4)} to {fmt.num(max(known), 4)}"
    return given if later else f"{given}; {out['zeros']} come back as zero"


# ---------------------------------------------------------------- the rules


def rules(data: dict, out: dict) -> str:
    """The same block under the four scale rules, as a table."""
    if not out["lab"]:
        return ""
    head = "".join(f'<th scope="col">{h}</th>' for h in ("rule", "scale", "clips", "mean squared error", "used by"))
    body = []
    for rule, found in zip(data["rules"], out["lab"], strict=True):
        cells = (found["kept"], f"{found['clipped_count']} of {out['n']}", text(found["mse"], 3), rule["who"])
        body.append(
            f'<tr><th scope="row">{rule["name"]}</th>' + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>"
        )
    caption = "<caption>Four rules for this scale</caption>"
    table = f'<table class="cw-table">{caption}<thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'
    return f'<div class="cw-scroll" tabindex="0" role="region" aria-label="Four rules for this scale">{table}</div>'


def cards(data: dict, out: dict) -> str:
    """The four rules side by side: what each lets come back."""
    sizes = [abs(plain(v)) for part in (out["values"], *(r["dequantized"] for r in out["lab"])) for v in part]
    most = 1.05 * max(*sizes, 1e-30)
    made = (card(rule, out, found, most) for rule, found in zip(data["rules"], out["lab"], strict=True))
    return f'<div class="cw-blocks-lab">{"".join(made)}</div>'


def card(rule: dict, out: dict, found: dict, most: float) -> str:
    wide = MINI / out["shown"]
    paths: dict[str, list[str]] = {"given": [], "cut": [], "back": []}
    for i, (v, q) in enumerate(zip(out["values"], found["dequantized"], strict=True)):
        y, back = (round(HIGH / 2 * (1 - plain(one) / most)) for one in (v, q))
        paths["cut" if i in found["clipped"] else "given"].append(f"M{wide * (i + 0.5):.0f} {HIGH // 2}V{y}")
        paths["back"].append(f"M{wide * i:.0f} {back}h7")
    drawn = "".join(
        f'<path class="cw-blocks-{name}" stroke-width="{2 if name == "back" else 5}" d="{"".join(marks)}"/>'
        for name, marks in paths.items()
    )
    return (
        f'<div class="cw-blocks-rule"><span class="cw-blocks-rulehead"><strong>{rule["name"]}</strong></span>'
        f'<span class="cw-blocks-formula">{escape(rule["formula"])}</span>'
        f'<svg viewBox="0 0 {MINI} {HIGH}" class="cw-blocks-mini" aria-hidden="true" preserveAspectRatio="none">'
        f"{drawn}</svg></div>"
    )


def bits(out: dict, element: int, beside: float) -> str:
    """A block's codes and what is kept beside them, as long as they have bits."""
    more = 100 * beside / (out["n"] * element + beside)
    n, each = bound(out["n"], "n", "int", "span"), bound(element, "element_bits", "int", "span")
    what = f"one block: {n} codes of {each} bits, and {bound(beside, 'beside_bits', 'int', 'span')} bits beside them"
    rest = f'<rect class="cw-blocks-more" x="{100 - more:.3f}%" width="{more:.3f}%" height="34"/>'
    svg = '<svg class="cw-blocks-whole" width="100%" height="34" aria-hidden="true">'
    rects = f'<rect class="cw-blocks-codes" width="100%" height="34"/>{rest}'
    return f'<p class="cw-blocks-sides"><span>{what}</span></p>{svg}{rects}</svg>'
