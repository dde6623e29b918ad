"""Nothing but names and colours -> the Bokeh figure that /roofline/ fills: roofs, and a dot for each block of a model.

app/roofline/roofline-plot.js puts the numbers in, so that the figure is made once for all models.
"""

from __future__ import annotations

import json

from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from cutaway.app.site.plots import item_of, renumbered
from cutaway.gallery.drawing.marks_svg import tokens

TIPS = [("", "@name"), ("FLOP/byte", "@intensity{0,0.0}"), ("at most", "@rate"), ("takes at least", "@seconds"),
        ("of the step", "@share"), ("bound by", "@binds")]  # fmt: skip
DOTS = {"decode": ("circle", "full-text", "next token"), "prefill": ("square", "moe-text", "whole prompt")}


def empty(*columns: str) -> dict[str, list]:
    return {column: [] for column in columns}


def plot(dark: bool):
    """The figure in the colours of tokens.css."""
    colours = tokens(dark)
    made = figure(
        x_axis_type="log", y_axis_type="log", height=520, sizing_mode="stretch_width",
        x_range=(0.1, 1e7),  # type: ignore[arg-type] # Bokeh takes a pair, which its stub leaves out
        tools="pan,wheel_zoom,reset,save", x_axis_label="FLOP/byte", y_axis_label="FLOP/s",
        background_fill_color=colours["paper"], border_fill_color=colours["paper"],
    )  # fmt: skip
    made.toolbar.logo = None
    others = ColumnDataSource(empty("xs", "ys", "name"), name="others")
    lines = made.multi_line("xs", "ys", source=others, line_color=colours["muted"], line_width=1, line_dash="dotted")
    made.add_tools(HoverTool(renderers=[lines], tooltips=[("", "@name")], line_policy="interp"))
    made.line(
        "x", "y", source=ColumnDataSource(empty("x", "y"), name="roof"), line_color=colours["ink"], line_width=2.5
    )
    columns = ("x", "y", "name", "intensity", "rate", "seconds", "share", "binds", "size")
    for name, (marker, colour, words) in DOTS.items():
        dots = made.scatter(
            "x", "y", source=ColumnDataSource(empty(*columns), name=name), marker=marker, size="size",
            fill_color=colours[colour], line_color=colours["paper"], legend_label=words,
        )  # fmt: skip
        made.add_tools(HoverTool(renderers=[dots], tooltips=TIPS))
    painted(made, colours)
    return made


def painted(made, colours: dict[str, str]) -> None:
    """Grid, axes and legend."""
    made.outline_line_color = made.grid.grid_line_color = colours["hairline"]
    made.legend.location, made.legend.background_fill_color = "top_left", colours["paper"]
    made.legend.label_text_color, made.legend.label_text_font = colours["ink"], "Inter"
    for axis in made.axis:
        axis.axis_label_text_color = axis.major_label_text_color = colours["muted"]
        axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = colours["hairline"]
        axis.axis_label_text_font = axis.major_label_text_font = "Inter"
        axis.axis_label_text_font_style = "normal"


def as_text() -> str:
    """Both themes, as BokehJS takes them."""
    items = {name: item_of(plot(dark), "roofline-plot") for name, dark in (("light", False), ("dark", True))}
    return renumbered(json.dumps(items), "roofline")
