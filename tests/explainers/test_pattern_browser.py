"""Every explainer in a browser: page, embed and app show the same widget, links carry its state, nothing leaks."""

from __future__ import annotations

import gzip
import re

import pytest

from cutaway import explainers
from cutaway.app.embed.page import of_explainer
from cutaway.explainers import permalink
from tests.explainers.reader import SETTLED, put, violations
from tests.explainers.test_pattern import cases
from tests.guarded import until

CLIPPED = "navigator.clipboard.readText()"
NAMES = explainers.names()
PAGE_LIMIT_BYTES = 62_000
PAGE_LIMITS = {"blocks": 70_000, "matrix": 70_000}  # they quantize as the libraries do: 26 schemes, 20 schemes
EMBED_LIMIT_BYTES = 30_000


WIDGET = "[data-widget] .cw"


def ready(page, url: str):
    """Open a page and wait until its widget is there, with what it draws one frame later."""
    page.goto(url)
    page.locator("[data-widget]").scroll_into_view_if_needed()  # below the beats it is mounted when it is near
    page.wait_for_selector("[data-widget][data-ready]", state="attached")
    page.evaluate(SETTLED)
    return page.locator(WIDGET).first


def other_state(name: str) -> dict:
    """A shared case that differs from the defaults and can stand in a link."""
    made = explainers.reference(name)
    check = explainers.checker(name)
    states = ({**made.STATE, **case} for case in cases(name))
    return next(state for state in states if state != made.STATE and not check(state))


def test_the_index_lists_every_explainer_under_its_group(page, learn_url):
    """/learn/ links to each page once, under formats, attention or parallelism."""
    page.goto(f"{learn_url}/learn/")
    links = page.locator(".learn-group li a").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    assert [f"{name}/" for name in NAMES] == [link.removeprefix("../learn/") for link in links]


def test_page_and_embed_are_light(name, learn_dir):
    """With everything it loads but fonts, a page is at most 62 KB gzipped (two of them 70), the single file 30 KB."""
    html = (learn_dir / "learn" / name / "index.html").read_bytes()
    wanted = re.findall(rb'(?:href|src)="\.\./\.\./(assets/[^"?]+\.(?:js|css))', html)
    files = {learn_dir / path.decode() for path in wanted}
    total = sum(len(gzip.compress(body)) for body in [html, *(file.read_bytes() for file in files)])
    embed = len(gzip.compress((learn_dir / "embed" / name / "index.html").read_bytes()))
    print(f"size {name}: page {total:,} B in {1 + len(files)} files, embed {embed:,} B, gzipped")
    assert total <= PAGE_LIMITS.get(name, PAGE_LIMIT_BYTES)
    assert embed <= EMBED_LIMIT_BYTES


@pytest.mark.turns
def test_without_scripts_the_page_shows_the_picture(name, browser, learn_url):
    """Before, or without, any script the card holds the first picture with its numbers, and the words explain."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{learn_url}/learn/{name}/")
    card = page.locator("[data-view]")
    box = card.bounding_box()
    assert box["height"] > 150
    assert len(re.findall(r"\d", card.inner_text())) >= 10
    assert page.locator(".learn-words").text_content().strip()  # below the fold: laid out when it is scrolled to
    context.close()


@pytest.mark.turns
def test_page_embed_and_app_show_the_same_widget(name, page, shown, learn_dir, live_url):
    """At one width, a screen reader meets the same tree on the page, in the file from disk, and in the live app."""
    on_page = shown(name).locator(WIDGET).first
    static, width = on_page.aria_snapshot(), root_width(on_page)
    file = ready(page, (learn_dir / "embed" / name / "index.html").as_uri())
    assert static == snapshot_at(page, file, width)
    page.goto(f"{live_url}/app?learn={name}")
    live = page.locator(f".cw-{name}").first
    live.wait_for()
    assert static == snapshot_at(page, live, width)


def root_width(root) -> int:
    return round(root.evaluate("(root) => root.clientWidth"))


def snapshot_at(page, root, width: int) -> str:
    """The tree of a widget when the window makes it `width` wide."""
    for _ in range(5):  # a scrollbar may come or go
        off = width - root_width(root)
        page.set_viewport_size({**page.viewport_size, "width": page.viewport_size["width"] + off})
        page.evaluate(SETTLED)
        if not off:
            break
    assert width == root_width(root)
    return root.aria_snapshot()


QUIET = """async () => {
  for (let last = 0, still = 0; still < 10; ) {
    await new Promise(requestAnimationFrame);
    still = last === heights.length ? still + 1 : 0;
    last = heights.length;
  }
  return heights.at(-1); }"""


@pytest.mark.turns
def test_an_embed_works_in_a_sandbox_and_calls_nobody(name, learn_dir, browser):
    """In an iframe with scripts and nothing else allowed, the single file comes up, and no request is made."""
    context = browser.new_context()
    page = context.new_page()
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    errors = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    file = learn_dir / "embed" / name / "index.html"
    outer = file.with_name("outer.html")
    height = of_explainer(name).height(900)
    outer.write_text(
        "<script>heights = []; onmessage = (e) => heights.push(e.data);</script>"
        f'<iframe sandbox="allow-scripts" src="index.html" width="900" height="{height}"></iframe>'
    )
    page.goto(outer.as_uri())
    page.frame_locator("iframe").locator("[data-ready]").wait_for()
    until(page, lambda: page.evaluate("heights.length > 0"))
    message = page.evaluate(QUIET)  # what lies below the fold is drawn a frame later
    outer.unlink()
    context.close()
    assert {outer.as_uri(), file.as_uri()} == set(asked)
    assert errors == []
    assert message["cutaway"] == name
    assert 0.9 * height <= message["height"] <= height, "page.md's heights are not the widget's: make_heights.py"


@pytest.mark.turns
def test_a_link_opens_in_its_state(name, page, learn_url):
    """A link made in Python opens the widget in that state, and going back returns to the one before."""
    made = explainers.reference(name)
    state = other_state(name)
    ready(page, f"{learn_url}/learn/{name}/{permalink.write(made.STATE, state)}")
    get = "(keys) => keys.map((k) => document.querySelector('[data-widget]').cutaway.model.get(k))"
    assert list(state.values()) == page.evaluate(get, list(state))
    assert page.locator("[data-message]").inner_text() == ""


@pytest.mark.turns
def test_back_and_forward_move_through_states(name, shown):
    """A change of state enters the address; back shows the state before it, forward the one after."""
    made = explainers.reference(name)
    state = other_state(name)
    changed = {key: value for key, value in state.items() if value != made.STATE[key]}
    page = shown(name)
    put(page, changed)
    get = "(keys) => keys.map((k) => document.querySelector('[data-widget]').cutaway.model.get(k))"
    address = page.url.partition("?")
    assert permalink.write(made.STATE, state) == address[1] + address[2]
    page.go_back()
    assert [made.STATE[key] for key in changed] == page.evaluate(get, list(changed))
    page.go_forward()
    assert list(changed.values()) == page.evaluate(get, list(changed))


@pytest.mark.turns
def test_a_broken_link_says_so_and_keeps_the_defaults(name, page, shown, learn_url):
    """Unknown keys and impossible values get a sentence beside the widget; the widget stands in its first state."""
    made = explainers.reference(name)
    good = shown(name).locator(WIDGET).first.aria_snapshot()
    numbers = [key for key, value in made.STATE.items() if type(value) in (int, float)]
    query = "&".join(["nothing=1", *(f"{key}=%3Cb%3E" for key in numbers)])
    broken = ready(page, f"{learn_url}/learn/{name}/?{query}").aria_snapshot()
    said = page.locator("[data-message]").inner_text()
    assert "which does not exist here" in said
    assert said.count("is not a number") == len(numbers)
    assert good == broken


def test_links_and_frames_can_be_copied(page, learn_url):
    """Copy link gives the address with the state, copy iframe the frame with it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ready(page, f"{learn_url}/learn/bits/?typed=-0&format=float8_e5m2")
    page.locator(".lab-share summary").click()
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate(CLIPPED)
    page.get_by_role("button", name="Copy iframe").click()
    until(page, lambda: "<iframe" in page.evaluate(CLIPPED))
    frame = page.evaluate(CLIPPED)
    page.get_by_role("button", name="Copy element").click()
    until(page, lambda: "<cutaway-widget" in page.evaluate(CLIPPED))
    element = page.evaluate(CLIPPED)
    assert f"{learn_url}/learn/bits/?format=float8_e5m2&typed=-0" == link
    assert f'src="{learn_url}/embed/bits/?format=float8_e5m2&amp;typed=-0"' in frame
    assert all(part in frame for part in ('height="', "addEventListener"))
    assert f'<script src="{learn_url}/embed.js" async>' in element
    assert '<cutaway-widget name="bits" state="format=float8_e5m2&amp;typed=-0">' in element


@pytest.mark.turns
def test_nothing_is_cut_off(name, shown):
    """The page never scrolls sideways, wide or narrow."""
    page = shown(name)
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLED)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.turns
def test_axe_finds_nothing(name, shown):
    """No accessibility violation on the page, in the light or, on every second of these pages, in the dark.

    A theme changes contrast alone. Colours are tokens, the same on every page, and the labs' own tests look at them in
    the other theme.
    """
    page = shown(name)
    page.emulate_media(color_scheme=("light", "dark")[NAMES.index(name) // 2 % 2])
    page.evaluate(SETTLED)
    assert violations(page, "all") == []


@pytest.mark.turns
def test_everything_is_reached_by_keyboard(name, shown):
    """Tab walks through the widget's controls and out of it again."""
    page = shown(name)
    page.locator("[data-widget] .cw").evaluate("(root) => { root.tabIndex = -1; root.focus(); }")
    inside = """() => { const a = document.activeElement; const root = document.querySelector('[data-widget] .cw');
      return [root.contains(a), a.tagName, a.getAttribute('aria-label') || a.textContent.slice(0, 30)]; }"""
    seen = []
    for _ in range(150):
        page.keyboard.press("Tab")
        where = page.evaluate(inside)
        if not where[0]:
            break
        seen.append(where[1:])
    assert len(seen) >= 2
    assert not where[0], "the focus never left the widget"


def test_the_app_keeps_address_and_widget_in_step(page, live_url):
    """In the live app a link sets the state, a change enters the address, and back undoes it."""
    page.goto(f"{live_url}/app?learn=bits&format=float8_e5m2&typed=-0&nothing=1")
    widget = page.locator(".cw-bits")
    widget.get_by_text("0x80 · code 128 · zero").wait_for()
    page.get_by_text("which does not exist here").wait_for()
    widget.get_by_role("button", name="Next code").click()
    widget.get_by_text("0x81 · code 129 · subnormal").wait_for()
    page.wait_for_url("**/app?learn=bits&format=float8_e5m2&code=129&typed=")
    page.go_back()
    widget.get_by_text("0x80 · code 128 · zero").wait_for()
