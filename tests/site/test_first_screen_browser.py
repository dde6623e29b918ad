"""The first screen of every model's page: each number of its sentence is on the lit drawing, and both are in view."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from cutaway.gallery import catalog

SIZES = ((1400, 900), (390, 844))
SLUGS = [row.slug for row in catalog.drawable_rows()]
BATCH = 20  # pages measured before the browser may paint one
MEASURE = """(tops) => tops.map((html) => {
    document.querySelector(".model-top").outerHTML = html;
    const seen = (one) => {
        const box = one.getBoundingClientRect();
        return box.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    };
    const numbers = (where) => [...document.querySelectorAll(where)].filter(seen).map((one) => one.textContent);
    const shown = [...document.querySelectorAll(".cw-lit > svg")].find((one) => one.getBoundingClientRect().width);
    const main = shown.querySelector("use").getBoundingClientRect();
    return {
        told: numbers(".told .disc[href]"), lit: [...new Set(numbers(".cw-lit > svg .f-discs a"))].sort(),
        rows: document.querySelectorAll(".news > li").length, top: shown.getBoundingClientRect().top,
        drawn: main.width > 100 && main.height > 50, wide: document.documentElement.scrollWidth,
    };
})"""


def top_of(html: str) -> str:
    """What a model's page shows above its tables."""
    return re.search(r'<div class="model-top">.*(?=<div class="sections">)', html, re.DOTALL)[0]


@pytest.mark.turns
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_what_is_new_is_lit_on_the_first_screen(page, site_url, site_dir, width, height, verified):
    """Of every drawn model: each row's number is in the sentence or right below it, and on the lit drawing, in view."""
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site_url}/models/{SLUGS[0]}/")
    page.evaluate("() => { document.querySelector('.sections').remove(); return document.fonts.ready; }")
    wrong, many = [], 0
    tops = [top_of((site_dir / "models" / slug / "index.html").read_text("utf-8")) for slug in SLUGS]
    batches = [page.evaluate(MEASURE, tops[at : at + BATCH]) for at in range(0, len(tops), BATCH)]
    for slug, found in zip(SLUGS, chain.from_iterable(batches), strict=True):
        every = [str(number) for number in range(1, found["rows"] + 1)]
        many += len(every)
        wrong += [f"{slug}: said {found['told']} of {every}"] * (sorted(found["told"]) != every)
        wrong += [f"{slug}: lit {found['lit']} of {every}"] * (found["lit"] != every)
        wrong += [f"{slug}: nothing is drawn"] * (not found["drawn"])
        wrong += [f"{slug}: the drawing begins at {found['top']:.0f}"] * (found["top"] > height / 2)
        wrong += [f"{slug}: {found['wide']} wide"] * (found["wide"] > width)
    assert wrong[:5] == []
    verified(
        f"numbers of what is new, in view at {width} × {height}", many, len(wrong), "boxes of the pages in a browser"
    )
