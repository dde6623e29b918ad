"""From the workbench to the planner: a pasted config stays in the reader's browser, a catalogued one is there."""

from __future__ import annotations

import html
import json
import re

from playwright.sync_api import expect

from cutaway.app.render import job as render_job
from cutaway.app.render.job import Request
from cutaway.gallery import catalog, read
from cutaway.gallery.planning.planner_model import make_planner_model
from tests.gallery.fake_hub import CONFIG


def test_a_drawn_config_carries_its_sheet():
    """The result's link names the sheet by its own hash and hands it over whole."""
    config = catalog.load("openai/gpt-oss-20b")
    made = render_job.draw(Request(config, "Mine", "pasted"))
    link = re.search(r'<a href="plan/\?m=(local:[0-9a-f]{12})" data-plan="([^"]*)">', made.html["result"])
    kept = json.loads(html.unescape(link[2]))
    assert kept["sheet"] == json.loads(json.dumps(make_planner_model(read(config))))
    assert kept["title"] == "Mine"
    assert render_job.to_plan(None, "/models/openai/gpt-oss-20b/") == ("/plan/?m=openai/gpt-oss-20b", "")


def test_a_config_without_a_sheet_has_no_link():
    """What can be drawn and not be planned is drawn all the same, without a way to the planner."""
    assert render_job.to_plan(object()) == ("", "")


def test_a_pasted_config_is_planned_in_the_same_browser(page, live_url):
    """Paste, press: the planner opens with the pasted model, fits it, and finds it again after a reload."""
    page.goto(f"{live_url}/app")
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    page.click(".paste summary")
    page.fill("#pasted", json.dumps(CONFIG))
    page.click("#read")
    link = page.locator("#result a[data-plan]")
    expect(link).to_be_visible(timeout=30_000)
    link.click()
    page.wait_for_selector("[data-plan][data-ready]")
    expect(page.locator('[data-at="sub"]')).to_contain_text("Your config")
    expect(page.locator('[data-at="verdict"]')).to_contain_text("Fits")
    assert "m=local:" in page.url
    page.fill("#in-context", "4096")
    page.press("#in-context", "Enter")
    page.reload()
    page.wait_for_selector("[data-plan][data-ready]")
    expect(page.locator('[data-at="sub"]')).to_contain_text("Your config")
    assert page.input_value("#in-context") == "4,096"
