"""The built site as files: links resolve under any prefix, nothing inline, nothing foreign, small enough."""

from __future__ import annotations

import gzip
import json
import posixpath
import re
import xml.etree.ElementTree as Tree
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from cutaway.gallery import catalog
from tests.site.html_check import Document

LIMIT_BYTES = 60_000  # of a page with its scripts and styles, gzipped, without fonts
LIMITS = {
    "models/index.html": 120_000,  # the gallery has a card, with a drawing, for every model
    "learn/blocks/index.html": 70_000,  # quantizes 26 schemes as their libraries do
}


@pytest.fixture(scope="session")
def documents(site_dir) -> dict[str, Document]:
    """Every HTML page by its path."""
    return {
        path.relative_to(site_dir).as_posix(): Document(path.read_text("utf-8")) for path in site_dir.rglob("*.html")
    }


def test_the_pages_a_reader_expects_are_there(site_dir):
    """Home, gallery, one page per model, checks, the page for what is missing, and the files for programs."""
    for name in ("index.html", "models/index.html", "verify/index.html", "404.html", "robots.txt", "feed.xml"):
        assert (site_dir / name).is_file(), name
    for row in catalog.MODELS:
        assert (site_dir / "models" / row.slug / "index.html").is_file()
        assert json.loads((site_dir / "data" / f"{row.slug}.json").read_text())["slug"] == row.slug
        if row.snapshot:
            Tree.parse(site_dir / "models" / row.slug / "drawing.svg")


def test_every_link_inside_the_site_leads_to_a_file(site_dir, documents, verified):
    """Relative links resolve from where they stand, whatever prefix the site hangs under; so do their #fragments;
    #c= holds a config for /your-model/."""
    broken, checked, ids = [], 0, {page: set(document.ids) for page, document in documents.items()}
    files = {path.relative_to(site_dir).as_posix() for path in site_dir.rglob("*") if path.is_file()}
    for page, document in documents.items():
        for tag, name, value in document.links:
            parts = urlsplit(value)
            if parts.scheme or parts.netloc or (tag, name) == ("form", "data-app"):
                continue
            checked += 1
            where = target(page, unquote(parts.path))
            if value.startswith("/") or where.startswith("..") or posixpath.normpath(where) not in files:
                broken.append(f"{page}: {tag} {name}={value}")
            elif parts.fragment and not parts.fragment.startswith("c=") and parts.fragment not in ids[where]:
                broken.append(f"{page}: no #{parts.fragment} in {where}")
    assert broken == []
    verified("links inside the site", checked=checked, mismatches=len(broken), against="the built files")


def target(page: str, path: str) -> str:
    """The file that a relative path means, seen from a page."""
    if not path:
        return page
    where = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return posixpath.join(where, "index.html") if path.endswith(("/", ".")) else where


def test_every_page_is_sound_html(documents):
    """Tags close, attributes stand once, ids are unique, there is one h1, one main, a title and a language."""
    wrong = []
    for page, document in documents.items():
        wrong += [f"{page}: {error}" for error in document.errors]
        doubled = {one for one, times in Counter(document.ids).items() if times > 1}
        wrong += [f"{page}: id {one} twice" for one in doubled]
        wrong += [
            f"{page}: {document.tags.count(tag)} <{tag}>"
            for tag in ("h1", "main", "title")
            if document.tags.count(tag) != 1 and not page.startswith("embed/")
        ]
    assert wrong == []


def test_no_script_and_no_style_stands_in_a_page_that_its_policy_refuses(documents):
    """Code and styles are files, but for the one script that a page's Content-Security-Policy names; embeds aside."""
    pages = {page: document for page, document in documents.items() if not page.startswith("embed/")}
    assert {page: document.inline for page, document in pages.items() if document.inline} == {}


def test_what_a_module_imports_is_named_beside_it(site_dir, documents):
    """A page names every file that its modules need before they run, once: none waits until another has come."""
    wrong, checked = [], 0
    for page, document in documents.items():
        given = [target(page, value) for tag, name, value in document.links if (tag, name) == ("link", "href")]
        modules = [target(page, urlsplit(value).path) for tag, _, value in document.links if tag == "script"]
        for needed in {one for module in modules for one in needs(site_dir / module)}:
            checked += 1
            times = given.count(needed.relative_to(site_dir).as_posix())
            wrong += [f"{page} names {needed.name} {times} times"] if times != 1 else []
    assert wrong == []
    assert checked > len(catalog.MODELS)


@cache
def needs(module: Path) -> frozenset[Path]:
    """The files that a bundled module imports, and those that they do, read from its text; import() comes later."""
    found = {
        module.parent / name for name in re.findall(r'(?:\bfrom|\bimport) ?"\./([^"]+)"', module.read_text("utf-8"))
    }
    return frozenset(found).union(*map(needs, found))


def test_only_links_for_readers_point_elsewhere(documents):
    """Nothing is fetched from another host: foreign addresses stand in <a href> alone."""
    foreign = [
        f"{page}: {tag} {value}"
        for page, document in documents.items()
        for tag, _, value in document.links
        if urlsplit(value).netloc and tag not in ("a",) and not value.startswith("data:")
    ]
    assert [one for one in foreign if "oembed.json" not in one] == []


def test_every_page_is_small(site_dir, documents, verified):
    """A page with the scripts and styles it loads stays under 60 KB gzipped, fonts aside; the gallery under 120."""
    heavy = {}
    for page, document in documents.items():
        files = {page} | {
            target(page, urlsplit(value).path)
            for tag, name, value in document.links
            if (tag == "script" or value.split("?")[0].endswith(".css")) and not urlsplit(value).netloc
        }
        files |= {one for file in files if file.endswith(".js") for one in imported(site_dir, file)}
        size = sum(packed(site_dir / file) for file in files)
        if size > LIMITS.get(page, LIMIT_BYTES):
            heavy[page] = size
    assert heavy == {}
    verified("pages under 60 KB gzipped", checked=len(documents), mismatches=len(heavy), against="gzip level 9")


@cache
def imported(folder: Path, file: str) -> set[str]:
    """The modules that a script imports; each stands beside it."""
    names = re.findall(r'from "\./([\w-]+\.js)"', (folder / file).read_text("utf-8"))
    return {posixpath.join(posixpath.dirname(file), name) for name in names}


@cache
def packed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


def test_models_without_a_config_stay_listed(site_dir):
    """A model that cannot be drawn keeps a page that says what is missing, and a place in the gallery."""
    gallery = (site_dir / "models" / "index.html").read_text()
    waiting = [row for row in catalog.MODELS if not row.snapshot and not row.variant_of]
    assert waiting
    for row in waiting:
        assert f'href="{row.slug}/"' in gallery
        assert "Not drawn yet:" in (site_dir / "models" / row.slug / "index.html").read_text()


def test_a_reconstructed_model_says_so(site_dir):
    """A drawing from a config that was put together by hand carries the mark on its page."""
    rows = [row for row in catalog.MODELS if row.snapshot and row.reconstructed]
    assert rows
    for row in rows:
        assert "reconstructed</span>" in (site_dir / "models" / row.slug / "index.html").read_text()
