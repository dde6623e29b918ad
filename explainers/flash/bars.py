"""compute's result -> the tile on the chip, bytes and FLOP as bars, and the roofline, as SVG. Twin of bars.js.

Along x everything is a percentage, so one drawing fits every width.
"""

from __future__ import annotations

from math import log

from cutaway.explainers.beats_facts import bound, printed

LOW, HIGH = 8, 8192  # FLOP per byte: the ends of the roofline's axis
TOP, FLOOR, LEFT = 28, 208, 11  # pixels; LEFT in percent
TICKS = (10, 100, 1000)
HEIGHTS = (1, 3, 10, 30, 100, 300, 1000, 3000)
NAMES = {"queries": "queries", "keys": "keys", "values": "values", "output": "output, FP32", "scores": "scores, FP32",
         "stats": "max and sum"}  # fmt: skip


def legend(**labels: str) -> str:
    """A legend."""
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in labels.items())
    return f'<ul class="cw-legend">{"".join(items)}</ul>'


def pct(share: float) -> str:
    return f"{100 * share:.3f}%"


def sram(now: dict) -> str:
    """What a tile keeps on the chip, to scale, beside what there is."""
    parts, chip, total = now["sram"]["parts"], now["chip"], now["sram"]["total"]
    most, at, rects = max(total, chip["sram"]) * 1.04, 0, ""
    for part in parts:
        left, wide = pct(at / most), pct(part["bytes"] / most)
        rects += f'<rect class="{part["name"]}" x="{left}" y="6" width="{wide}" height="34"/>'
        at += part["bytes"]
    limit = pct(chip["sram"] / most)
    sizes = "".join(
        f'<li><i class="{one["name"]}" aria-hidden="true"></i>{NAMES[one["name"]]} '
        f"{bound(one['bytes'], f'sram.parts.{i}.bytes', 'bytes KB', 'span')}</li>"
        for i, one in enumerate(parts)
    )
    held, room = ((total, "sram.total"), (chip["sram"], "chip.sram"))
    full = f"in SRAM: {bound(*held, 'bytes KB', 'span')} of {bound(*room, 'bytes KB', 'span')}"
    full += "" if now["sram"]["fits"] else ": it does not fit"
    return (
        f'<p class="cw-flash-name{"" if now["sram"]["fits"] else " over"}">{full}</p>'
        '<svg class="cw-flash-sram" width="100%" height="46" role="img" '
        'aria-label="The tile beside the room there is.">'
        f'<g>{rects}</g><line x1="{limit}" x2="{limit}" y1="0" y2="46"/></svg>'
        f'<ul class="cw-legend cw-flash-parts">{sizes}</ul>'
    )


ROWS = (
    ("moved, one head", (("plain", "plain.bytes", "bytes"), ("tiled", "tiled.bytes", "bytes"))),
    ("arithmetic", (("plain", "plain.gflop", "fixed 1"), ("tiled", "tiled.gflop", "fixed 1"))),
)


def group(now: dict, title: str, rows: tuple) -> str:
    """Bars under a title, each with its name and its number above it."""
    values = [now[path.split(".")[0]][path.split(".")[1]] for _, path, _ in rows]
    unit = " GFLOP" if title == "arithmetic" else ""
    made = ""
    for i, ((name, path, how), value) in enumerate(zip(rows, values, strict=True)):
        y = 34 * i
        made += (
            f'<text class="{name}" x="0" y="{y + 13}">{name}</text><text class="end" x="100%" y="{y + 13}">'
            f"{bound(value, path, how)}{unit}</text>"
            f'<rect class="{name}" x="0" y="{y + 18}" width="{pct(value / max(values))}" height="10"/>'
        )
    return (
        f'<p class="cw-flash-name">{title}</p><svg class="cw-flash-bars" width="100%" height="{34 * len(rows) - 2}" '
        f'role="img" aria-label="Plain and tiled: {title}.">{made}</svg>'
    )


# ---------------------------------------------------------------- roofline


def x(intensity: float) -> float:
    """Share of the width."""
    inside = min(max(intensity, LOW), HIGH)
    return (LEFT + (99 - LEFT) * log(inside / LOW) / log(HIGH / LOW)) / 100


def y(tflops: float, chip: dict) -> float:
    """From what the memory allows at the left end up to the peak."""
    low, high = LOW * chip["bandwidth"] / 1e12, chip["peak"] / 1e12
    return FLOOR - (FLOOR - TOP) * log(max(tflops, low) / low) / log(high / low)


def dot(now: dict, kind: str, hide: bool) -> str:
    """A point on the roof, and its name with its FLOP per byte."""
    here = now[kind]
    css, name, dx, dy = {
        "plain": ("plain", "plain: ", -10, -10),
        "tiled": ("tiled", "tiled: ", 11, 20),
        "kept": ("kept", "if L2 keeps K and V: ", 12, -12),
    }[kind]
    at, high = pct(x(here["intensity"])), y(here["tflops"], now["chip"])
    hushed = " hush" if hide or (kind == "kept" and not here["fits"]) else ""
    return (
        f'<g class="{css}{hushed}"><circle cx="{at}" cy="{high:.2f}" r="{8 if kind == "plain" else 6.5}"/>'
        f'<text x="{at}" y="{high + dy:.2f}" dx="{dx}">{name}'
        f"{bound(here['intensity'], f'{kind}.intensity', 'int')}</text></g>"
    )


def roof(now: dict, hide: bool = False) -> str:
    """What a chip can reach by FLOP per byte; `hide` keeps back where tiles bring it."""
    chip = now["chip"]
    low, high = LOW * chip["bandwidth"] / 1e12, chip["peak"] / 1e12
    heights = [h for h in HEIGHTS if low < h <= high * 1.05]
    scale = "".join(
        f'<line x1="{LEFT}%" x2="99%" y1="{y(h, chip):.2f}" y2="{y(h, chip):.2f}"/>'
        f'<text class="end" x="{LEFT}%" dx="-8" y="{y(h, chip) + 4:.2f}" data-index="">{h:,}</text>'
        for h in heights
    )
    foot = "".join(f'<text class="mid" x="{pct(x(t))}" y="228" data-index="">{t:,}</text>' for t in TICKS)
    ridge = pct(x(chip["ridge"]))
    lines = (
        f'<line x1="{LEFT}%" x2="{ridge}" y1="{FLOOR}" y2="{TOP}"/><line x1="{ridge}" x2="99%" y1="{TOP}" y2="{TOP}"/>'
        f'<line class="ridge" x1="{ridge}" x2="{ridge}" y1="{TOP}" y2="{FLOOR}"/>'
        f'<text x="{ridge}" dx="6" y="{FLOOR - 6}">ridge: {bound(chip["ridge"], "chip.ridge", "int")}</text>'
    )
    return (
        f'<p class="cw-flash-name">{bound(chip["title"], "chip.title", "text", "span")}: TFLOP/s it can reach, by FLOP '
        'per byte moved</p><svg class="cw-flash-roof" width="100%" height="236" role="img" aria-label="A roof that '
        'rises with FLOP per byte up to the ridge, then is flat.">'
        f'<g class="scale">{scale}{foot}</g><g class="roof">{lines}</g>'
        f"{dot(now, 'plain', False)}{dot(now, 'kept', hide)}{dot(now, 'tiled', hide)}</svg>"
    )


def lab(now: dict) -> str:
    """The upper half of the lab."""
    left = sram(now) + "".join(group(now, title, rows) for title, rows in ROWS)
    return f'<div class="cw-split"><div>{left}</div><div>{roof(now)}</div></div>'


__all__ = ("lab", "legend", "printed", "roof")
