"""A drawing depends on its spec and its width, not on what was drawn before it."""

from __future__ import annotations

import pytest

from gallery import catalog, draw
from gallery.drawing.svg import figure_html


@pytest.mark.whole
def test_every_model_is_drawn_the_same_again(verified):
    """Wide, middle and narrow come out as before once the other widths, and all other models, have been drawn."""
    specs = {row.slug: catalog.spec(row.slug) for row in catalog.drawn() if not row.config_of}
    first = {slug: figure_html(spec) for slug, spec in specs.items()}
    wrong = [slug for slug, spec in specs.items() if figure_html(spec) != first[slug]]
    assert wrong == []
    verified("drawings made again", checked=len(specs), mismatches=len(wrong), against="the first time")


def test_the_order_of_widths_changes_nothing():
    """What keeps a fixed state beside its operation stands as it stood after a narrow drawing put it below."""
    for slug in ("tiiuae/Falcon-H1-7B-Instruct", "zai-org/GLM-4.7-Flash", "Zyphra/Zamba2-1.2B"):
        spec = catalog.spec(slug)
        layouts = ("wide", "middle", "narrow")
        drawn = {layout: draw(spec, layout=layout) for layout in layouts}
        for order in (layouts[::-1], ("narrow", "wide", "middle")):
            assert {layout: draw(spec, layout=layout) for layout in order} == drawn, slug
