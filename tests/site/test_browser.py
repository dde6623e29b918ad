"""The built site in a browser: with and without JavaScript, by mouse and by keyboard, light and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests import accessible
from tests.guarded import guarded

MODEL = "/models/deepseek-ai/DeepSeek-V3/"
PAGES = (
    "/",
    "/models/",
    MODEL,
    "/models/deepseek-ai/DeepSeek-V4-Flash/",
    "/verify/",
    "/config/rope_theta/",
    "/docs/",
    "/docs/api/",
    "/docs/commands/",
    "/docs/json/",
    "/docs/json/plan/",
    "/docs/tutorial/",
    "/404.html",
    "/zh/learn/heads/",
)


@pytest.mark.parametrize("path", [path for path in PAGES if "V4" not in path])
def test_axe_finds_nothing(page, site_url, path, verified):
    """Home, gallery, a model page and the rest have no accessibility violation in either theme.

    The drawing has a test of its own (test_novelty_browser.py), on a page that holds more kinds of parts.
    """
    passed, wrong = 0, []
    page.goto(site_url + path)
    page.locator(".card:nth-child(n + 13), tr:nth-child(n + 13)").evaluate_all(
        "(alike) => alike.forEach((e) => e.remove())"
    )
    for scheme, rules in (("light", accessible.ALL), ("dark", accessible.CONTRAST)):  # a theme changes colours alone
        page.emulate_media(color_scheme=scheme)
        found = accessible.look(page, {"exclude": [["#drawn"]]}, rules)
        passed += found.passed
        wrong += [f"{scheme} {one}" for one in found.wrong]
    assert wrong == []
    verified(f"accessibility of {path}, light and dark", passed, len(wrong), found.engine)


LONG = (
    "/zh/glossary/",
    "/models/moonshotai/Kimi-K3/",
    "/models/stepfun-ai/Step-3.5-Flash/",
)  # names of tensors, sources as one word


COVERED = """() => [...document.querySelectorAll(".top :is(a, button, input, summary)")]
  .filter((one) => one.checkVisibility()).filter((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return top + height < innerHeight && !(one.contains(found) || one.closest("label")?.contains(found));
  }).map((one) => one.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize(
    "path", [*PAGES, *LONG, "/models/?view=table", "/learn/", "/formats/", "/your-model/", "/trends/", "/roofline/"]
)
def test_nothing_is_cut_off(page, site_url, path):
    """No page is wider than its window, and nothing lies over its header: opened on a phone, then made wider.

    At last it has 320 pixels, the width at which WCAG (1.4.10) asks that nothing scrolls sideways.
    """
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site_url + path)
    for width in (390, 900, 1400, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        assert page.evaluate(COVERED) == [], width


# A page, what it is about, and the pixels of a phone's first screen above that.
THINGS = (
    ("/", ".drawn svg", 520), ("/models/", ".card", 380), (MODEL, ".cw-lit svg", 360),
    ("/compare/", ".cmp-verdict", 260),
    ("/models/openai/gpt-oss-20b/", ".cw-lit svg", 320), ("/models/google/gemma-3n-E4B/", ".cw-lit svg", 320),
    ("/compare/?a=openai/gpt-oss-20b&b=Qwen/Qwen3-30B-A3B", ".cmp-verdict", 260), ("/lineage/", ".lin-list", 380),
    ("/trends/", ".t-card", 420), ("/poster/", "[data-sheet]", 420), ("/design/", "#drawing svg", 520),
    ("/learn/", ".learn-group li", 400), ("/learn/heads/", ".beat-figure", 820), ("/learn/bits/", ".beat-figure", 820),
    ("/plan/", ".plan-says h2", 360), ("/glossary/", ".terms dl", 500), ("/verify/", "main table", 560),
    ("/zh/learn/position/", ".beat-figure", 860),
    ("/config/", ".terms dl", 500), ("/config/rope_theta/", ".key-facts", 320), ("/config/layer_types/", "h2", 520),
    ("/docs/", ".docs-body h2", 560), ("/docs/tutorial/", ".docs-body h2", 620), ("/docs/api/", ".docs-body pre", 640),
    ("/docs/commands/", ".docs-body h2", 700), ("/docs/json/", ".docs-body p", 600),
    ("/data/", "main ul", 320), ("/roofline/", "#roofline-plot", 620),
)  # fmt: skip


@pytest.mark.parametrize(("path", "thing", "most"), THINGS)
def test_a_phone_shows_the_thing_itself(page, site_url, path, thing, most):
    """At 390 by 844 the header is one row, what the page is about begins on the first screen, nothing is cut off."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site_url + path)
    expect(page.locator(thing).locator("visible=true").first).to_be_visible()
    assert page.evaluate("document.querySelector('header.frame').offsetHeight") < 64
    first = "[...document.querySelectorAll(thing)].find((one) => one.checkVisibility())"
    assert page.evaluate(f"(thing) => {first}.getBoundingClientRect().top", thing) <= most
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("path", [MODEL, "/verify/", "/data/", "/models/?view=table"])
def test_a_table_that_scrolls_keeps_its_first_column(page, site_url, path):
    """On a phone, where a table is wider than the screen its first column stays in sight, at most half of it wide."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site_url + path)
    moved = page.locator(".scroll").evaluate_all("""(all) => all
      .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 60)
      .map((one) => {
        one.scrollLeft = 60;
        const [box, cell] = [one, one.querySelector("tbody tr > :first-child")].map((e) => e.getBoundingClientRect());
        return [one.scrollLeft, cell.left - box.left, cell.width];
      })""")
    assert moved
    assert [(left, wide) for by, left, wide in moved if by != 60 or abs(left) > 1 or wide > 195] == []


def test_the_models_page_is_short_on_a_phone(page, browser, site_url):
    """It shows forty models and a button for all; find-in-page knows the rest, and without JavaScript all are there."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site_url + "/models/")
    height, every = "document.documentElement.scrollHeight", page.locator(".card").count()
    assert page.evaluate(height) < 12_000
    assert page.locator(".card:not([hidden])").count() == 40
    assert page.locator('.card[hidden="until-found"]').count() == every - 40
    page.click(".facets-box > summary")
    page.check("input[value=mla]")
    assert page.locator(".card:not([hidden])").count() <= 40
    page.click("text=clear")
    page.click(f"text=Show all {every} models")
    assert page.locator(".card:not([hidden])").count() == every
    assert page.locator(".card").nth(40).locator("h2 a").evaluate("link => link === document.activeElement")
    assert page.evaluate(height) < 125 * every
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    plain = context.new_page()
    plain.goto(site_url + "/models/")
    assert plain.locator(".card:visible").count() == every
    context.close()


def test_tab_follows_the_eye_on_a_phone(page, site_url):
    """What is new of a model stands, lit, before its relatives and what one can do; so it does for the Tab key."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site_url + MODEL)
    page.locator("#drawn svg[tabindex]").first.wait_for(state="attached")
    page.evaluate("document.querySelector('.theme').focus()")
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.closest('.cw-lit, .takes')?.className ?? ''"))
    assert [one for one in dict.fromkeys(stops) if one] == ["cw-lit", "takes"]


LABELS = ((MODEL, ".tiles dt", "multiplied with"), ("/compare/", ".cmp-figures dt", "multiplied with"),
          (MODEL, ".news .pill", "by date"), (MODEL, "#parameters .kinds th span", "one such layer"),
          ("/plan/", "[data-at=fold-split]", "Tensor parallelism"))  # fmt: skip


@pytest.mark.parametrize(("path", "label", "words"), LABELS)
def test_a_short_label_says_what_it_means(browser, site_url, path, label, words):
    """By tap, by hover, by focus, and to a screen reader; Escape shuts it."""
    with guarded(browser, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        page.goto(site_url + path)
        page.locator(".cmp-list, [data-plan][data-ready], #drawn svg[tabindex]").first.wait_for(state="attached")
        page.locator("h1").first.dispatch_event("pointerover")
        one = page.locator(f"{label}[data-label-says]").nth(1 if label.endswith("dt") else 0)
        one.tap()
        box = page.locator("body > .label-tip")
        expect(box).to_contain_text(words)
        expect(box).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
        expect(box).to_be_hidden()
        one.hover(position={"x": 3, "y": 3})
        one.focus()
        expect(box).to_be_visible()
        assert words in one.get_attribute("aria-description")


def test_a_page_asks_its_own_host_alone(browser, site_url):
    """Everything a model page loads comes from the site, and nothing is missing."""
    answers = []
    with guarded(browser) as page:  # one that has nothing in its cache, which would answer in the site's place
        page.on("response", lambda answer: answers.append((answer.status, answer.url)))
        page.goto(site_url + MODEL, wait_until="networkidle")
    assert len(answers) > 5
    assert [url for status, url in answers if status != 200 or not url.startswith(site_url)] == []


def test_the_policy_of_the_page_is_strict_and_kept(page, site_url):
    """The page's own Content-Security-Policy refuses inline code but for one script, and the page breaks none of it."""
    broken = []
    page.on("console", lambda message: broken.append(message.text) if message.type == "error" else None)
    page.goto(site_url + "/models/")
    policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
    assert "unsafe" not in policy and "default-src 'none'" in policy and policy.count("sha256-") == 1
    page.click("text=Table")
    assert broken == []


# ---------------------------------------------------------------- without JavaScript


def test_without_javascript_everything_is_there_to_read(browser, site_url):
    """Drawing, facts, tables and every card are in the HTML; controls that need code are not shown."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(site_url + "/models/")
    assert page.locator(".card").count() > 100
    assert page.locator(".card").first.is_visible()
    assert not page.locator("#sort").is_visible()
    page.goto(site_url + MODEL)
    assert page.locator(".cw-figure svg.cf-wide").is_visible()
    assert "671,026,4" in page.text_content("#parameters")
    assert "9.2 GB" in page.text_content("#cache")
    assert not page.locator(".theme").is_visible()
    context.close()


# ---------------------------------------------------------------- the theme


def test_the_button_turns_the_lights_out_and_the_choice_is_kept(page, site_url):
    """◐ changes the theme, the next page opens in it, and nothing flashes in the other colour on the way."""
    page.goto(site_url + "/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.click(".theme")
    dark = page.evaluate(paper)
    assert dark != light
    page.goto(site_url + MODEL, wait_until="commit")
    page.wait_for_selector("body")
    assert page.evaluate(paper) == dark
    expect(page.locator(".theme")).to_have_attribute("aria-label", "Switch to the light theme")


def test_a_stored_theme_that_there_is_none_of_is_ignored(page, site_url):
    """Only dark and light are themes; anything else that stands in the reader's storage changes nothing."""
    page.goto(site_url + "/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.evaluate("localStorage.setItem('theme', '\"><b>')")
    page.reload()
    assert page.locator("html").get_attribute("data-theme") is None
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light
    assert page.locator("html.js").count() == 1


def test_without_a_choice_the_system_decides(page, site_url):
    """The theme follows prefers-color-scheme until somebody presses the button."""
    page.goto(site_url + "/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


# ---------------------------------------------------------------- the gallery


def test_the_skip_link_is_the_first_stop(page, site_url):
    """One Tab from the top reaches a link to the content."""
    page.goto(site_url + "/models/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"


def shown(page) -> int:
    return page.locator(".card:visible").count()


def test_facets_narrow_and_the_address_keeps_them(page, site_url):
    """Ticked facets filter (any within a group, all between groups), and back, forward and reload restore them."""
    page.goto(site_url + "/models/")
    everything = shown(page)
    page.check("input[value=mla]")
    latent = shown(page)
    assert latent == int(page.inner_text("label:has(input[value=mla]) .count"))
    assert page.url.endswith("?mixer=mla")
    page.check("input[value=delta]")
    both = shown(page)
    assert latent < both < everything
    page.check("input[value=dense]")
    assert shown(page) < both
    page.go_back()
    assert shown(page) == both
    assert not page.is_checked("input[value=dense]")
    page.reload()
    assert (shown(page), page.is_checked("input[value=delta]")) == (both, True)
    page.click("text=MLA ×")
    page.click("text=clear")
    assert shown(page) == everything
    assert "?" not in page.url


def test_sorting_orders_the_cards(page, site_url):
    """Most parameters first puts the largest number first."""
    page.goto(site_url + "/models/?sort=-parameters")
    units = {"T": 1e12, "B": 1e9, "M": 1e6}
    texts = page.locator(".card dd:first-of-type").evaluate_all(
        "nodes => nodes.filter((n, i) => i % 4 === 0).map(n => n.textContent)"
    )
    numbers = [float(text.split()[0]) * units[text.split()[1]] for text in texts]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) > 100


def test_the_order_of_the_build_is_the_latest_first(page, site_url):
    """After another order, going back puts the cards as the build had put them."""
    links = "() => [...document.querySelectorAll('.card h2 a')].map((a) => a.getAttribute('href'))"
    page.goto(site_url + "/models/")
    built = page.evaluate(links)
    page.select_option("#sort", "name")
    by_name = page.evaluate(links)
    assert by_name != built and sorted(by_name) == sorted(built)
    page.go_back()
    assert page.evaluate(links) == built


def test_a_card_is_found_by_its_own_words(page, site_url):
    """What a card says beside its name finds it, though no index knows the word."""
    page.goto(site_url + "/models/")
    marked = page.locator(".card", has_text="reconstructed").count()
    page.fill(".search input", "reconstructed")
    expect(page.locator(".shown")).to_contain_text(f"{marked} of ")
    assert shown(page) == page.locator(".card:visible", has_text="reconstructed").count() == marked > 10


def test_the_table_shows_the_same_models(page, site_url):
    """The table has a row for each card that passes, and its heads sort both ways."""
    page.goto(site_url + "/models/?mixer=delta&view=table")
    rows = page.locator(".models-table tbody tr")
    assert rows.count() == int(page.inner_text(".shown").split()[0]) > 3
    page.click("th[data-key=layers] button")
    most = rows.first.inner_text()
    page.click("th[data-key=layers] button")
    assert rows.last.inner_text() == most
    assert page.locator("th[data-key=layers]").get_attribute("aria-sort") == "ascending"


def test_typing_filters_cards_and_a_broken_address_is_forgiven(page, site_url):
    """The search box narrows the gallery in place; unknown facets and orders in the address are ignored."""
    page.goto(site_url + "/models/?mixer=nonsense&sort=%3Cb%3E&view=plot&q=gemma")
    assert 0 < shown(page) < 20
    page.fill(".search input", "zzzz")
    assert page.locator(".nothing").is_visible()
    assert shown(page) == 0


def test_home_changes_its_drawing(page, site_url):
    """A button brings another model's drawing without leaving the page."""
    page.goto(site_url + "/")
    first = page.locator(".drawn svg").first.get_attribute("aria-label")
    page.click("[data-pick]:nth-of-type(2)")
    page.wait_for_selector("[data-pick]:nth-of-type(2)[aria-current]")
    assert page.locator(".drawn svg").first.get_attribute("aria-label") != first
    assert page.url == site_url + "/"


def test_the_snippets_name_the_address_the_page_came_from(page, site_url):
    """What a reader copies into a blog points at this very site, and what it points at is there."""
    page.goto(site_url + MODEL)
    texts = page.locator("[data-snippet]").evaluate_all("(all) => all.map((one) => one.value)")
    sources = [re.search(r' src="([^"]*)"', text)[1] for text in texts]
    slug = MODEL.removeprefix("/models/")
    expected = [MODEL + "drawing.svg", "/embed.js", f"/embed/model/{slug}", "/embed.js", f"/embed/cache/{slug}"]
    assert sources == [site_url + path for path in expected]
    kinds = [page.request.get(one).headers["content-type"].split(";")[0].split("/")[1] for one in sources]
    assert kinds == ["svg+xml", "javascript", "html", "javascript", "html"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#use .copy button").nth(3).click()
    page.locator("#use").get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == texts[3]
