"""What /trends/ says and draws, read back: sentences counted by hand, and each element of a plot by its place."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from datetime import date

import pytest
from bokeh.models import HoverTool, TapTool

from cutaway.app.trends import live, svg
from cutaway.app.trends.chart import Axis, Dot, Guide, Level, Panel, Panels, Scatter, Tick, date_axis, log_axis
from cutaway.app.trends.plots import PLOTS
from cutaway.app.trends.structures import structures
from cutaway.gallery.drawing.svg import tokens
from tests.app.test_trends import plain, row


def two_years() -> list:
    """21 structures of 2024, 19 of them mixtures alike but for their layers (10 to 28), one that reads all, one dense;
    20 mixtures of 2026 (110 to 129 layers), every other one with latent or with linear attention."""
    new = {
        "parameters_active": 4 * 10**9, "num_experts": 64, "num_experts_per_tok": 4, "window_tokens": 512,
        "num_window_layers": 3, "num_attention_layers": 4, "num_attention_heads": 16, "context_tokens": 2**20,
        "hidden_size": 256,
    }  # fmt: skip
    kinds = ({"mechanisms": ("moe", "mla"), "cache_per_token_bytes": 2000},
             {"mechanisms": ("moe", "kda", "qk-norm"), "cache_per_token_bytes": 1000})  # fmt: skip
    full = row("2024-06-01", "full", num_hidden_layers=100, num_window_layers=0)
    dense = row("2024-06-01", "dense", num_hidden_layers=50, parameters_total=25 * 10**9, cache_per_token_bytes=0,
                num_key_value_heads=0, context_tokens=0, num_window_layers=0)  # fmt: skip
    early = [row(f"2024-{at % 12 + 1:02d}-02", f"a{at:02d}", num_hidden_layers=at + 10, mechanisms=("moe", "window"))
             for at in range(19)]  # fmt: skip
    late = [row(f"2026-{at % 12 + 1:02d}-02", f"b{at:02d}", num_hidden_layers=at + 110, **new | kinds[at % 2])
            for at in range(20)]  # fmt: skip
    return structures([full, dense, *early, *late])


def shown(key: str) -> tuple:
    """(sentence, chart) of a plot over both years."""
    return next(plot for plot in PLOTS if plot.key == key).show(two_years())


SAID = {
    "cache": "of 4 KB to the KV cache with full attention, 2 KB with latent attention (MLA) and 1 KB in hybrids with "
             "linear attention: 4 times less than full attention.",
    "active": "used 5.0 % of its parameters per token in 2024 and 2.0 % in 2026 (19 and 20 architectures).",
    "adoption": "QK-norm went from 0 % of new architectures in 2024 to 50 % in 2026, and mixture of experts from "
                "90 % to 100 %.",
    "experts": "had 8 routed experts in a layer in 2024 and 64 in 2026. Its router picked 2 and 4 of them for each "
               "token; the median share picked was 25.0 % and is now 6.3 %.",
    "windows": "20 of 20 architectures of 2026 have sliding windows or chunks, in a median of 75 % of their attention "
               "layers. The median window is 512 tokens; it was 128 in 2024.",
    "heads": "a median of 4 query heads in 2024 and 8 in 2026. The most common head size of 2026 is 64, in 20 of 20 "
             "architectures.",
    "depth": "the 39 of 200 B parameters or more have a median of 110 layers and a median width of 256; the 2 dense "
             "models of 25 B or more, 75 layers and 64.",
    "context": "from 4,096 tokens in 2024 to 1,048,576 in 2026. A million tokens or more fit into 20 of 20 "
               "architectures of 2026, and into 0 of 20 of 2024.",
}  # fmt: skip


@pytest.mark.parametrize("key", SAID)
def test_sentences_say_the_medians_of_two_years(key):
    """Counted by hand: 10 and 4 of 200 B are 5 and 2 %; 2 of 8 and 4 of 64; the 20th of 39 mixtures has 110 layers."""
    assert shown(key)[0].endswith(SAID[key])


PLOTTED = {  # dots, what the first and the last one tell, ticks of y
    "cache": (40, "4.0 KB per token, 200.00 B parameters", "1.0 KB per token, 200.00 B parameters", ["4 KB"]),
    "active": (39, "5.0 % active of 200.00 B", "2.0 % active of 200.00 B", ["2 %", "5 %"]),
    "experts": (78, "8 experts, 2 per token", "64 experts, 4 per token", ["1", "2", "4", "8", "16", "32", "64"]),
    "windows": (39, "1 of 2 attention layers, 128 tokens", "3 of 4 attention layers, 512 tokens",
                ["0 %", "25 %", "50 %", "75 %", "100 %"]),
    "heads": (40, "8 query heads of size 64, 2 key/value heads", "16 query heads of size 64, 2 key/value heads",
              ["4", "8"]),
    "depth": (41, "10 layers of width 64", "121 layers of width 256",
              ["8", "12", "16", "24", "32", "48", "64", "96", "128"]),
    "context": (40, "4,096 tokens", "1,048,576 tokens", ["8 K", "32 K", "128 K", "1 M"]),
}  # fmt: skip


@pytest.mark.parametrize("key", PLOTTED)
def test_dots_tell_what_they_stand_for(key):
    """Who has none of it is no dot; a tick stands at the power or the part that it names."""
    chart = shown(key)[1]
    units = {"K": 1024, "KB": 1000, "M": 2**20, "%": 0.01}
    assert (len(chart.dots), chart.dots[0].tip, chart.dots[-1].tip) == PLOTTED[key][:3]
    assert [tick.text for tick in chart.y.ticks] == PLOTTED[key][3]
    for tick in chart.y.ticks:
        number, _, unit = tick.text.partition(" ")
        assert tick.value == pytest.approx(float(number) * units.get(unit, 1))


def test_keys_name_kinds_and_their_medians():
    """From the kind that reads most to the one that reads least; windows are a kind of their own."""
    assert shown("cache")[1].keys == (
        ("full", "full 4 KB"), ("window", "windows 4 KB"), ("latent", "latent 2 KB"), ("linear", "linear 1 KB"),
    )  # fmt: skip


def test_medians_end_with_their_half_year_or_twenty_days_after_the_last():
    """Three half-years of `two_years` have three mixtures or more, and the second of 2026 ends on 22 December."""
    chart = shown("active")[1]
    levels = chart.levels
    days = [tuple(map(date.fromordinal, (int(one.x0), int(one.x1)))) for one in levels]
    assert days == [
        (date(2024, 1, 1), date(2024, 7, 1)), (date(2024, 7, 1), date(2025, 1, 1)),
        (date(2026, 1, 1), date(2026, 7, 1)), (date(2026, 7, 1), date(2026, 12, 22)),
    ]  # fmt: skip
    assert [one.y for one in levels] == pytest.approx([0.05, 0.05, 0.02, 0.02])
    sizes = [dot.size for dot in chart.dots]
    assert sizes == pytest.approx([5 + 2.2 * 2.8534] * 39, abs=1e-3)  # of 200 B: 20 to the power of 0.35
    first, *_, last = shown("cache")[1].levels
    assert (first.x0, first.y, last.y, first.x1) == (1e11, 4000, 1000, pytest.approx(2e11 * 1.35))


def parts(drawn: str) -> list[tuple[str, dict[str, str]]]:
    """(tag and text, attributes) of all elements, without their roles."""
    root = ElementTree.fromstring(f"<svg>{drawn}</svg>")
    found = [(f"{one.tag} {one.text or ''}".strip(), dict(one.attrib)) for one in root.iter() if one is not root]
    for _, attributes in found:
        attributes.pop("role", None)
    return found


ALL = Scatter(
    Axis("across", 0, 100, (Tick(25, "a quarter", True),)), Axis("up", 0, 100, (Tick(50, "half"),)),
    (Dot(50, 75, "moe", "m", "M", "says", 10),),
    (Level(0, 50, 10, "ink", "high"), Level(50, 100, 9, "ink", "low")), (Guide(0, 0, 50, 100, "guide"),),
)  # fmt: skip


def test_a_plot_read_back():
    """By hand, on a frame of 100 by 100 and 320 pixels: what each value becomes, and how far words stand from it."""
    assert parts("".join((*svg.labels(ALL, plain), *svg.frame(ALL, plain, None)))) == [
        ("text up", {"x": "-44", "y": "-14"}),
        ("text across", {"x": "100%", "y": "352", "text-anchor": "end"}),
        ("line", {"x2": "100%", "y1": "50.00%", "y2": "50.00%"}),
        ("text half", {"x": "-8", "y": "50.00%", "dy": "4", "text-anchor": "end"}),
        ("line", {"x2": "100%", "y1": "320", "y2": "320"}),
        ("line", {"x1": "25.00%", "x2": "25.00%", "y1": "320", "y2": "324"}),
        ("text a quarter", {"x": "25.00%", "y": "335", "text-anchor": "middle"}),
        ("line", {"x1": "0.00%", "y1": "100.00%", "x2": "50.00%", "y2": "0.00%", "stroke-dasharray": "3 4"}),
        ("text guide", {"x": "50.00%", "y": "0.00%", "dx": "-8", "dy": "10", "text-anchor": "end"}),
        ("circle", {"cx": "50.00%", "cy": "25.00%", "r": "5"}), ("title M: says", {}),
        ("line", {"x1": "0.00%", "x2": "50.00%", "y1": "90.00%", "y2": "90.00%", "stroke-width": "2.5"}),
        ("text high", {"x": "0.00%", "y": "90.00%", "dy": "14", "font-weight": "600"}),
        ("line", {"x1": "50.00%", "x2": "100.00%", "y1": "91.00%", "y2": "91.00%", "stroke-width": "2.5"}),
        ("text low", {"x": "50.00%", "y": "91.00%", "dy": "-6", "font-weight": "600"}),
        ("text M", {"x": "50.00%", "y": "25.00%", "dx": "8", "dy": "4", "text-anchor": "start"}),
    ]  # fmt: skip


def test_a_plot_in_its_page_links_and_names_twice():
    """A dot is a link; names stand for a wide and a narrow frame, words of a guide and some ticks for a wide one."""
    drawn = str(svg.picture(ALL, "it says", lambda to: f"/base{to}"))
    assert drawn.count('<a href="/base/models/m/"><circle') == 1 and 'height="320"' in drawn
    assert re.findall(r'<g class="t-(\w+)"><text[^>]*>([^<]*)<', drawn) == [
        ("wide", "a quarter"), ("wide", "guide"), ("wide", "M"), ("narrow", "M"),
    ]  # fmt: skip
    panels = Panels(date_axis([date(2024, 1, 1), date(2025, 1, 1)]), (Panel("t", "s", "moe", ()),))
    small = str(svg.picture(panels, "", str))
    assert 'height="104"' in small and re.findall(r'dx="3" text-anchor="start"[^>]*>([^<]*)', small) == ["’24", "’25"]


def test_a_zoomed_plot_says_what_its_picture_says():
    """Bokeh's figure: dots, medians, guides, names and words at the values of the chart, its axes with their ticks."""
    made, known = live.plot(ALL, tokens(False)), live.columns(ALL, lambda to: f"/base{to}")
    filled = [
        {name: known.get(values[0], values) for name, values in one.data_source.data.items()}
        for one in made.renderers[:5]
    ]
    lines = {0: ([0, 50], [0, 100]), 2: ([0, 50], [10, 10]), 3: ([50, 100], [9, 9])}
    assert {at: (filled[at]["x"], filled[at]["y"]) for at in lines} == lines
    assert filled[1] == {
        "x": [50], "y": [75], "size": [10], "colour": ["moe"], "title": ["M"], "tip": ["says"],
        "page": ["/base/models/m/"],
    }  # fmt: skip
    assert (filled[4]["x"], filled[4]["y"], filled[4]["text"], filled[4]["align"]) == ([50], [75], ["M"], ["left"])
    said = [(one.x, one.y, one.text.value, one.x_offset, one.y_offset) for one in (g.glyph for g in made.renderers[5:])]
    assert said == [(0, 10, "high", 0, 14), (50, 9, "low", 0, -6), (50, 100, "guide", -8, 10)]
    assert (made.x_range.start, made.x_range.end, made.y_range.start, made.y_range.end) == (0, 100, 0, 100)
    assert made.xaxis[0].major_label_overrides == {25: "a quarter"} and made.yaxis[0].ticker.ticks == [50]
    assert made.toolbar.autohide and made.select_one(HoverTool) and made.select_one(TapTool).callback.same_tab
    kinds = [live.kind_of(axis) for axis in (ALL.x, log_axis("", [1], []), date_axis([date(2024, 1, 1)] * 2))]
    assert kinds == ["linear", "log", "datetime"]
