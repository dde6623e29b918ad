"""A drawing depends on its spec and its width, not on what was drawn before it."""

from __future__ import annotations

from cutaway.gallery import catalog, draw


def test_the_order_of_widths_changes_nothing():
    """What keeps a fixed state beside its operation stands as it stood after a narrow drawing put it below."""
    for slug in ("tiiuae/Falcon-H1-7B-Instruct", "zai-org/GLM-4.7-Flash", "Zyphra/Zamba2-1.2B"):
        spec = catalog.spec(slug)
        layouts = ("wide", "middle", "narrow")
        drawn = {layout: draw(spec, layout=layout) for layout in layouts}
        for order in (layouts[::-1], ("narrow", "wide", "middle")):
            assert {layout: draw(spec, layout=layout) for layout in order} == drawn, slug
