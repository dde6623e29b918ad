"""A few model pages with all their files, written as the built site has them: for tests that need no more of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cutaway.app.model_page import page as models
from cutaway.app.model_page import search_index, whatif
from cutaway.app.roofline import page as roofline
from cutaway.app.site import Site, assets
from cutaway.app.weigh import sheets


def write(out: Path, slugs: Iterable[str]) -> Site:
    """The pages of some models, the files of all pages, and the sheets of everyone."""
    site = Site()
    found = [(f"/models/{slug}/", models.model_page(site, site.view(slug))) for slug in slugs]
    found += [(one.path, one.content()) for one in assets.pages(site)]
    found += [(sheets.ALL, sheets.everyone(site)), ("/data/search.json", search_index.search_index(site))]
    wanted = {f"/data/roofline/{slug}.json" for slug in slugs} | {roofline.PATH, roofline.SCRIPT}
    found += [(one.path, one.content()) for one in roofline.pages(site) if one.path in wanted]
    found += [(f"/data/whatif/{slug}.json", whatif.as_text(site.view(slug))) for slug in slugs]
    for name, content in found:
        path = out / (name.lstrip("/") + ("index.html" if name.endswith("/") else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return site


def said(page, key: str) -> str:
    return page.locator(f'#cache [data-at="{key}"]').first.text_content()
