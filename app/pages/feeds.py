"""/sitemap.xml, /feed.xml, /robots.txt and the icon: what other programs ask for."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as Tree

from app.pages import Page

ATOM = "http://www.w3.org/2005/Atom"
NEWEST = 40


def pages(site) -> Iterator[Page]:
    yield Page("/sitemap.xml", lambda: sitemap(site), "application/xml")
    yield Page("/feed.xml", lambda: feed(site), "application/atom+xml")
    yield Page("/robots.txt", lambda: f"User-agent: *\nAllow: /\nSitemap: {site.base}sitemap.xml\n", "text/plain")


def _text(parent: Tree.Element, tag: str, text: str = "", **attributes: str) -> Tree.Element:
    element = Tree.SubElement(parent, tag, attributes)
    element.text = text or None
    return element


def _xml(root: Tree.Element) -> bytes:
    return Tree.tostring(root, encoding="utf-8", xml_declaration=True)


def sitemap(site) -> bytes:
    """Every page a reader can open, under the address the site is built for."""
    from app.pages import all_pages

    root = Tree.Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    for page in all_pages(site):
        if page.type == "text/html" and page.path.endswith("/") and not page.path.startswith("/embed/"):
            _text(_text(root, "url"), "loc", site.base.rstrip("/") + page.path)
    return _xml(root)


def feed(site) -> bytes:
    """The newest models, as Atom."""
    rows = sorted((row for row in site.rows if row.date and row.snapshot), key=lambda row: row.date, reverse=True)
    root = Tree.Element("feed", xmlns=ATOM)
    _text(root, "title", "Cutaway: models")
    _text(root, "id", site.base)
    _text(root, "link", href=site.base)
    _text(root, "link", rel="self", href=site.base + "feed.xml")
    _text(root, "updated", f"{rows[0].date}T00:00:00Z" if rows else "1970-01-01T00:00:00Z")
    _text(_text(root, "author"), "name", "Cutaway")
    for row in rows[:NEWEST]:
        address = f"{site.base}models/{row.slug}/"
        entry = _text(root, "entry")
        _text(entry, "title", f"{row.title}, {row.company}")
        _text(entry, "id", address)
        _text(entry, "link", href=address)
        _text(entry, "updated", f"{row.date}T00:00:00Z")
        _text(entry, "summary", row.note or row.title)
    return _xml(root)
