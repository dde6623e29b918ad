"""The figures of eight models as a reader sees them: at 1400 px in the light, at 390 px in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.drawing.svg import draw, figure_html

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
EIGHT = {
    "llama-3-8b": "meta-llama/Meta-Llama-3-8B",
    "gpt-oss-20b": "openai/gpt-oss-20b",
    "gemma-3-27b": "google/gemma-3-27b-it",
    "deepseek-v3": "deepseek-ai/DeepSeek-V3",
    "qwen3-next-80b": "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "kimi-linear-48b": "moonshotai/Kimi-Linear-48B-A3B-Instruct",
    "nemotron-3-nano-30b": "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "deepseek-v4-flash": "deepseek-ai/DeepSeek-V4-Flash",
}


def sheet(body: str, theme: str) -> str:
    """A page with the site's style sheets and nothing else."""
    links = "".join(
        f'<link rel="stylesheet" href="{(CSS / name).as_uri()}">' for name in ("fonts.css", "tokens.css", "figure.css")
    )
    head = f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>Figure</title>'
    return f"{head}{links}<style>body{{margin:16px;background:var(--paper)}}</style>{body}</html>"


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
@pytest.mark.parametrize("name", EIGHT)
def test_figure_in_a_page(name, width, theme, page, shot, tmp_path):
    """The drawing in a page looks as it did when it was looked at, and is no wider than the page."""
    path = tmp_path / "figure.html"
    path.write_text(sheet(figure_html(catalog.spec(EIGHT[name]), name), theme), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg:visible").count() == 1
    shot(page, f"figure-{name}-{width}-{theme}")


def test_text_stays_readable_at_390(page, tmp_path):
    """At 390 px every word of a figure is at least 11 px tall, and at 900 px too."""
    path = tmp_path / "figure.html"
    path.write_text(sheet(figure_html(catalog.spec(EIGHT["qwen3-next-80b"])), "light"), encoding="utf-8")
    for width in (390, 900):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(path.as_uri())
        smallest = page.evaluate(
            """() => Math.min(...[...document.querySelectorAll('svg text')]
                 .filter(t => t.getBoundingClientRect().height)
                 .map(t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))"""
        )
        assert smallest >= 11 - 0.05, (width, smallest)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_standalone_file(dark, shot):
    """The .svg file alone, in whatever fonts are there, looks as it did when it was looked at."""
    spec = catalog.spec(EIGHT["deepseek-v3"])
    svg = draw(spec, title="DeepSeek-V3", subtitle="deepseek-ai/DeepSeek-V3", dark=dark)
    shot(svg, f"standalone-deepseek-v3-{'dark' if dark else 'light'}", tolerance=0.02)


def test_words_fit_in_fallback_fonts(page, tmp_path):
    """Without the site's fonts no word of the file gets wider than the room that was measured for it."""
    from cutaway.gallery.drawing.figure import figure
    from cutaway.gallery.drawing.layout import place
    from cutaway.gallery.drawing.measure import SPARE, wide

    spec = catalog.spec(EIGHT["deepseek-v4-flash"])
    marks = [m for m in place(figure(spec, "V4"), header=True).marks if m[0] == "text"]
    path = tmp_path / "file.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'>{draw(spec, title='V4')}", encoding="utf-8")
    page.goto(path.as_uri())
    widths = page.evaluate("[...document.querySelectorAll('svg text')].map(t => t.getComputedTextLength())")
    assert len(widths) == len(marks)
    over = [(m[4], w, wide(m[4], m[1])) for m, w in zip(marks, widths, strict=True) if w > wide(m[4], m[1]) * 1.06 + 1]
    assert over == [], SPARE
