"""What a link to a page is shown with: a picture, a whole address, an icon; drawn at build where there is a browser."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest

from cutaway import explainers
from cutaway.app.site import STATIC, Site, cards
from cutaway.app.site.pages import all_pages
from tests.site.test_base import HOST

SLUGS = ("openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V3", "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4")
META = re.compile(r'<(?:meta|link) (?:property|name|rel)="([^"]+)" (?:content|href)="([^"]*)"')


@pytest.fixture
def painted(monkeypatch, tmp_path):
    """A painter that paints its text, a folder of its own for what is kept, and three cards; lists what was painted."""
    seen = []

    @contextmanager
    def painter():
        yield lambda text, width, height: seen.append(text) or text.encode()

    texts = {"/models/a/b/": "one", "/learn/c/": "two"}
    monkeypatch.setattr(cards, "painter", painter)
    monkeypatch.setattr(cards, "CACHE", tmp_path / "kept")
    monkeypatch.setattr(cards, "cards", lambda site: ((path, lambda path=path: texts[path]) for path in texts))
    return seen, texts


def quiet(text: str) -> None:
    pass


def test_a_card_is_drawn_once_until_what_it_shows_changes(painted):
    """A second build draws nothing; a changed page is drawn again, alone."""
    seen, texts = painted
    made = cards.made(Site(HOST), quiet)
    assert {path: (page.path, page.content()) for path, page in made.items()} == {
        "/models/a/b/": ("/cards/models/a/b.png", b"one"),
        "/learn/c/": ("/cards/learn/c.png", b"two"),
    }
    cards.made(Site(HOST), quiet)
    assert seen == ["one", "two"]
    texts["/learn/c/"] = "three"
    assert cards.made(Site(HOST), quiet)["/learn/c/"].content() == b"three"
    assert seen == ["one", "two", "three"]


def test_a_page_names_its_own_picture_or_the_common_one(painted):
    """og:image and twitter:card are whole addresses of pictures that the site has, canonical is the page's own."""
    site = Site(HOST)
    site.cards = {"/learn/heads/": cards.made(site, quiet)["/learn/c/"]}
    there = {page.path: page for page in all_pages(site)}
    for path, picture in (("/learn/heads/", "cards/learn/c.png"), ("/verify/", "assets/card.png")):
        said = dict(META.findall(there[path].content().decode()))
        assert said["og:image"] == HOST + picture
        assert "/" + picture in there
        assert said["og:url"] == said["canonical"] == HOST + path.lstrip("/")
        assert said["twitter:card"] == "summary_large_image"
        assert said["og:title"]


def test_without_a_base_no_page_promises_a_picture():
    """og:image, og:url and canonical must be whole addresses: they are left out, and on the 404 page too."""
    wanted = {"og:image", "og:url", "canonical"}
    for site, path in ((Site(), "/verify/"), (Site(HOST), "/404.html")):
        page = next(page for page in all_pages(site) if page.path == path)
        assert not wanted & set(dict(META.findall(page.content().decode())))


def test_no_browser_is_a_sentence_and_not_an_end(build, tmp_path, monkeypatch, capsys):
    """--images on a machine without a browser builds the site with the common picture, and says so."""

    def none(site, say):
        raise cards.NoBrowser("there is no Chromium")

    monkeypatch.setattr(cards, "made", none)
    monkeypatch.setattr(build, "all_pages", lambda site: [])
    assert build.main(["--out", str(tmp_path / "a"), "--base", HOST, "--images"]) == 0
    assert capsys.readouterr().err == "--images: there is no Chromium; every page has the same picture.\n"
    with pytest.raises(SystemExit):
        build.main(["--out", str(tmp_path / "a"), "--images"])
    assert "--images needs --base" in capsys.readouterr().err


def test_the_common_picture_and_the_icons_are_what_they_say():
    """1,200 x 630 pixels, 180 x 180, and an .ico that holds one picture of 32."""
    for name, size in (("card.png", (1200, 630)), ("touch-icon.png", (180, 180))):
        data = (STATIC / name).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == size
    icon = (STATIC / "favicon.ico").read_bytes()
    assert icon[:8] == bytes((0, 0, 1, 0, 1, 0, 32, 32))
    assert icon[22:].startswith(b"\x89PNG")
    assert int.from_bytes(icon[14:18], "little") == len(icon) - 22


def test_nothing_is_cut_off_a_card(page):
    """Title, words, figures and the name of the site stand inside 1,200 x 630, the longest names too."""
    page.set_viewport_size({"width": cards.WIDTH, "height": cards.HEIGHT})
    site = Site()
    texts = {name: cards.learn_card(name) for name in explainers.names()}
    texts |= {slug: cards.model_card(site.view(slug)) for slug in SLUGS}
    lowest = {}
    for name, text in texts.items():
        page.set_content(text)
        lowest[name] = page.evaluate(
            "document.fonts.ready.then(() => [...document.querySelectorAll('main > *')]"
            ".map((one) => one.getBoundingClientRect()).every((box, i, all) => box.bottom <= 580 && box.right <= 1136"
            " && (!i || box.top >= all[i - 1].bottom)))"
        )
    assert {name for name, good in lowest.items() if not good} == set()
