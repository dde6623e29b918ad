"""A site that does not know its address says nothing false about it; one that does names it everywhere it must."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Tree
from pathlib import Path

import pytest

from cutaway.app.site import Site, feeds
from cutaway.app.site.pages import all_pages

ROOT = Path(__file__).resolve().parent.parent.parent
LOOPBACK = re.compile(rb"127\.\d+\.\d+\.\d+|localhost|\[::1\]|0\.0\.0\.0", re.I)
ATOM = "{http://www.w3.org/2005/Atom}"
HOST = "https://example.org/cutaway/"


def test_no_file_of_a_site_without_a_base_names_a_loopback_address(site_dir, verified):
    """Neither a feed, nor robots.txt, nor a snippet, nor an embed sends a reader to the machine that built it."""
    kinds = (".woff2", ".png", ".ico")
    files = [path for path in site_dir.rglob("*") if path.is_file() and path.suffix not in kinds]
    others = ("bokeh.min.js", "pyodide.mjs", "pyodide.asm.mjs")  # their own texts name hosts of examples and sockets
    files = [path for path in files if path.name not in others]
    files = [path for path in files if path != site_dir / "docs/commands/index.html"]  # on what `cutaway serve` listens
    found = {
        path.relative_to(site_dir).as_posix(): hit[0] for path in files if (hit := LOOPBACK.search(path.read_bytes()))
    }
    assert found == {}
    verified(
        "files of the site without a loopback address",
        checked=len(files),
        mismatches=len(found),
        against="a text search",
    )


def test_without_a_base_what_needs_one_is_left_out():
    """A sitemap and its line in robots.txt must be absolute: they are not there; the feed's links are relative."""
    site = Site()
    assert "/sitemap.xml" not in {page.path for page in all_pages(site)}
    robots = next(page for page in feeds.pages(site) if page.path == "/robots.txt")
    assert b"Sitemap" not in robots.content()
    feed = Tree.fromstring(feeds.feed(site))
    links = [link.get("href") for link in feed.iter(f"{ATOM}link")]
    assert links[:2] == ["./", "feed.xml"]
    assert all(re.fullmatch(r"models/[^/]+/[^/]+/", link) for link in links[2:])
    ids = [one.text for one in feed.iter(f"{ATOM}id")]
    assert all(one.startswith("urn:uuid:") for one in ids)
    assert len(ids) == len(set(ids)) == len(links) - 1


def test_with_a_base_every_address_begins_with_it():
    """Sitemap, feed and robots.txt name the host and the prefix; a slash at the end of --base changes nothing."""
    for base in (HOST, HOST.rstrip("/")):
        site = Site(base)
        pages = {page.path: page for page in feeds.pages(site)}
        where = [one.text for one in Tree.fromstring(pages["/sitemap.xml"].content()).iter() if one.text]
        assert all(one.startswith(HOST) for one in where)
        assert f"{HOST}zh/glossary/" in where
        assert f"{HOST}learn/heads/" in where
        feed = Tree.fromstring(pages["/feed.xml"].content())
        assert all(link.get("href").startswith(HOST) for link in feed.iter(f"{ATOM}link"))
        assert all(one.text.startswith(HOST) for one in feed.iter(f"{ATOM}id"))
        assert pages["/robots.txt"].content().decode().endswith(f"Sitemap: {HOST}sitemap.xml\n")


def test_an_address_is_relative_until_the_host_is_known():
    """The same call gives a link that works anywhere, or the whole address."""
    assert Site().address("/learn/heads/", "/embed/heads/") == "../../learn/heads/"
    assert Site(HOST).address("/learn/heads/", "/embed/heads/") == f"{HOST}learn/heads/"


def test_a_build_without_a_base_warns(build, tmp_path, monkeypatch, capsys):
    """One line on stderr says what is left out and how to get it; with a base there is none."""
    monkeypatch.setattr(build, "all_pages", lambda site: [])
    build.main(["--out", str(tmp_path / "a")])
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert all(word in said for word in ("--base", "sitemap.xml", "oEmbed"))
    build.main(["--out", str(tmp_path / "b"), "--base", HOST])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "base", ["example.org", "/cutaway/", "ftp://example.org/", "https://", "https://a/?b", "https://a/#b"]
)
def test_a_base_that_is_no_address_is_refused(build, tmp_path, capsys, base):
    """A host without its scheme, or a query behind it, would make broken links: a sentence, and nothing is written."""
    with pytest.raises(SystemExit) as stopped:
        build.main(["--out", str(tmp_path / "a"), "--base", base])
    assert stopped.value.code == 2
    assert "https://host/prefix/" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
