"""The order of /learn/: one place a page, groups and paths in it, next and previous from it; addresses that moved."""

from __future__ import annotations

import re
from itertools import groupby, pairwise

import pytest

from cutaway import explainers
from cutaway.app.learn import cards, moved
from cutaway.app.learn.page import index_page, learn_page
from cutaway.explainers import folders
from tests.one_site import SITE

NAMES = explainers.names()
ASKED = [  # the order that was asked for
    *("next-token", "attention", "position", "heads", "mla-numbers", "masks"),
    *("flash", "roofline", "delta-rule", "decoder", "long-context", "experts"),
]


def links(html: str) -> list[str]:
    """The explainers that a piece of a page links to."""
    return re.findall(r'href="(?:\.\./)?([a-z][\w-]*)/"', html)


def test_no_two_pages_share_an_order():
    """Each page has a place of its own, and the list goes up through all of them."""
    places = [explainers.load(name).order for name in NAMES]
    assert all(a < b for a, b in pairwise(places)), dict(zip(NAMES, places, strict=True))


def test_groups_follow_one_another():
    """A group is one stretch of the order, in the order of its table, and none is empty."""
    assert [group for group, _ in groupby(explainers.load(name).group for name in NAMES)] == list(explainers.GROUPS)


def test_the_order_is_the_one_asked_for():
    """Attention before position, heads before masks, and so on to experts; pages that come later take their places."""
    assert [name for name in NAMES if name in ASKED] == [name for name in ASKED if name in NAMES]


def test_a_page_is_on_a_path_and_a_path_goes_up():
    """Every page is on one path at least; a path has four pages or more, in the order of all."""
    assert [name for name in NAMES if not explainers.load(name).paths] == []
    for path in explainers.PATHS:
        row = explainers.on_path(path)
        assert len(row) >= 4, path
        assert list(row) == sorted(row, key=NAMES.index), path


def test_an_unknown_path_is_refused(monkeypatch):
    """A page.md that names a path that is not there says where."""
    front, told = folders.parts_of("heads", "", "explainers/heads/page.md")
    monkeypatch.setattr(folders, "parts_of", lambda *_: ({**front, "paths": ["cooking"]}, told))
    with pytest.raises(ValueError, match=r"explainers/heads/page\.md: front matter lacks a good 'paths'"):
        folders.load.__wrapped__("heads")


@pytest.mark.parametrize("name", NAMES)
def test_next_and_previous_follow_the_order(name):
    """The foot of a page leads on and back by one, and on each of its paths to the page after it there."""
    html = learn_page(SITE, name)
    foot = html[html.index('<section class="learn-order"') :].partition("</section>")[0]
    at = NAMES.index(name)
    before, after = (NAMES[n] if 0 <= n < len(NAMES) else None for n in (at - 1, at + 1))
    led = {rel: re.search(rf'rel="{rel}" href="\.\./([\w-]+)/"', foot) for rel in ("prev", "next")}
    assert {rel: found and found[1] for rel, found in led.items()} == {"prev": before, "next": after}
    further = {
        row[row.index(name) + 1] for row in map(explainers.on_path, explainers.load(name).paths) if name != row[-1]
    }
    assert set(links(foot)) == {before, after, *further} - {None}
    for path in explainers.load(name).paths:
        row = explainers.on_path(path)
        assert f"page {row.index(name) + 1} of {len(row)}" in foot
        assert re.search(rf'href="\.\./#{path}"', foot)


def test_paths_are_chips_and_lists():
    """/learn/ has a chip for each path, which leads to its list in the page, and a rule that lights its cards."""
    html = index_page(SITE)
    chips = re.findall(r'<li><a href="#([\w-]+)">', html)
    assert chips == ["paths", *explainers.PATHS]
    for path in explainers.PATHS:
        listed = html[html.index(f'<section class="learn-path" id="{path}"') :].partition("</section>")[0]
        assert tuple(links(listed)) == explainers.on_path(path)
        cards_on = re.findall(rf'<li data-paths="[\w ]*\b{path}\b[\w ]*">.*?<a href="([\w-]+)/"', html, re.S)
        assert tuple(cards_on) == explainers.on_path(path)
        assert f":root:has(#{path}:target) .learn-groups li[data-paths~={path}]" in cards.path_style(path)


LIT = """() => [...document.querySelectorAll(".learn-groups li")]
  .filter((li) => getComputedStyle(li).counterIncrement !== "none")
  .map((li) => li.querySelector("a").getAttribute("href").split("/").at(-2))"""


@pytest.mark.parametrize("scripts", [True, False])
def test_a_chip_lights_its_pages(browser, learn_url, scripts):
    """By keyboard, with and without scripts: the address names the path, its cards are lit, back lights all again."""
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{learn_url}/learn/")
    chip = page.locator('.learn-chips a[href="#serving"]')
    chip.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/learn/#serving")
    if scripts:
        assert tuple(page.evaluate(LIT)) == explainers.on_path("serving")
    assert page.locator("#serving").is_visible() and not page.locator("#training").is_visible()
    page.go_back()
    page.wait_for_url(lambda url: "#" not in url)
    assert not page.locator("#serving").is_visible()
    context.close()


@pytest.mark.parametrize("old", explainers.MOVED)
def test_an_old_address_says_where_its_steps_went(old):
    """Each step of a divided page stands under its old number, with a link to where it is; its embeds are theirs."""
    found = {one.path: one for one in moved.pages(SITE)}
    html = found[f"/learn/{old}/"].content().decode()
    steps = explainers.moved_beats(old)
    for n, (name, beat) in enumerate(steps, 1):
        title = explainers.load(name).beats[beat - 1].title
        assert re.search(rf'<li id="beat-{n}"><a href="\.\./{name}/#beat-{beat}" data-moved>{re.escape(title)}<', html)
    assert {f"/embed/{old}/", *(f"/embed/{old}/beat-{n + 1}/" for n in range(len(steps)))} < set(found)
    assert [len(explainers.load(name).beats) for name in explainers.MOVED[old]] == [4, 4]
    with pytest.raises(LookupError, match=r"was divided; its steps are in norms and loops"):
        explainers.folder(old)
