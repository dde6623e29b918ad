"""The one page whose job is a Bokeh plot -> /roofline/, BokehJS from our own files, and a work sheet of each model.

BokehJS writes style elements into its shadow roots, which no page of ours may: adopted-style.js makes sheets of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

from markupsafe import Markup

from cutaway.app.roofline import section
from cutaway.app.site.pages import Page
from cutaway.app.weigh import words as weigh_words
from cutaway.app.weigh.sheets import as_text
from cutaway.app.weigh.words import State
from cutaway.explainers import stored_results
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.planning.devices import DEVICES

PATH = "/roofline/"
SCRIPT = "/assets/bokeh.min.js"
FIRST = "deepseek-ai/DeepSeek-V3"


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: roofline_page(site))
    yield Page(SCRIPT, bokeh, "text/javascript")
    for row in site.rows:
        if row.snapshot:
            path = f"/data/roofline/{row.slug}.json"
            yield Page(path, partial(sheet, site, row.slug), "application/json", model=row.slug)


@cache
def bokeh() -> bytes:
    """BokehJS as it came with Python's Bokeh."""
    import bokeh

    return (Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js").read_bytes()


def sheet(site, slug: str) -> str:
    """What app/roofline/roofline.js takes, with the model's name."""
    view = site.view(slug)
    return as_text({"title": view.title, **section.numbers(section.sheet(view))})


@cache
def plots() -> str:
    """Both figures; Bokeh takes a second to load, and is loaded where they are not stored yet."""

    def made() -> str:
        from cutaway.app.roofline import plot

        return plot.as_text()

    folders = ("app/roofline", "gallery/drawing", "static/css")
    return stored_results.recall(f"plot-bokeh-{version('bokeh')}", folders, made)


def roofline_page(site) -> str:
    """The page with its empty figure; what is asked for stands in the address."""
    data = {
        "first": FIRST, "start": {**State()._asdict(), "job": "decode"}, "plots": "PLOTS",
        "most": [cache_growth.LONGEST, weigh_words.MOST_BATCH, weigh_words.MOST_GPUS],
        "formats": list(weigh_words.DTYPES), "devices": dict.fromkeys(DEVICES, 1),
    }  # fmt: skip
    text = as_text(data).replace('"PLOTS"', plots())
    return site.render(
        "roofline/page.html", PATH, data=Markup(text.replace("<", "\\u003c")), script=SCRIPT,
        models=[view for view in site.views if view.spec], caches=weigh_words.CACHES,
        devices=[(name, weigh_words.device_words(name)) for name in DEVICES], state=State(),
    )  # fmt: skip
