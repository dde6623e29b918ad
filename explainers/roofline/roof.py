"""compute's result -> a roofline: what a device can reach by FLOP a byte, and where blocks stand. Twin of roof.js."""

from __future__ import annotations

from math import log

from cutaway.explainers.roofline import bars

fill, pct, hush = bars.fill, bars.pct, bars.hush
LOW, HIGH = 0.5, 16384  # FLOP a byte: the ends of the axis
TOP, FLOOR, LEFT = 34, 232, 12  # pixels; LEFT in percent
TICKS = (1, 10, 100, 1000, 10000)
HEIGHTS = (0.1, 1, 10, 100, 1000, 10000)
NEAR, ACROSS = 21, 400  # pixels between two numbers; about how wide the drawing is
BEND = 0.38  # share of the width from which on a name stands above the roof, left of its point
NAMES = {"mlp": "MLP", "past": "the past", "mixer": "attention"}
COLOURS = {"mlp": "dense", "past": "cached", "mixer": "full"}


def x(intensity: float) -> float:
    """Share of the width."""
    inside = min(max(intensity, LOW), HIGH)
    return (LEFT + (99 - LEFT) * log(inside / LOW) / log(HIGH / LOW)) / 100


def y(tflops: float, device: dict) -> float:
    """From what the memory allows at the left end up to the peak."""
    low, high = LOW * device["tb"], device["tflops"]
    return FLOOR - (FLOOR - TOP) * log(max(tflops, low) / low) / log(high / low)


def frame(now: dict, hide: bool) -> str:
    """Ticks, the roof, its ridge; a second, lower roof of 16 bits where other products run faster."""
    device = now["device"]
    heights = [h for h in HEIGHTS if LOW * device["tb"] < h <= device["tflops"] * 1.02]
    scale = "".join(
        f'<line x1="{LEFT}%" x2="99%" y1="{y(h, device):.2f}" y2="{y(h, device):.2f}"/>'
        f'<text class="end" x="{LEFT}%" dx="-8" y="{y(h, device) + 4:.2f}" data-index="">{h:,}</text>'
        for h in heights
    )
    foot = "".join(f'<text class="mid" x="{pct(x(t))}" y="{FLOOR + 20}" data-index="">{t:,}</text>' for t in TICKS)
    ridge, plain = pct(x(device["ridge"])), device["plain"] / 1e12
    lines = (
        f'<line x1="{LEFT}%" x2="{ridge}" y1="{FLOOR}" y2="{TOP}"/><line x1="{ridge}" x2="99%" y1="{TOP}" y2="{TOP}"/>'
        f'<g class="{hush(hide).strip()}"><line class="ridge" x1="{ridge}" x2="{ridge}" y1="{TOP}" y2="{FLOOR}"/>'
        f'<text class="mid" x="{ridge}" y="{TOP - 10}">{fill("ridge {device.ridge:int}", now, "tspan")}</text></g>'
    )
    lower = device["plain"] < device["peak"]
    low = y(plain, device)
    second = (
        f'<g class="lower{hush(not lower)}"><line x1="{pct(x(device["plain_ridge"]))}" x2="99%" y1="{low:.2f}" '
        f'y2="{low:.2f}"/><text class="end" x="99%" y="{FLOOR - 8}">'
        f"{fill('BF16: ridge {device.plain_ridge:int}', now, 'tspan')}</text></g>"
    )
    return (
        f'<g class="scale">{scale}<g class="{hush(hide).strip()}">{foot}</g></g><g class="roof">{lines}{second}</g>'
        f'<text class="axis" x="99%" y="{FLOOR + 38}">FLOP a byte</text>'
    )


def places(now: dict, rows: list[dict]) -> list[tuple[float, int, float]]:
    """(share of the width, pixels to its right, pixels down) of each block; where one would lie on another it stands
    right of it, under the flat part of the roof below it."""
    found: list[tuple[float, int, float]] = []
    for row in rows:
        at, aside, down = x(row["intensity"]), 0, y(row["tflops"], now["device"])
        flat = at > x(now["device"]["ridge"]) - 0.03
        while any(abs((at - a) * ACROSS + aside - b) < NEAR - 1 and abs(down - c) < NEAR - 1 for a, b, c in found):
            aside, down = (aside, down + NEAR) if flat else (aside + NEAR, down)
        found.append((at, aside, down))
    return found


def dots(now: dict, keys: tuple[str, ...], hide: bool) -> str:
    """Halves as points with their names."""
    made, last = "", 0.0
    for key in keys:
        row = now[key]
        at, down = x(row["intensity"]), y(row["tflops"], now["device"])
        above, far = BEND < at < x(now["device"]["ridge"]) - 0.01, at > 0.8
        low = down - 10 if above else down + 22 if abs(down + 22 - last) >= 17 else last + 17
        last = last if above else low
        far = far or above
        name = "experts" if key == "mlp" and any(one["role"] == "moe" for one in now["rows"]) else NAMES[key]
        css = "moe" if name == "experts" else COLOURS[key]
        made += (
            f'<g class="point of-{css}{hush(hide)}"><circle cx="{pct(at)}" cy="{down:.2f}" r="8"/>'
            f'<text class="{"end" if far else ""}" x="{pct(at)}" dx="{-12 if far else 12}" y="{low:.2f}">'
            f"{fill(f'{name}: {{{key}.intensity:sig 3}}', now, 'tspan')}</text></g>"
        )
    return made


def numbered(now: dict) -> str:
    """Every block that is drawn, with its number."""
    shown = [i for i in now["drawn"] if now["rows"][i]["flops"]]
    spots = places(now, [now["rows"][i] for i in shown])
    return "".join(
        f'<g class="dot of-{now["rows"][i]["role"]}" transform="translate({aside} 0)">'
        f'<circle cx="{pct(at)}" cy="{down:.2f}" r="10"/>'
        f'<text class="mid" x="{pct(at)}" y="{down + 4:.2f}" data-index="">{i + 1}</text></g>'
        for i, (at, aside, down) in zip(shown, spots, strict=True)
    )


def roof(now: dict, keys: tuple[str, ...] = (), hide: bool = False) -> str:
    """What a device can reach by FLOP a byte; without keys every block. `hide` keeps back the ridge and the axis."""
    head = fill("{device.title:text}: TFLOP/s by FLOP a byte", now)
    inner = dots(now, keys, False) if keys else numbered(now)
    label = "A roof that rises with FLOP a byte up to its ridge, then is flat."
    return (
        f'<p class="cw-roofline-name">{head}</p><svg class="cw-roofline-roof" width="100%" height="{FLOOR + 44}" '
        f'role="img" aria-label="{label}">{frame(now, hide)}{inner}</svg>'
    )
