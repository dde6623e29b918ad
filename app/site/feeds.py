"""/feed.xml, /robots.txt and /sitemap.xml: what other programs ask for.

A sitemap must name whole addresses: a site that does not know its own has none, and its feed's links are relative.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from xml.etree import ElementTree as Tree

from cutaway.app.site.pages import Page

ATOM = "http://www.w3.org/2005/Atom"
XHTML = "http://www.w3.org/1999/xhtml"
NEWEST = 40


def pages(site) -> Iterator[Page]:
    yield Page("/feed.xml", lambda: feed(site), "application/atom+xml")
    yield Page("/robots.txt", lambda: robots(site), "text/plain")
    if site.base:
        yield Page("/sitemap.xml", lambda: sitemap(site), "application/xml", follows=lambda: site.rows)


def robots(site) -> str:
    """Everything may be read."""
    return "User-agent: *\nAllow: /\n" + (f"Sitemap: {site.base}sitemap.xml\n" if site.base else "")


def _text(parent: Tree.Element, tag: str, text: str = "", **attributes: str) -> Tree.Element:
    element = Tree.SubElement(parent, tag, attributes)
    element.text = text or None
    return element


def _xml(root: Tree.Element) -> bytes:
    return Tree.tostring(root, encoding="utf-8", xml_declaration=True)


def _name(site, path: str) -> str:
    """What a feed reader knows an entry by: an IRI that stays the same."""
    return site.base + path.lstrip("/") if site.base else uuid.uuid5(uuid.NAMESPACE_URL, f"cutaway:{path}").urn


def sitemap(site) -> bytes:
    """Every page a reader can open, under the address the site is built for."""
    from cutaway.app.site.pages import all_pages

    Tree.register_namespace("xhtml", XHTML)
    root = Tree.Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    for page in all_pages(site):
        if page.type == "text/html" and page.path.endswith("/") and not page.path.startswith("/embed/"):
            entry = _text(root, "url")
            _text(entry, "loc", site.address(page.path, "/sitemap.xml"))
            for language, path in site.versions(page.path):
                link = {"rel": "alternate", "hreflang": language.tag, "href": site.address(path, "/sitemap.xml")}
                _text(entry, f"{{{XHTML}}}link", **link)
    return _xml(root)


def added(row) -> str:
    """The day its config was read: when it came into the catalogue."""
    return row.source.get("read") or row.date or ""


def feed(site) -> bytes:
    """The models that were added last, as Atom: `updated` is the day of adding, `published` that of the release."""
    rows = [row for row in site.rows if row.snapshot]
    rows.sort(key=lambda row: (added(row), row.date or ""), reverse=True)
    root = Tree.Element("feed", xmlns=ATOM)
    _text(root, "title", "Cutaway: models added")
    _text(root, "id", _name(site, "/"))
    _text(root, "link", href=site.address("/", "/feed.xml"))
    _text(root, "link", rel="self", href=site.address("/feed.xml", "/feed.xml"))
    _text(root, "updated", _noon(added(rows[0])) if rows else "1970-01-01T00:00:00Z")
    _text(_text(root, "author"), "name", "Cutaway")
    for row in rows[:NEWEST]:
        _entry(root, site, row)
    return _xml(root)


def _entry(root: Tree.Element, site, row) -> None:
    """One model."""
    path, entry = f"/models/{row.slug}/", _text(root, "entry")
    _text(entry, "title", f"{row.title}, {row.company}")
    _text(entry, "id", _name(site, path))
    _text(entry, "link", href=site.address(path, "/feed.xml"))
    _text(entry, "updated", _noon(added(row)))
    if row.date:
        _text(entry, "published", _noon(row.date))
    _text(entry, "category", term=row.company)
    _text(entry, "summary", row.note or site.view(row.slug).line)


def _noon(date: str) -> str:
    """A day as Atom writes a time; a month or a year begins with its first day."""
    return f"{date}{'-01' * (2 - date.count('-'))}T00:00:00Z"
