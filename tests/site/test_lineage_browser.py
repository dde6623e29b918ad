"""/lineage/ in a browser: the script's places are the page's, dates and lanes filter, keys walk, phones get a list."""

import pytest
from playwright.sync_api import expect

from tests import accessible

PLACES = """() => [[...document.querySelectorAll(".lin-node:not(.off)")].map((el) => el.getAttribute("transform")),
  [...document.querySelectorAll(".lin-lines path:not(.off)")].map((el) => el.getAttribute("d").replaceAll(".0", ""))]"""
MEET = """() => {
  const seen = [...document.querySelectorAll(".lin-node:not(.off) .lin-name, .lin-node:not(.off) .lin-tag")];
  const boxes = seen.map((el) => [el.textContent, el.getBBox(), el.parentNode.transform.baseVal[0].matrix]);
  const apart = ([, a, m], [, b, n]) => a.x + m.e >= b.x + n.e + b.width || b.x + n.e >= a.x + m.e + a.width
    || a.y + m.f >= b.y + n.f + b.height - 3 || b.y + n.f >= a.y + m.f + a.height - 3;
  return boxes.flatMap((one, i) =>
    boxes.slice(i + 1).filter((other) => !apart(one, other)).map((other) => [one[0], other[0]]));
}"""


@pytest.fixture
def opened(page, site_url):
    """opened(query): the page at an address."""

    def go(query: str = ""):
        page.goto(f"{site_url}/lineage/{query}")
        expect(page.locator('.lin-node[tabindex="0"]')).to_have_count(1)
        return page

    return go


def test_the_script_puts_everything_where_the_page_had_it(browser, site_url, opened):
    """Points and lines of the whole span are the same with and without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"{site_url}/lineage/")
    before = still.evaluate(PLACES)
    assert still.locator(".lin-list li").count() == len(before[0]) > 100
    assert not still.locator(".lin-brush").is_visible()
    context.close()
    after = opened().evaluate(PLACES)
    assert [[one.replace(".0", "") for one in side] for side in before] == [
        [one.replace(".0", "") for one in side] for side in after
    ]


def test_fewer_dates_and_one_lane(opened):
    """The address filters; lanes without a model close; labels still meet nobody; All brings everything back."""
    page = opened("?from=2025-06&to=2026-03")
    assert page.evaluate(MEET) == []
    assert page.locator(".lin-list li:not(.off)").count() == page.locator(".lin-node:not(.off)").count() < 80
    page = opened("?lane=sparse")
    assert page.locator(".lin-ground:not(.off)").count() == 1
    page.get_by_role("button", name="All").click()
    assert page.locator(".lin-ground:not(.off)").count() == 7
    assert "?" not in page.url
    page.locator("[data-from]").fill("12")
    assert "from=2024-04" in page.url
    page.go_back()
    assert page.evaluate(MEET) == []


def test_a_model_shows_its_way_and_keys_walk_it(opened):
    """Focus lights the path to the oldest; left is the relative, right a descendant; nonsense is left."""
    page = opened("?at=moonshotai/Kimi-K3&from=never&lane=nine")
    card = page.locator(".lin-card")
    expect(card).to_contain_text("Kimi Linear 48B-A3B")
    assert page.locator(".lin-node.on").count() == card.locator("li").count() > 6
    page.locator('.lin-node[tabindex="0"]').focus()
    page.keyboard.press("ArrowLeft")
    assert "at=moonshotai/Kimi-Linear-48B-A3B" in page.url
    page.keyboard.press("ArrowRight")
    assert "at=moonshotai/Kimi-K3" in page.url
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_phones_get_a_list_and_axe_is_content(opened):
    """Nothing scrolls sideways; the drawing gives way; no violation at either width."""
    page = opened()
    assert accessible.look(page).wrong == []
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator("svg.lin")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(page.locator(".lin-list li").first).to_be_visible()
