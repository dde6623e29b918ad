"""/roofline/: a Bokeh figure from our own files, with the numbers of Python's work sheet and a state in the address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from cutaway.app.learn import page as learn
from cutaway.app.roofline import section as roofline
from cutaway.app.site import Site
from cutaway.app.site.pages import STRICT
from cutaway.app.weigh.words import State
from cutaway.gallery.planning.devices import DEVICES
from tests import accessible
from tests.guarded import until
from tests.served import served
from tests.site import roofline_rows
from tests.site.weighed import write

V3, OSS = "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-120b"


@pytest.fixture(scope="module")
def plotted(tmp_path_factory) -> str:
    """The address of a site with the page and the sheets of two models."""
    out = tmp_path_factory.mktemp("plotted")
    site = write(out, (V3, OSS))
    for one in learn.explainer_pages(site, "roofline"):
        path = out / (one.path.lstrip("/") + ("index.html" if one.path.endswith("/") else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.content())
    for slug in (V3, OSS):  # a model's roofline leads to the explainer, with its numbers
        assert f"learn/roofline/?model={slug}" in (out / "models" / slug / "index.html").read_text()
    with served(out) as url:
        yield url


@pytest.fixture
def drawn(page, plotted):
    """drawn(query): the page with its figure."""

    def open_(query: str = ""):
        page.goto(f"{plotted}/roofline/{query}")
        page.wait_for_selector("[data-plot][data-ready]", timeout=60_000)
        return page

    return open_


DOTS = """() => Object.fromEntries(["decode", "prefill", "roof"].map((name) => {
  const found = [...Bokeh.documents].map((doc) => doc.get_model_by_name(name)).find(Boolean);
  return [name, Object.fromEntries(Object.entries(found.data).map(([key, values]) => [key, [...values]]))];
}))"""


@pytest.mark.parametrize(("slug", "query", "state"), [
    (V3, "", State()), (OSS, "?m=openai/gpt-oss-120b&ctx=8k&batch=64&kv=fp8&gpu=l40s&gpus=4",
                        State(8192, 64, "fp8", "l40s", 4)),
])  # fmt: skip
def test_dots_lie_where_python_puts_them(drawn, slug, query, state):
    """Intensity and names of both jobs are those of the work sheet; the roof is the device's."""
    page = drawn(query)
    found, told = page.evaluate(DOTS), roofline.sheet(Site().view(slug))
    for job in ("decode", "prefill"):
        rows = [one for one in roofline_rows.rows(told, state, job == "prefill") if one.flops]
        assert found[job]["x"] == pytest.approx([one.intensity for one in rows], rel=1e-9)
        assert [name.split(" × ")[-1] for name in found[job]["name"]] == [one.name for one in rows]
        assert found[job]["binds"] == [roofline_rows.BINDS[one.binds] for one in rows]
    peaks = DEVICES[state.gpu].peaks
    top, low = peaks["bfloat16" if slug == OSS else "fp8"], peaks["bfloat16"]  # MXFP4 weights alone run in 16 bits
    roofs = [state.gpus * peak for peak in dict.fromkeys((top, low)) for _ in range(2)]
    assert [y for y in found["roof"]["y"][1:] if y == y] == roofs
    decode = roofline_rows.rows(told, state, False)
    assert roofline_rows.misses(page.locator('[data-at="says"]').inner_text(), decode, state, False) == []


def test_controls_change_the_figure_and_the_address_and_back_restores(drawn):
    """A model, a batch, a context that is none; back."""
    page = drawn()
    page.select_option("[name=m]", OSS)
    expect(page.locator("h1")).to_have_text("Roofline: GPT-OSS 120B")
    page.fill("[name=batch]", "32")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?m=openai/gpt-oss-120b&batch=32$"))
    page.fill("[name=ctx]", "none")
    page.keyboard.press("Enter")
    expect(page.locator('[data-at="error"]')).to_contain_text("A context is a whole number")
    page.go_back()
    page.go_back()
    expect(page.locator("h1")).to_have_text("Roofline: DeepSeek V3")


def test_an_address_with_an_unknown_model_or_device_is_told(drawn):
    """The first model on the usual device is shown, with a sentence on what was asked for; choosing removes it."""
    page = drawn("?m=nobody/nothing&gpu=h900")
    expect(page.locator("h1")).to_have_text("Roofline: DeepSeek V3")
    said = "“nobody/nothing” in the address is no model of this page. “h900” in the address is no device of this page."
    expect(page.locator('[data-at="error"]')).to_have_text(said)
    page.select_option("[name=m]", OSS)
    expect(page.locator('[data-at="error"]')).to_be_hidden()


def test_its_policy_is_that_of_every_page(drawn):
    """Bokeh's style elements become sheets that shadow roots adopt; nothing is refused, and the figure has its size."""
    page = drawn()
    assert page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content") == STRICT
    assert page.locator("#roofline-plot canvas").count() > 0
    assert page.locator("#roofline-plot").bounding_box()["height"] == 520
    count = "() => [...document.querySelectorAll('#roofline-plot *')].filter((one) => one.shadowRoot)"
    count += (
        ".map((one) => [one.shadowRoot.adoptedStyleSheets.length, one.shadowRoot.querySelectorAll('style').length])"
    )
    found = page.evaluate(count)
    assert found and all(adopted > 0 == written for adopted, written in found)


def test_a_phone_and_both_themes(drawn, verified):
    """390 pixels wide nothing scrolls sideways; axe finds nothing around the figure; the theme's button repaints."""
    page, wrong, passed = drawn(), [], 0
    page.set_viewport_size({"width": 390, "height": 800})
    until(page, lambda: page.evaluate("document.documentElement.scrollWidth") <= 390)  # Bokeh follows in its own time
    for _ in range(2):
        page.click(".theme")
        found = accessible.look(page, {"exclude": [["#roofline-plot"]]})
        passed += found.passed
        wrong += found.wrong
    assert wrong == []
    verified("accessibility of /roofline/ outside the plot", passed, len(wrong), found.engine)


def test_the_explainer_opens_the_plot_when_asked_and_leads_it_along(page, plotted):
    """/learn/roofline/ asks for Bokeh when its plot is opened, in a frame without controls that follows the lab."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{plotted}/learn/roofline/?model={OSS}&batch=64")
    page.locator("[data-widget]").scroll_into_view_if_needed()
    page.wait_for_selector("[data-widget][data-ready]")
    assert not any("bokeh" in url for url in asked)
    page.locator(".cw-roofline-plot summary").click()
    frame = page.frame_locator(".cw-roofline-plot iframe")
    frame.locator("[data-plot][data-ready]").wait_for(timeout=60_000)
    assert frame.locator("form:visible, header:visible, h1:visible").count() == 0
    says = frame.locator('[data-at="says"]')
    told = roofline.sheet(Site().view(OSS))
    until(page, lambda: not missed(says, told, State(8192, 64, "bf16", "h100_sxm", 1)))
    page.locator("[data-widget]").get_by_label("device", exact=True).select_option("l40s")
    until(page, lambda: not missed(says, told, State(8192, 64, "bf16", "l40s", 1)))
    page.goto(f"{plotted}/roofline/?m={OSS}")
    expect(page.locator("[data-learn]")).to_have_attribute("href", re.compile(rf"learn/roofline/\?model={OSS}$"))


def missed(says, told, state: State) -> list[str]:
    return roofline_rows.misses(says.inner_text(), roofline_rows.rows(told, state, False), state, False)
