"""Pictures of pages: what a reader sees before scrolling, and the tables below a drawing.

The drawings of the eight models have pictures of their own in test_figures.py.
After a change that was meant: look, then `pytest tests/visual/test_pages.py --update-shots`.
"""

from __future__ import annotations

import pytest

PAGES = {
    "home": "/",
    "gallery": "/models/",
    "gallery-table": "/models/?mixer=delta&view=table",
    "model-latent": "/models/deepseek-ai/DeepSeek-V3/",
    "model-hybrid": "/models/Qwen/Qwen3-Next-80B-A3B-Instruct/",
}
SIZES = {1400: 900, 390: 844}
THEMES = ("light", "dark")


def still(page, url: str, width: int, theme: str) -> None:
    """The page at rest: sized, themed, fonts there."""
    page.set_viewport_size({"width": width, "height": SIZES[width]})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(url, wait_until="networkidle")
    page.evaluate("document.fonts.ready")


@pytest.mark.parametrize(("width", "theme"), list(zip(SIZES, THEMES, strict=True)))
@pytest.mark.parametrize("name", PAGES)
def test_the_first_screen_of_a_page(page, site_url, shot, name, width, theme):
    """What a reader sees before scrolling, around the drawing: wide and light, narrow and dark."""
    still(page, site_url + PAGES[name], width, theme)
    shot(page, f"{name}-{width}-{theme}", full_page=False, hide=".cw-figure")


def test_the_tables_of_a_model(page, site_url, shot):
    """Facts, ledger, cache, weights and sources below the drawing, in the dark."""
    still(page, f"{site_url}/models/deepseek-ai/DeepSeek-V3/", 1400, "dark")
    shot(page.locator(".sections"), "tables-1400-dark")
