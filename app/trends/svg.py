"""A chart -> SVG: in the page, where it fills its card at any width and each dot is a link, or as a file of 720 pixels.

Positions inside a frame are percentages, so that the frame stretches and its letters do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from markupsafe import Markup

from cutaway.app.trends.chart import Axis, Dot, Level, Name, Panel, Panels, Scatter, Tick, place_names
from cutaway.gallery.drawing.marks_svg import escape, tokens

HIGH, LOW = 320, 84  # height of a frame, of one with bars
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 26, 42
SHARES = 36  # left of bars: 50 % and 100 %, as in trends.css
WIDE, NARROW = 400, 215  # frames for which names are placed: the smallest in which each set is shown
FILE = 720  # width of a file
LETTERS = 92  # of a line of its sentence: as many fit where a wider face stands in for Inter
FRAME = FILE - LEFT - RIGHT  # and of the frame in it

Paint = Callable[[str], str]  # a colour of tokens.css -> attributes


def classed(role: str) -> str:
    """Attributes in the page, where style sheets have both themes."""
    return f' class="t-{role}"'


def literal(role: str, dark: bool = False) -> str:
    """Attributes in a file."""
    return f' fill="{tokens(dark)[role]}" stroke="{tokens(dark)[role]}"'


def percent(part: float) -> str:
    return f"{100 * part:.2f}%"


# ---------------------------------------------------------------- in the page


def picture(chart: Scatter | Panels, says: str, url: Callable[[str], str]) -> Markup:
    """The chart as its card shows it."""
    if isinstance(chart, Panels):
        return Markup("".join(figure(panel, chart) for panel in chart.panels))
    inner = "".join((*labels(chart, classed), *frame(chart, classed, url)))
    return Markup(
        f'<svg class="t-plot" width="100%" height="{HIGH}" role="group" aria-label="{escape(says)}">{inner}</svg>'
    )


def figure(panel: Panel, chart: Panels) -> str:
    """One small plot with its title."""
    inner = "".join(columns(panel, chart, classed))
    title, says = escape(panel.title), escape(panel.says)
    return (
        f'<figure class="t-panel"><figcaption><b>{title}</b> <span>{says}</span></figcaption>'
        f'<svg width="100%" height="{LOW + 20}" role="img" aria-label="{title}: {says}">'
        f"{inner}</svg></figure>"
    )


# ---------------------------------------------------------------- as a file


def file(chart: Scatter | Panels, title: str, says: str, dark: bool = False) -> str:
    """The chart as a picture of its own, with its title and its sentence."""
    paint = partial(literal, dark=dark)
    body, height = panel_grid(chart, paint) if isinstance(chart, Panels) else framed(chart, paint)
    lines = "".join(
        f'<text x="20" y="{54 + 17 * at}" font-size="13"{ink(paint, "muted")}>{escape(line)}</text>'
        for at, line in enumerate(wrapped(says, LETTERS))
    )
    top = 66 + 17 * len(wrapped(says, LETTERS))
    colours = tokens(dark)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{FILE}" height="{top + height + 16}" '
        f'viewBox="0 0 {FILE} {top + height + 16}" font-family="Inter, system-ui, sans-serif" font-size="11">'
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="{colours["panel"]}"/>'
        f'<text x="20" y="30" font-size="17" font-weight="650"{ink(paint, "ink")}>{escape(title)}</text>{lines}'
        f'<g transform="translate(0 {top})">{body}</g></svg>\n'
    )


def framed(chart: Scatter, paint: Paint) -> tuple[str, int]:
    """(a scatter plot with its keys, its height)."""
    x, keys = 20.0, ""
    for role, words in chart.keys:
        keys += f'<circle cx="{x + 4:g}" cy="{HIGH + TOP + BOTTOM + 14}" r="4"{paint(role)}/>'
        keys += f'<text x="{x + 13:g}" y="{HIGH + TOP + BOTTOM + 18}"{ink(paint, "muted")}>{escape(words)}</text>'
        x += 32 + 6.2 * len(words)
    parts = "".join((*labels(chart, paint), *frame(chart, paint, None)))
    return (
        f'<svg x="{LEFT}" y="{TOP}" width="{FRAME}" height="{HIGH}" overflow="visible">{parts}</svg>{keys}'
    ), HIGH + TOP + BOTTOM + (26 if keys else 0)


def panel_grid(chart: Panels, paint: Paint) -> tuple[str, int]:
    """(small plots, four a row, their height)."""
    wide, tall = (FILE - 40) / 4, LOW + 66
    parts = []
    for at, panel in enumerate(chart.panels):
        x, y = 20 + at % 4 * wide, at // 4 * tall
        parts.append(
            f'<g transform="translate({x:g} {y})"><text y="12" font-size="12" font-weight="650"{ink(paint, "ink")}>'
            f'{escape(panel.title)}</text><text y="27"{ink(paint, "muted")}>{escape(panel.says)}</text>'
            f'<svg x="{SHARES}" y="34" width="{wide - 14 - SHARES:g}" height="{LOW + 20}" overflow="visible">'
            f"{''.join(columns(panel, chart, paint))}</svg></g>"
        )
    return "".join(parts), -(-len(chart.panels) // 4) * tall


def wrapped(text: str, most: int) -> list[str]:
    """Lines of at most `most` letters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


# ---------------------------------------------------------------- parts of both


def ink(paint: Paint, role: str) -> str:
    """A text's colour; letters have no edge."""
    attributes = paint(role)
    return attributes.split(" stroke")[0]


def labels(chart: Scatter, paint: Paint) -> Iterator[str]:
    """The labels of the axes: that of y above the frame, that of x under its right end."""
    yield f'<text x="{20 - LEFT}" y="-14"{ink(paint, "muted")}>{escape(chart.y.label)}</text>'
    if chart.x.label:
        place = f'x="100%" y="{HIGH + 32}" text-anchor="end"'
        yield f"<text {place}{ink(paint, 'muted')}>{escape(chart.x.label)}</text>"


def frame(chart: Scatter, paint: Paint, url: Callable[[str], str] | None) -> Iterator[str]:
    """Grid, guides, dots, medians, names; with `url` each dot is a link and there are two sets of names."""
    for tick in chart.y.ticks:
        y = percent(1 - chart.y.place(tick.value))
        yield f'<line x2="100%" y1="{y}" y2="{y}"{paint("hairline")}/>'
        yield f'<text x="-8" y="{y}" dy="4" text-anchor="end"{ink(paint, "muted")}>{escape(tick.text)}</text>'
    yield from x_ticks(chart.x, paint, HIGH)
    for guide in chart.guides:
        (x0, y0), (x1, y1) = at(chart, guide.x0, guide.y0), at(chart, guide.x1, guide.y1)
        yield f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke-dasharray="3 4"{paint("muted")}/>'
        place = f'x="{x1}" y="{y1}" dx="-8" dy="10" text-anchor="end"'
        words = f"<text {place}{ink(paint, 'muted')}>{escape(guide.words)}</text>"
        yield f'<g class="t-wide">{words}</g>' if url else words
    yield from (circle(chart, dot, paint, url) for dot in chart.dots)
    for level in chart.levels:
        (x0, y), (x1, _) = at(chart, level.x0, level.y), at(chart, level.x1, level.y)
        yield f'<line x1="{x0}" x2="{x1}" y1="{y}" y2="{y}" stroke-width="2.5"{paint(level.role)}/>'
        if level.words:
            style = f'dy="{under(chart, level)}" font-weight="600"{ink(paint, level.role)}'
            yield f'<text x="{x0}" y="{y}" {style}>{escape(level.words)}</text>'
    for wide, word in ((WIDE, "wide"), (NARROW, "narrow")) if url else ((FRAME, ""),):
        names = "".join(name_text(chart, name, paint) for name in place_names(chart, wide, HIGH))
        yield f'<g class="t-{word}">{names}</g>' if word else names


def at(chart: Scatter, x: float, y: float) -> tuple[str, str]:
    """A point of the chart, as percentages of its frame; a point outside it is moved to its edge."""
    return percent(min(1, max(0, chart.x.place(x)))), percent(min(1, max(0, 1 - chart.y.place(y))))


def under(chart: Scatter, level: Level) -> int:
    """How far under its line the words of a median stand; near the foot of the frame above it."""
    return -6 if chart.y.place(level.y) < 0.1 else 14


def circle(chart: Scatter, dot: Dot, paint: Paint, url: Callable[[str], str] | None) -> str:
    """A dot with its tooltip."""
    x, y = at(chart, dot.x, dot.y)
    tip = f"<title>{escape(dot.title)}: {escape(dot.tip)}</title>"
    mark = f'<circle cx="{x}" cy="{y}" r="{dot.size / 2:.3g}"{ink(paint, dot.role)}>{tip}</circle>'
    return f'<a href="{url(f"/models/{dot.slug}/")}">{mark}</a>' if url else mark


def name_text(chart: Scatter, name: Name, paint: Paint) -> str:
    x, y = at(chart, name.dot.x, name.dot.y)
    shift = f'dx="{name.dx:.3g}" dy="{name.dy:.3g}" text-anchor="{name.anchor}"'
    return f'<text x="{x}" y="{y}" {shift}{ink(paint, "ink")}>{escape(name.dot.title)}</text>'


def x_ticks(axis: Axis, paint: Paint, high: int) -> Iterator[str]:
    """The axis at the foot of a frame; a year's number is to the right of its first day."""
    yield f'<line x2="100%" y1="{high}" y2="{high}"{paint("muted")}/>'
    for tick in axis.ticks:
        x = percent(axis.place(tick.value))
        yield f'<line x1="{x}" x2="{x}" y1="{high}" y2="{high + 4}"{paint("muted")}/>'
        anchor = "start" if axis.dates else "middle"
        dx = ' dx="3"' if axis.dates else ""
        place = f'x="{x}" y="{high + 15}"{dx} text-anchor="{anchor}"'
        words = f"<text {place}{ink(paint, 'muted')}>{escape(tick.text)}</text>"
        yield f'<g class="t-wide">{words}</g>' if tick.wide and paint is classed else words


def short_years(axis: Axis) -> Axis:
    """An axis of dates whose years fit under a small plot: ’24."""
    return replace(axis, ticks=tuple(Tick(tick.value, "’" + tick.text[2:]) for tick in axis.ticks))


def columns(panel: Panel, chart: Panels, paint: Paint) -> Iterator[str]:
    """The bars of a small plot, with lines at 50 % and 100 %."""
    for bar in panel.bars:
        x0, x1 = chart.x.place(bar.x0), min(1, chart.x.place(bar.x1))
        high = bar.y / chart.top * (LOW - 12)
        yield (
            f'<rect x="{percent(x0 + 0.004)}" y="{LOW - high:.4g}" width="{percent(max(0.004, x1 - x0 - 0.008))}" '
            f'height="{high:.4g}"{ink(paint, panel.role)}><title>{escape(bar.tip)}</title></rect>'
        )
    for share in (0.5, 1):
        y = LOW - share / chart.top * (LOW - 12)
        yield f'<line x2="100%" y1="{y:g}" y2="{y:g}"{paint("hairline")}/>'
        yield f'<text x="-6" y="{y:g}" dy="4" text-anchor="end"{ink(paint, "muted")}>{round(100 * share)} %</text>'
    yield from x_ticks(short_years(chart.x), paint, LOW)
