"""The catalog -> /models/, and one page per model with its .svg and .json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from cutaway.app.embed import frames
from cutaway.app.embed import page as embed
from cutaway.app.model import cache_rows, facets, figures, ideas, tables, weight_rows
from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.app.model_page import cite, explainer_links, novelty, precision, reading, sharding, sizes, whatif
from cutaway.app.model_page.search_index import plain, search_index
from cutaway.app.packed import page as packed
from cutaway.app.roofline import section as roofline
from cutaway.app.site import python_files
from cutaway.app.site.pages import Page
from cutaway.app.weigh import section as weigh
from cutaway.app.weigh import sheets
from cutaway.app.words import storage
from cutaway.gallery.reading.keys import SPELLINGS
from cutaway.gallery.schema_version import VERSION

NAV = (10, "Models", "/models/")
CONFIG_PAGES = {word: f"/config/{name}/" for word, (name, _) in SPELLINGS.items()}  # a spelling -> the page of its key
SEARCH = ("/models/", "All models", ("models", "gallery", "catalogue"))
JSON = "application/json"


def pages(site) -> Iterator[Page]:
    yield Page("/models/", lambda: gallery_page(site))
    yield Page("/data/search.json", lambda: search_index(site), "application/json")
    yield Page(sheets.ALL, lambda: sheets.everyone(site), JSON)
    for row in site.rows:
        yield from of_model(site, row)


def of_model(site, row) -> Iterator[Page]:
    """Its page and its numbers; of one that is drawn its drawings and embeds."""
    slug = row.slug
    yield Page(f"/models/{slug}/", lambda: model_page(site, site.view(slug)), model=slug)
    yield Page(f"/data/{slug}.json", lambda: as_json(site, site.view(slug)), JSON, model=slug)
    if row.snapshot:
        yield from drawings(site, slug)
        yield Page(f"/data/whatif/{slug}.json", lambda: whatif.as_text(site.view(slug)), JSON, model=slug)
        yield from embed.of_model(site, slug)


def drawings(site, slug: str) -> Iterator[Page]:
    """The standalone files of one model."""
    for name, dark in (("drawing", False), ("drawing-dark", True)):
        path = f"/models/{slug}/{name}.svg"
        yield Page(path, partial(standalone, site, slug, dark), "image/svg+xml", model=slug)
    yield Page(f"/models/{slug}/outline.txt", lambda: figures.text(site.view(slug)), "text/plain", model=slug)
    parts = f"/data/parts/{slug}.json"
    yield Page(parts, lambda: plain({"schema": VERSION} | reading.sheet(site.view(slug))), JSON, model=slug)


def standalone(site, slug: str, dark: bool) -> str:
    """The drawing of a model as a file."""
    return figures.standalone(site.view(slug), dark)


def gallery_page(site) -> str:
    """Every base model as a card; quantized twins are counted on their base's card and named on its page."""
    bases = sorted(
        (view for view in site.views if not view.row.variant_of),
        key=lambda view: (view.row.date or "", view.title),
        reverse=True,
    )
    drawn = [view for view in bases if view.spec]
    return site.render(
        "model_page/models.html",
        "/models/",
        views=drawn,
        pending=[view for view in bases if not view.spec],
        facets=facets.counted(drawn),
        card=card,
        packed=packed.counts(),
        packed_at=packed.address(site, "SLUG"),
    )


@once_for_each
def card(view: ModelView, site) -> Markup:
    """A model among the others."""
    variants = len(site.twins.get(view.slug, ()))
    shown = {"view": view, "keys": facets.keys(view), "picture": figures.on_card(view), "variants": variants}
    return Markup(site.render("model_page/card.html", "/models/", **shown))


def model_page(site, view: ModelView) -> str:
    """One model: drawing, facts, ledger, weights, cache, quantization, sources."""
    path = view.path
    twins, base = site.twins.get(view.slug, []), site.slugs.get(view.row.variant_of or "")
    if view.spec is None:
        return site.render("model_page/undrawn.html", path, view=view, twins=twins, base=base)
    html = site.render(
        "model_page/page.html",
        path,
        view=view,
        **drawn(site, view),
        meanings=precision.meanings(view),
        shortened=precision.shortened(view.row.source),
        stored_words=tables.all_bytes_words(view),
        sizes=sizes.rows(view),
        checkpoint=precision.checkpoint(view),
        facts=tables.facts(view),
        config_keys=CONFIG_PAGES,
        wiring=tables.wiring(view),
        ledger_parts=tables.parts(view),
        tables=weight_rows.weight_tables(view),
        sharding=sharding.sharding(view),
        cache=cache_rows.cache(view),
        bars=cache_rows.bars(view, site),
        weigh=weigh.weigh(view, site),
        roofline=roofline.roofline(view),
        taught=roofline.taught(view),
        explainers=explainer_links.of(view),
        published=view.published,
        **quantized(view),
        twins=twins,
        base=base,
        snippets=snippets(site, view),
        made_of=[ideas.BY_KEY[key] for key in view.mechanisms],
        report=report_address(site, view) if site.issues else "",
        python_bytes=python_files.boot_bytes(),
        cites=cite.entries(view, site.address(path, path)),
    )
    return re.sub(r">\s*\n\s*<", ">\n<", html)  # indentation is a two-hundredth of a page


def drawn(site, view: ModelView) -> dict[str, Any]:
    """The drawing, its lit arrangement, and what stands beside them: what is new, towers, caches of relatives."""
    new = novelty.of(view)
    figure, lit = figures.with_lit(view, novelty.marks(new))
    return {
        "figure": figures.untitled(precision.painted(figure, view)),
        "lit": lit,
        "towers": novelty.towers(view, new),
        "top": novelty.top(view, new),
        "near": cache_rows.bars(view, site, beside=novelty.beside(new)),
    }


def quantized(view: ModelView) -> dict[str, list]:
    """What a page shows of a quantized copy alone: the legend of its formats, stored bytes, the config's settings."""
    if not view.spec.quantization:
        return {"legend": [], "stored": [], "quantization": []}
    return {
        "legend": precision.legend(view),
        "stored": weight_rows.stored_rows(view),
        "quantization": storage.rows(view.spec.quantization),
    }


def report_address(site, view: ModelView) -> str:
    """Where a reader says that this drawing is wrong: the form, with the model and its page filled in."""
    asked = {
        "template": "wrong-drawing.yml",
        "model": view.slug,
        "page": site.base + view.path.lstrip("/") if site.base else view.path,
    }
    return f"{site.issues}/new?{urlencode(asked)}"


class Snippet(NamedTuple):
    """Something to paste elsewhere: what it is, its text, the address in it, and the page that shows it."""

    id: str
    words: str
    text: str
    address: str
    page: str = ""
    rows: int = 2


def snippets(site, view: ModelView) -> list[Snippet]:
    """The drawing as a picture; the drawing and the cache curve as elements, and as frames with their listener."""
    picture = f"{view.path}drawing.svg"
    words = escape(f"{view.title}, drawn from its config")
    image = f'<img src="{site.address(picture, view.path)}" alt="{words}" width="1400">'
    found = [Snippet("image", "The drawing, as a picture", image, picture)]
    for id, what, one in (
        ("drawing", "The drawing", embed.drawing(view)),
        ("curve", "Cache against context", embed.cache_curve(view)),
    ):
        element = frames.element(one, site.address("/embed.js", view.path))
        frame = frames.snippet(one, site.address(one.path, view.path))
        found.append(Snippet(id, f"{what}, as an element that fits its container", element, "/embed.js", one.path))
        found.append(Snippet(f"{id}-frame", f"{what}, as an iframe without our script", frame, one.path, one.path, 3))
    return found


def as_json(site, view: ModelView) -> str:
    """The numbers of a model's page, for programs."""
    row = view.row
    facts = {
        "schema": VERSION,
        "slug": row.slug,
        "title": row.title,
        "company": row.company,
        "date": row.date,
        "repo": row.repo,
        "revision": row.revision,
        "reconstructed": row.reconstructed,
        "unreviewed": row.unreviewed,
        "variant_of": row.variant_of,
    }
    if view.spec:
        facts |= tables.numbers(view)
    else:
        facts["missing"] = view.error or row.missing
    return json.dumps(facts, ensure_ascii=False, indent=1) + "\n"
