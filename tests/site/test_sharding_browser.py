"""The sharding x-ray of a model's page in Chromium: a number of ranks is chosen, linked, and gone back to."""

from playwright.sync_api import expect

V4 = "/models/deepseek-ai/DeepSeek-V4-Flash/"


def shown(page):
    """The two shares of the stacked experts, as a reader sees them."""
    row = page.locator("#sharding .cuts tr", has_text="mlp.experts.down_proj")
    row.scroll_into_view_if_needed()
    expect(row.locator("td").nth(1)).not_to_have_text("", use_inner_text=True)  # laid out when it comes near
    return [row.locator("td").nth(place).inner_text() for place in (1, 2)]


def test_choosing_ranks_changes_shares_and_address_and_back_restores(page, site_url):
    """Eight at first; two by a click, with the address; back again."""
    page.goto(site_url + V4)
    assert shown(page) == ["1/8", "1/8"]
    page.locator("#sharding").get_by_label("2", exact=True).check()
    assert shown(page) == ["1/2", "1/2"] and page.url.endswith("?tp=2")
    page.locator("#sharding").get_by_label("8", exact=True).check()
    assert "tp=" not in page.url
    page.go_back()
    assert shown(page) == ["1/2", "1/2"]
    page.go_back()
    assert shown(page) == ["1/8", "1/8"]


def test_the_address_opens_the_ranks_and_nonsense_opens_eight(page, site_url):
    """?tp=16 is shown at once and keeps other words of the address; ?tp=7 is nothing."""
    page.goto(site_url + V4 + "?tp=16&x=1#sharding")
    assert shown(page) == ["1/16", "1/16"]
    page.locator("#sharding").get_by_label("4", exact=True).check()
    assert page.url.endswith("?tp=4&x=1#sharding")
    page.goto(site_url + V4 + "?tp=7")
    assert shown(page) == ["1/8", "1/8"]


def test_the_little_matrix_shows_the_share_and_nothing_overflows(page, site_url):
    """The picture's part follows the ranks; on a phone the page does not scroll sideways, and both shares are seen."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(site_url + V4 + "?tp=4")
    part = "getComputedStyle(document.querySelector('.xray')).getPropertyValue('--part')"
    assert page.evaluate(part).strip() == "25%"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    box = page.locator("#sharding .cuts tbody tr").first.locator("td").nth(2).bounding_box()
    assert box["x"] + box["width"] <= 390


def test_the_page_works_without_scripts(browser, site_url):
    """The choice is the browser's own: without JavaScript the shares change all the same."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + V4)
    page.locator("#sharding").get_by_label("16", exact=True).check()
    assert shown(page) == ["1/16", "1/16"]
    context.close()
