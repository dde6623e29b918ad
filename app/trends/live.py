"""A chart of /trends/ -> a Bokeh figure that a reader can zoom and hover; a click on a dot opens its model's page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from bokeh.core.properties import value as literal
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, OpenURL, Range1d, TapTool
from bokeh.plotting import figure

from cutaway.app.site.plots import item_of, renumbered
from cutaway.app.trends.chart import Axis, Scatter, place_names
from cutaway.app.trends.svg import BOTTOM, HIGH, TOP, WIDE, under
from cutaway.gallery.drawing.marks_svg import tokens

DAY = 86_400_000  # milliseconds: Bokeh's dates
EPOCH = date(1970, 1, 1).toordinal()
STAND_INS = {role: f"#c0{place:04x}" for place, role in enumerate(sorted(tokens(False)))}  # of colours


def as_text(chart: Scatter, key: str, url: Callable[[str], str]) -> str:
    """The figure in both themes, as JSON for BokehJS: it is made once, in colours and columns that are stood in for."""
    made, known = frame(replace(chart, dots=()), key), columns(chart, url)
    light, dark = (named(made, f"{key}-{name}", known, tokens(name == "dark")) for name in ("light", "dark"))
    return f'{{"light": {light}, "dark": {dark}}}'


@lru_cache(8)  # a watching build makes a chart anew when one of its dots has moved
def frame(chart: Scatter, key: str) -> str:
    """The JSON of a figure without its dots: a column is a stand-in of its name, a colour one of its role."""
    return json.dumps(item_of(plot(chart, STAND_INS), f"live-{key}"))


def named(made: str, name: str, known: dict[str, list], colours: dict[str, str]) -> str:
    """A figure's JSON with its columns, in the colours of a theme."""
    painted = {**known, "dots-colour": [colours[role] for role in known["dots-colour"]]}
    words = {f'["{column}"]': json.dumps(values) for column, values in painted.items()}
    words |= {f'"{stand_in}"': json.dumps(colours[role]) for role, stand_in in STAND_INS.items()}
    found = r'"#c0[0-9a-f]{4}"|\["(?:dots|names)-[a-z]+"\]'
    return re.sub(found, lambda one: words.get(one[0], one[0]), renumbered(made, name))


def plot(chart: Scatter, colours: dict[str, str]) -> Any:
    """The figure in the colours of one theme."""
    kinds: Any = {"x_axis_type": kind_of(chart.x), "y_axis_type": kind_of(chart.y)}
    made = figure(
        height=HIGH + TOP + BOTTOM, sizing_mode="stretch_width", tools="pan,wheel_zoom,box_zoom,reset,save",
        x_range=Range1d(start=value(chart.x, chart.x.low), end=value(chart.x, chart.x.high)),
        y_range=Range1d(start=chart.y.low, end=chart.y.high),
        x_axis_label=chart.x.label or None, y_axis_label=chart.y.label, background_fill_color=colours["panel"],
        border_fill_color=colours["panel"], **kinds,
    )  # fmt: skip
    for guide in chart.guides:
        made.line([guide.x0, guide.x1], [guide.y0, guide.y1], line_color=colours["muted"], line_dash="dashed")
    add_dots(made, colours)
    for level in chart.levels:
        ends = [value(chart.x, level.x0), value(chart.x, level.x1)]
        made.line(ends, [level.y, level.y], line_color=colours[level.role], line_width=2.5)
    add_names(made, colours)
    add_words(made, chart, colours)
    paint(made, chart, colours)
    return made


def kind_of(axis: Axis) -> str:
    return "datetime" if axis.dates else "log" if axis.log else "linear"


def value(axis: Axis, at: float) -> float:
    """A value in Bokeh's units: dates in milliseconds since 1970."""
    return (at - EPOCH) * DAY if axis.dates else at


def columns(chart: Scatter, url: Callable[[str], str]) -> dict[str, list]:
    """What stands in the columns of dots and of names; a dot's colour is its role."""
    aligned = {"start": "left", "end": "right", "middle": "center"}
    names = place_names(chart, WIDE, HIGH)
    return {
        "dots-x": [value(chart.x, dot.x) for dot in chart.dots],
        "dots-y": [dot.y for dot in chart.dots],
        "dots-size": [dot.size for dot in chart.dots],
        "dots-colour": [dot.role for dot in chart.dots],
        "dots-title": [dot.title for dot in chart.dots],
        "dots-tip": [dot.tip for dot in chart.dots],
        "dots-page": [url(f"/models/{dot.slug}/") for dot in chart.dots],
        "names-x": [value(chart.x, name.dot.x) for name in names],
        "names-y": [name.dot.y for name in names],
        "names-dx": [name.dx for name in names],
        "names-dy": [name.dy for name in names],
        "names-text": [name.dot.title for name in names],
        "names-align": [aligned[name.anchor] for name in names],
    }


def stood_in(kind: str, *names: str) -> ColumnDataSource:
    """A source whose columns stand for those of `columns`."""
    return ColumnDataSource({name: [f"{kind}-{name}"] for name in names})


def add_dots(made: Any, colours: dict[str, str]) -> None:
    """The dots, with their words on hover and their page on a click."""
    source = stood_in("dots", "x", "y", "size", "colour", "title", "tip", "page")
    dots = made.scatter("x", "y", size="size", fill_color="colour", line_color=colours["panel"], fill_alpha=0.85,
                        source=source, name="dots")  # fmt: skip
    made.add_tools(HoverTool(renderers=[dots], tooltips=[("", "@title"), ("", "@tip")]))
    made.add_tools(TapTool(renderers=[dots], callback=OpenURL(url="@page", same_tab=True)))


def add_names(made: Any, colours: dict[str, str]) -> None:
    """The same names as on the picture."""
    source = stood_in("names", "x", "y", "dx", "dy", "text", "align")
    made.text("x", "y", "text", x_offset="dx", y_offset="dy", text_align="align", source=source,
              text_color=colours["ink"], text_font=literal("Inter"), text_font_size="11px")  # fmt: skip


def add_words(made: Any, chart: Scatter, colours: dict[str, str]) -> None:
    """What a median and a dashed line are, where the picture says it, too."""
    said = [(one.x0, one.y, one.words, one.role, 0, under(chart, one), "left") for one in chart.levels if one.words]
    said += [(one.x1, one.y1, one.words, "muted", -8, 10, "right") for one in chart.guides]
    for x, y, words, role, dx, dy, align in said:
        made.text(value(chart.x, x), y, literal(words), x_offset=dx, y_offset=dy, text_align=align,
                  text_color=colours[role], text_font=literal("Inter"), text_font_size="11px")  # fmt: skip


def paint(made: Any, chart: Scatter, colours: dict[str, str]) -> None:
    """Axes, grid and toolbar as on the picture."""
    made.toolbar.logo = None
    made.toolbar.autohide = True
    made.outline_line_color = made.xgrid.grid_line_color = None
    made.ygrid.grid_line_color = colours["hairline"]
    for axis, of in ((made.xaxis, chart.x), (made.yaxis, chart.y)):
        axis.axis_label_text_color = axis.major_label_text_color = colours["muted"]
        axis.axis_line_color = axis.major_tick_line_color = colours["hairline"]
        axis.minor_tick_line_color = None
        axis.axis_label_text_font = axis.major_label_text_font = "Inter"
        axis.axis_label_text_font_style = "normal"
        if not of.dates:
            axis.ticker = FixedTicker(ticks=[tick.value for tick in of.ticks])
            axis.major_label_overrides = {tick.value: tick.text for tick in of.ticks}
    made.ygrid.ticker = made.yaxis.ticker
