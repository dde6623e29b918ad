"""Packed models: the files that hold them, the address that draws one, the list and the search that find it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cutaway import gallery
from cutaway.app.home import page as home
from cutaway.app.making.parts import file_of
from cutaway.app.model_page import page as models
from cutaway.app.model_page import search_index
from cutaway.app.packed import page as packed
from cutaway.app.site import Site, assets
from cutaway.app.your_model import page as your_model
from cutaway.explainers import fmt
from cutaway.gallery import catalog
from tests.served import served

RENDERED, PREFIX = 6, "/some/prefix"
SLUG = "Qwen/Qwen3-Next-80B-A3B-Instruct"
BASE = f"https://host{PREFIX}/"


@pytest.fixture(scope="module")
def few() -> Iterator[Site]:
    """A site of a catalogue whose first RENDERED drawn models have pages; the catalogue is whole again afterwards."""
    catalog.render_first(RENDERED)
    yield Site(BASE)
    catalog.render_first()


@pytest.fixture(scope="module")
def url(few, tmp_path_factory) -> Iterator[str]:
    """The address of that site: what a packed model needs, the list of models, and nothing else."""
    folder = tmp_path_factory.mktemp("packed")
    listed = [page for page in models.pages(few) if page.path in ("/models/", "/data/search.json")]
    missing = [page for page in home.pages(few) if page.path == "/404.html"]
    for page in (*listed, *missing, *packed.pages(few), *your_model.pages(few), *assets.pages(few)):
        path: Path = folder / file_of(page.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.content())
    with served(folder, PREFIX) as address:
        yield address


def contents(site: Site, name: str) -> dict[str, object]:
    """The files under /data/packed/ whose names begin so, by their paths."""
    found = (page for page in packed.pages(site) if page.path.startswith(packed.FOLDER + name))
    return {page.path: json.loads(page.content()) for page in found}


def test_with_todays_catalogue_every_model_has_a_page():
    """No pack, no list, no script on the 404 page; the limit is a thousand."""
    assert catalog.RENDERED == 1000 and catalog.PACKED == () and catalog.MODELS == catalog.KNOWN
    assert list(packed.pages(Site())) == [] and "packed" not in json.loads(search_index.search_index(Site()))
    assert "<script" in home.missing_page(Site()) and "packed-page" not in home.missing_page(Site())


@pytest.mark.whole
def test_every_further_model_is_in_one_pack_and_in_one_list(few):
    """The first six drawn rows have pages, as rows that nobody can draw do; every other one is packed, and a pack gives
    its config back as it is."""
    drawn = [row for row in catalog.KNOWN if row.snapshot]
    rest = {row.slug: row for row in drawn[RENDERED:]}
    assert [row.slug for row in few.rows if row.snapshot] == [row.slug for row in drawn[:RENDERED]]
    assert {row.slug for row in few.rows} | rest.keys() == {row.slug for row in catalog.KNOWN}
    packs = [pack.items() for pack in contents(few, "configs-").values()]
    assert sorted(slug for pack in packs for slug, _ in pack) == sorted(rest)
    assert all(json.loads(entry["config"]) == catalog.load(slug) for pack in packs for slug, entry in pack)
    rows = [row for rows in contents(few, "rows-").values() for row in rows]
    assert sorted(row[0] for row in rows) == sorted(rest)
    assert [row[3] for row in rows] == sorted((row.date or "" for row in rest.values()), reverse=True)
    sizes = {slug: fmt.count(gallery.parameters(catalog.spec(slug)).total) for slug in list(rest)[::25]}
    assert sizes == {slug: words for slug, *_, words in rows if slug in sizes}
    assert contents(few, "names")[packed.NAMES] == [row[:3] for row in rows]
    assert packed.paths_of(SLUG) == {
        path
        for path, rows in {**contents(few, "configs-"), **contents(few, "rows-")}.items()
        if SLUG in (rows if isinstance(rows, dict) else [row[0] for row in rows])
    }


def test_the_hash_of_a_slug_is_fnv_1a(few):
    """FNV's published vectors, and case does not count."""
    assert [packed.hashed(text) for text in ("", "a", "foobar")] == [0x811C9DC5, 0xE40C292C, 0xBF9CF968]
    assert packed.hashed("Foo/Bar") == packed.hashed("foo/bar")


def test_a_packed_address_is_drawn_where_it_is(page, url):
    """/models/owner/name/ has no file: the host's 404 page draws it there, with its name, its address for links, its
    parameters, and links that lead to the site's pages."""
    answer = page.goto(f"{url}/models/{SLUG.lower()}")
    assert answer.status == 404
    expect(page.locator("#result h2").first).to_have_text(catalog.BY_SLUG[SLUG].title, timeout=120_000)
    assert page.title() == f"{catalog.BY_SLUG[SLUG].title} · Cutaway" and page.url == f"{url}/models/{SLUG}/"
    assert page.get_attribute("link[rel=canonical]", "href") == f"{url}/models/{SLUG}/"
    assert page.is_hidden("#missing") and page.evaluate("scrollY") == 0
    assert fmt.count(gallery.parameters(catalog.spec(SLUG)).total) in page.inner_text("#result")
    assert page.locator("#drawn svg.cf-wide text").count() > 50
    expect(page.locator("#result .to-plan a[href]")).to_be_visible()
    targets = page.eval_on_selector_all(
        "#drawing a[href]", "all => all.map((one) => new URL(one.getAttribute('href'), location.href).href)"
    )
    inside = {one.removeprefix(url).split("/")[1] for one in targets if one.startswith(url)}
    assert inside >= {"models", "plan"}
    assert inside <= {"models", "plan", "learn", "glossary", "config", "lineage"}
    page.fill("#edit", "layers:4")
    page.press("#edit", "Enter")
    expect(page.locator("#result h2").first).to_contain_text("edited")


def test_an_address_that_no_pack_has_is_not_found(page, url):
    """The 404 page stays what it is."""
    for path in ("/models/no/such-model/", "/models/nobody", "/anything/else/here/"):
        assert page.goto(url + path).status == 404
        page.wait_for_selector("html[data-ready]")
        assert page.is_visible("#missing h1") and page.is_hidden("#yours")


def test_the_list_pages_through_packed_models_and_the_search_finds_them(page, url):
    """A hundred at a time, when asked for; a word shows those that have it, there and in the search box of any page."""
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/packed/" in request.url else None)
    page.goto(f"{url}/models/")
    assert asked == []
    page.click("[data-first]")
    expect(page.locator(".further tbody tr")).to_have_count(packed.PAGE)
    page.click("[data-on]")
    expect(page.locator(".further [role=status]")).to_contain_text("101 to 200 of")
    page.fill(".search input", "qwen3-next-80b-a3b-instruct")
    expect(page.locator(".further tbody tr")).to_have_count(2)
    assert page.is_hidden(".nothing")
    assert page.get_attribute(".further tbody a", "href").endswith(f"/models/{SLUG}/")
    page.fill(".search input", "")
    expect(page.locator(".further [role=status]")).to_contain_text("101 to 200 of")
    page.goto(f"{url}/your-model/")
    page.fill(".search input", "Qwen3-Next-80B")
    expect(page.locator(".found [role=option]", has_text=catalog.BY_SLUG[SLUG].title).first).to_be_visible()


def test_a_link_to_your_model_draws_a_packed_model(page, url):
    """/your-model/?m=owner/name needs no 404 page: for hosts without one, and sites that do not know their address."""
    page.goto(f"{url}/your-model/?m={SLUG}")
    expect(page.locator("#result h2").first).to_have_text(catalog.BY_SLUG[SLUG].title, timeout=120_000)
    assert page.url == f"{url}/your-model/?m={SLUG}"
    page.goto(f"{url}/your-model/?m=no/such")
    expect(page.locator("#error")).to_contain_text("No model here is called no/such.")
    assert packed.address(Site(), SLUG) == f"/your-model/?m={SLUG}"
