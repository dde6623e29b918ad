"""The top of a model's page in a browser: numbers and list lead to each other, the switch, the address, keys, print."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests import accessible
from tests.guarded import until

NEXT = "Qwen/Qwen3-Next-80B-A3B-Instruct"
V4 = "deepseek-ai/DeepSeek-V4-Flash"
UNDATED = "Zyphra/Zamba2-1.2B"
FETCHED = "performance.getEntriesByType('resource').some(one => one.name.includes('novelty.js'))"
SHOWN = ".cw-lit > svg:visible .f-discs"


@pytest.fixture
def model(page, site_url):
    """Open a model's page: model(slug, "?marks=0")."""

    def opened(slug: str = NEXT, rest: str = "", width: int = 1400, height: int = 900):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{site_url}/models/{slug}/{rest}")
        page.locator(".kin").first.hover()  # which fetches the script
        until(page, lambda: page.evaluate(FETCHED))
        return page

    return opened


@pytest.mark.parametrize(("slug", "width"), [(V4, 1400), (UNDATED, 390)])
def test_axe_finds_nothing(model, slug, width):
    """Neither wide nor narrow, light nor dark, with both explanations open: above the drawing and on it."""
    page = model(slug, width=width)
    for closed in page.locator(".news-more summary").all():
        closed.click()
    for scheme, rules in (("light", accessible.ALL), ("dark", accessible.CONTRAST)):
        page.emulate_media(color_scheme=scheme)
        assert accessible.look(page, [".model-top"], rules).wrong == []


@pytest.mark.parametrize("width", [1400, 800, 390])
def test_numbers_and_rows_lead_to_each_other(model, width):
    """A row's number goes to its disc in the drawing that is shown; the disc's link goes to the row, which is lit."""
    page = model(width=width)
    page.click('.news [data-mark="4"]')
    disc = page.locator(f'{SHOWN} [href="#new-4"]').first
    expect(disc).to_be_focused()
    expect(disc).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("Enter")
    assert page.url.endswith("#new-4")
    expect(page.locator("#new-4")).to_be_in_viewport(ratio=1)
    lit = page.eval_on_selector(f'{SHOWN} [href="#new-4"] circle', "one => getComputedStyle(one).fill")
    other = page.eval_on_selector(f'{SHOWN} [href="#new-1"] circle', "one => getComputedStyle(one).fill")
    assert lit != other


def test_an_address_lights_its_row_and_its_numbers(model):
    """#new-2 opens with the row in view and its discs in another colour."""
    page = model(rest="#new-2")
    page.mouse.move(0, 0)  # a disc under the pointer has that colour, too
    assert page.evaluate("document.querySelector('#new-2').matches(':target')")
    fill = "one => getComputedStyle(one).fill"
    colours = {n: page.eval_on_selector(f'{SHOWN} [href="#new-{n}"] circle', fill) for n in (1, 2)}
    assert colours[1] != colours[2]


def test_the_switch_is_kept_in_the_address_and_remembered(model):
    """Off: no number is drawn, ?marks=0, also on the next page and after back and forward; on: as at first."""
    page = model()
    page.evaluate("history.replaceState(null, '', '?ctx=4096#new-1')")
    discs, box = page.locator(f"{SHOWN} a"), page.get_by_label("numbers on the drawing")
    many = discs.count()
    box.uncheck()
    assert page.url.endswith("/?ctx=4096&marks=0#new-1")
    expect(page.locator(SHOWN)).to_be_hidden()
    page.go_back()
    expect(box).to_be_checked()
    page.go_forward()
    expect(box).not_to_be_checked()
    page = model(V4)
    expect(page.get_by_label("numbers on the drawing")).not_to_be_checked()
    expect(page.locator(SHOWN)).to_be_hidden()
    page = model(V4, "?marks=1")
    expect(page.locator(SHOWN)).to_be_visible()
    page = model()
    page.get_by_label("numbers on the drawing").check()
    assert page.url.endswith("?marks=1")
    page = model()
    assert page.url.endswith(f"{NEXT}/")
    assert page.locator(f"{SHOWN} a").count() == many


def test_a_row_shows_a_number_that_is_hidden(model):
    """Who asks where a number stands sees it, also with the switch off."""
    page = model(rest="?marks=0")
    page.click('.news [data-mark="1"]')
    expect(page.locator(f'{SHOWN} [href="#new-1"]').first).to_be_focused()


def test_by_keyboard_alone(model):
    """Tab goes through sentence, lit drawing, relatives and list; a number is one stop, in the lit drawing."""
    page = model()
    page.locator(".told .disc").first.focus()
    stops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("document.activeElement.closest('.f-discs') ? document.activeElement.textContent : ''")
        )
    drawn = [stop for stop in stops if stop in set("123456")]
    assert drawn == ["1", "2", "3", "4"]
    page.get_by_text("How “new” is decided").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("A rule decides, from the configs.")).to_be_visible()


def test_without_a_script_all_is_there(browser, site_url):
    """Tagline, relatives, list and numbers; links both ways; the switch works, too."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(f"{site_url}/models/{NEXT}/")
    expect(page.locator(".tagline")).to_be_visible()
    expect(page.locator(".news li")).to_have_count(4)
    assert sorted(set(page.locator(f"{SHOWN} a").all_text_contents())) == list("1234")
    page.get_by_label("numbers on the drawing").uncheck()
    expect(page.locator(SHOWN)).to_be_hidden()
    page.get_by_label("numbers on the drawing").check()
    page.locator(f'{SHOWN} [href="#new-4"]').first.click()
    assert page.url.endswith("#new-4")
    page.click('.news [data-mark="1"]')
    assert page.url.endswith("#drawn")
    context.close()


def test_print_shows_it(model):
    """Tagline, list and numbers are on paper; the switch and the explanations are not."""
    page = model()
    page.emulate_media(media="print")
    for selector in (".tagline", ".news li", ".descent", SHOWN):
        expect(page.locator(selector).first).to_be_visible()
    expect(page.locator(".news-more")).to_be_hidden()


@pytest.mark.parametrize("slug", [NEXT, V4, UNDATED])
def test_a_phone_shows_the_tagline_first(model, slug):
    """At 390 by 844 the bold sentence is on the first screen, and nothing is wider than the screen."""
    page = model(slug, width=390, height=844)
    page.evaluate("scrollTo(0, 0)")  # the relatives, which were pointed at, stand below the drawing
    expect(page.locator(".tagline strong")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_a_screen_reader_hears_of_a_number(model):
    """Each lit disc is a link with its word and its pill; the drawing beside it is one image, as the whole one is."""
    page = model()
    names = page.locator(f"{SHOWN} a").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert names[0] == "New 1, Gated DeltaNet, first in the catalogue."
    for drawing in (".cw-lit", ".cw-figure"):
        expect(page.locator(f"{drawing} > svg:visible > [role=img]")).to_have_count(1)
