"""Up to three models -> a Bokeh plot of what decoding keeps against the context, both axes logarithmic."""

from __future__ import annotations

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Line, Scatter
from bokeh.models.annotations import Legend, LegendItem, Span
from bokeh.plotting import figure

from cutaway.explainers import fmt
from cutaway.gallery.drawing.marks_svg import tokens

CONTEXTS = [2**power for power in range(8, 22)]
TICKS = {
    2**power: words
    for power, words in zip(range(8, 22, 2), ("256", "1k", "4k", "16k", "64k", "256k", "1M"), strict=True)
}
BYTES = {10**power: fmt.in_bytes(10**power, digits=0) for power in range(4, 14)}
# (colour token, dash, marker): a line is told from another without its colour.
LINES = (("full", "solid", "circle"), ("window", "dashed", "square"), ("linear", "dotted", "triangle"))


class CachePlot:
    """Holds the figure and its three lines; `show` and `paint` change them in place."""

    def __init__(self) -> None:
        self.sources = [ColumnDataSource({"x": [], "y": [], "title": [], "tokens": [], "kept": []}) for _ in LINES]
        self.figure = figure(
            x_axis_type="log",
            y_axis_type="log",
            height=380,
            sizing_mode="stretch_width",
            toolbar_location=None,
            x_axis_label="context, tokens",
            y_axis_label="kept in memory, one sequence, 16 bits",
            tools="",
        )
        self.legend = Legend(location="top_left", orientation="vertical", border_line_alpha=0)
        self.figure.add_layout(self.legend)
        self.mark = Span(location=CONTEXTS[9], dimension="height", line_dash="dotted", line_width=1.5)
        self.figure.add_layout(self.mark)
        self.lines = [self._line(*row) for row in zip(self.sources, LINES, strict=True)]
        hover = HoverTool(mode="vline", renderers=[marks for _, marks in self.lines])
        hover.tooltips = [("", "@title"), ("context", "@tokens"), ("keeps", "@kept")]
        self.figure.add_tools(hover)
        for axis, ticks in ((self.figure.xaxis[0], TICKS), (self.figure.yaxis[0], BYTES)):
            axis.ticker = FixedTicker(ticks=list(ticks))
            axis.major_label_overrides = dict(ticks.items())
        self.paint(dark=False)

    def _line(self, source: ColumnDataSource, look: tuple[str, str, str]):
        """Glyphs without the three more that figure.line() makes for a selection that nobody can make here."""
        _, dash, marker = look
        line = self.figure.add_glyph(source, Line(x="x", y="y", line_width=2.5, line_dash=dash))
        return line, self.figure.add_glyph(source, Scatter(x="x", y="y", marker=marker, size=7))

    def show(self, views: list, context: int) -> None:
        """Draw these models; a model that keeps nothing has no line on a logarithmic axis, but a row in the table."""
        items = []
        for index, (source, (line, marks)) in enumerate(zip(self.sources, self.lines, strict=True)):
            view = views[index] if index < len(views) else None
            kept = [(tokens_, view.memory(tokens_).total_bytes) for tokens_ in CONTEXTS] if view else []
            kept = [(x, y) for x, y in kept if y > 0]
            source.data = {
                "x": [x for x, _ in kept],
                "y": [y for _, y in kept],
                "title": [view.title] * len(kept) if view else [],
                "tokens": [f"{x:,} tokens" for x, _ in kept],
                "kept": [fmt.in_bytes(y) for _, y in kept],
            }
            if view and kept:
                items.append(LegendItem(label=value(view.title), renderers=[line, marks]))
        self.legend.items = items
        self.mark.location = context

    def paint(self, dark: bool) -> None:
        """Give everything the colours of tokens.css."""
        colours, plot = tokens(dark), self.figure
        plot.background_fill_color = plot.border_fill_color = colours["paper"]
        plot.outline_line_color = colours["hairline"]
        plot.grid.grid_line_color = colours["hairline"]
        self.mark.line_color = colours["muted"]
        self.legend.background_fill_color = colours["paper"]
        self.legend.label_text_color = colours["ink"]
        self.legend.label_text_font = "Inter"
        for axis in plot.axis:
            axis.axis_label_text_color = axis.major_label_text_color = colours["muted"]
            axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = colours["hairline"]
            axis.axis_label_text_font = axis.major_label_text_font = "Inter"
            axis.axis_label_text_font_style = "normal"
        for (token, _, _), (line, marks) in zip(LINES, self.lines, strict=True):
            line.glyph.line_color = marks.glyph.line_color = marks.glyph.fill_color = colours[token]
