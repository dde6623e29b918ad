"""Embeds in a stranger's page: nothing is cut off and nothing scrolls, with scripts or without, whatever the policy."""

from __future__ import annotations

import html
import json
import re

import pytest

from cutaway import explainers
from cutaway.app.embed import frames as embeds
from cutaway.app.embed import page as pages
from cutaway.app.site import Site
from cutaway.gallery import catalog
from tests.guarded import until
from tests.site.strangers import WIDTHS, blog, fits, frames, post
from tests.tally import Tally

NAMES = explainers.names()
MODEL = "deepseek-ai/DeepSeek-V3"
MOST_EMPTY = 0.35  # of a frame's height, where no script may fit it; the average is held to a tenth


def all_embeds(site=None) -> list[embeds.Embed]:
    site = site or Site()
    view = site.view(MODEL)
    return [*(pages.of_explainer(name) for name in NAMES), pages.drawing(view), pages.cache_curve(view)]


def origin(site_url: str) -> str:
    return "/".join(site_url.split("/")[:3])


def posts(text: str) -> str:
    """A snippet as it is pasted, but loaded at once: the test looks at all frames."""
    return text.replace('loading="lazy"', "")


def test_elements_fit_under_a_strict_policy(page, site_url, verified):
    """<cutaway-widget> from another origin is as tall as its content at eight widths; scripts and frames suffice."""
    body = "".join(embeds.element(one, f"{site_url}/embed.js") for one in all_embeds())
    policy = f"default-src 'none'; script-src {origin(site_url)}; frame-src {origin(site_url)}"
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    with blog({"/": post(body)}, policy) as url:
        page.goto(url)
        page.evaluate("customElements.whenDefined('cutaway-widget').then(() => null)")
        page.evaluate("for (const one of document.querySelectorAll('cutaway-widget')) one.frame.loading = 'eager'")
        found = {width: fits(page, width, len(NAMES) + 2) for width in WIDTHS}
        titles = page.evaluate("[...document.querySelectorAll('cutaway-widget')].map((one) => one.frame.title)")
    tally = Tally()
    for apart in found.values():
        tally.add(len(NAMES) + 2, apart)
    assert titles[: len(NAMES)] == [explainers.load(name).title for name in NAMES]
    assert all(titles)
    assert [text for text in refused if "favicon" not in text] == []
    verified("embeds whose height fits their content", tally, against="Chromium")


def test_copied_frames_fit(page, site_url):
    """The snippet as it is copied, iframe and listener, does the same."""
    body = "".join(posts(embeds.snippet(one, site_url + one.path)) for one in all_embeds())
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-src {origin(site_url)}"
    with blog({"/": post(body)}, policy) as url:
        page.goto(url)
        found = {width: fits(page, width, len(NAMES) + 2) for width in (320, 800, 1200)}
    assert {width: one for width, one in found.items() if one} == {}


def test_without_scripts_a_frame_is_tall_enough_and_not_much_taller(page, site_url):
    """A page that runs no script shows every embed whole, at most a third of a frame left empty."""
    body = "".join(posts(embeds.frame(one, site_url + one.path)) for one in all_embeds())
    policy = f"default-src 'none'; style-src 'unsafe-inline'; frame-src {origin(site_url)}"
    shares = []
    with blog({"/": post(body)}, policy) as url:
        page.goto(url)
        for width in WIDTHS[::2]:
            assert fits(page, width, len(NAMES) + 2) == {}, width
            found = frames(page)
            empty = {name: 1 - one["content"] / one["height"] for name, one in found.items()}
            assert {name: round(share, 2) for name, share in empty.items() if share > MOST_EMPTY} == {}, width
            shares += empty.values()
    assert sum(shares) / len(shares) < 0.1


def test_without_scripts_and_styles_the_declared_width_has_the_right_height(page, site_url):
    """Where the policy refuses even a style attribute, width and height stand as attributes, and nothing is cut."""
    body = "".join(posts(embeds.frame(one, site_url + one.path)) for one in all_embeds())
    with blog({"/": post(body)}, f"default-src 'none'; frame-src {origin(site_url)}") as url:
        page.goto(url)
        assert fits(page, 400, len(NAMES) + 2) == {}
        assert {one["width"] for one in frames(page).values()} == {embeds.DECLARED}


CHANGE = """async (attributes) => {
  const one = document.querySelector("cutaway-widget");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) one.removeAttribute(key); else one.setAttribute(key, value);
  }
  await null;
  return one.shadowRoot.querySelector("iframe")?.src ?? one.shadowRoot.textContent;
}"""


def test_an_element_follows_its_attributes(page, site_url):
    """Another state, name or model shows at once, and moving it keeps it; what is no widget is a sentence."""
    names = {"widget": '<cutaway-widget name="bits" state="typed=0.1" title="Bits of a tenth"></cutaway-widget>'}
    body = f'{names["widget"]}<script src="{site_url}/embed.js"></script>'
    with blog(
        {"/": post(body)}, f"default-src 'none'; script-src {origin(site_url)}; frame-src {origin(site_url)}"
    ) as url:
        page.goto(url)
        page.evaluate("customElements.whenDefined('cutaway-widget').then(() => null)")

        def change(**attributes: str | None) -> str:
            return page.evaluate(CHANGE, attributes)

        home = f"{site_url}/embed"
        assert page.locator("iframe").get_attribute("title") == "Bits of a tenth"
        assert change() == f"{home}/bits/?typed=0.1"
        assert change(state="?typed=2", theme="dark") == f"{home}/bits/?typed=2&theme=dark"
        page.frame_locator("iframe").locator("html[data-theme=dark] [data-ready]").wait_for()
        assert change(name="heads", state=None, theme=None) == f"{home}/heads/"
        assert "There is no Cutaway widget “nothing”" in change(name="nothing")
        assert "There is no Cutaway widget “constructor”" in change(name="constructor")
        assert "is not a model's name" in change(model="../../evil")
        assert change(model=MODEL, title=None) == f"{home}/model/{MODEL}/"
        assert page.locator("iframe").get_attribute("title") == MODEL
        assert change(show="cache") == f"{home}/cache/{MODEL}/"
        page.frame_locator("iframe").locator("svg:visible").wait_for()
        page.evaluate("const one = document.querySelector('cutaway-widget'); one.remove(); document.body.prepend(one)")
        page.frame_locator("iframe").locator("svg:visible").wait_for()


FORGED = """async () => {
  const frame = document.querySelector("iframe");
  const before = frame.style.height;
  for (const height of [9, 1e9, "12", -4, NaN]) postMessage({ cutaway: "bits", height }, "*");
  for (const data of [null, "x", { height: 9 }, { cutaway: "bits" }]) postMessage(data, "*");
  await new Promise((done) => setTimeout(done, 200));
  return [before, frame.style.height];
}"""


def test_only_the_frame_itself_is_believed(page, site_url):
    """A message that says it is Cutaway's, but comes from another window, changes no height."""
    one = pages.of_explainer("bits")
    body = posts(embeds.snippet(one, site_url + one.path))
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-src {origin(site_url)}"
    with blog({"/": post(body)}, policy) as url:
        page.goto(url)
        assert fits(page, 700, 1) == {}
        until(page, lambda: re.fullmatch(r"[\d.]+px", page.evaluate("document.querySelector('iframe').style.height")))
        before, after = page.evaluate(FORGED)
    assert before == after != ""


def test_a_listener_that_comes_late_may_ask(page, site_url):
    """A page whose script starts after the frame asks for the height, and is told."""
    one = pages.of_explainer("pipeline")
    body = posts(embeds.frame(one, site_url + one.path))
    with blog({"/": post(body)}, f"frame-src {origin(site_url)}; script-src 'unsafe-eval'") as url:
        page.goto(url)
        assert fits(page, 700, 1) == {}
        told = page.evaluate(
            """() => new Promise((done) => {
              addEventListener("message", ({ data }) => done(data));
              document.querySelector("iframe").contentWindow.postMessage({ cutaway: "height" }, "*");
            })"""
        )
    assert told == {"cutaway": "pipeline", "height": told["height"]}
    assert told["height"] > 900


@pytest.mark.parametrize("width", [*WIDTHS, 331.5, 100, 5000])
def test_the_css_says_the_same_height(width):
    """The sum of clamps that a snippet carries is the table's height at every width."""
    for one in all_embeds():
        assert evaluated(embeds.css(one.heights), width) == pytest.approx(one.height(width), abs=1)


def evaluated(css: str, width: float) -> float:
    """CSS arithmetic in Python."""
    text = css.removeprefix("calc").replace("100cqw", str(width)).replace("px", "")
    return eval(text, {"clamp": lambda low, x, high: min(max(low, x), high)})  # our own text


def test_a_snippet_is_short_and_escapes_its_words():
    """The listener has at most ten lines; a title with quotes and brackets stays one attribute."""
    assert len(embeds.LISTENER.splitlines()) <= 10
    odd = embeds.Embed("/embed/x/", 'a "b" <c>', ((320, 100), (900, 50)), (("name", 'x"'),))
    assert 'title="a &quot;b&quot; &lt;c&gt;"' in embeds.snippet(odd, "x?a=1&b=2")
    assert 'src="x?a=1&amp;b=2"' in embeds.snippet(odd, "x?a=1&b=2")
    assert '<cutaway-widget name="x&quot;">' in embeds.element(odd, "e.js")


def test_every_model_has_embeds_and_their_answers(site_dir):
    """Each drawn model can be framed twice: its drawing, and its cache against context."""
    drawn = [row.slug for row in catalog.MODELS if row.snapshot]
    for kind in ("model", "cache"):
        there = {
            path.parent.relative_to(site_dir / "embed" / kind).as_posix()
            for path in (site_dir / "embed" / kind).rglob("*.html")
        }
        assert there == set(drawn)


def test_oembed_answers_with_a_frame():
    """With a base, the page of an explainer and of a model leads to JSON whose frame has a declared size that fits."""
    site = Site("https://example.org/c/")
    site_pages = {page.path: page for page in pages.of_explainers(site)} | {
        page.path: page for page in pages.of_model(site, MODEL)
    }
    for path, where in (("/learn/heads/", "embed/heads/"), (f"/models/{MODEL}/", f"embed/model/{MODEL}/")):
        said = json.loads(site_pages[f"{path}oembed.json"].content())
        assert (said["version"], said["type"], said["width"]) == ("1.0", "rich", 900)
        assert f'src="https://example.org/c/{where}"' in said["html"]
        assert f'width="900" height="{said["height"]}"' in html.unescape(said["html"])
