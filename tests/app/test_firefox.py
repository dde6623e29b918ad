"""Every page and explainer in Firefox: loads without an error, and what a reader does changes what is shown."""

from __future__ import annotations

import time

import pytest

from cutaway import explainers
from cutaway.app.embed.frames import element
from tests import firefox, webkit
from tests.site.strangers import GUTTER, INSIDE, WIDTHS, blog, post, wrong
from tests.site.test_embeds import all_embeds

pytestmark = [pytest.mark.browser, pytest.mark.whole]

MODEL = "/models/deepseek-ai/DeepSeek-V3/"
UNDRAWN = "document.querySelector('.pending a').href"
# A choice that is not the chosen one; its label takes the click, since the field itself may be drawn away.
OTHER = """(() => { const box = document.querySelector("[data-view]"); window.before = box.innerHTML;
  const field = [...box.querySelectorAll("input[type=radio]")].find(one => !one.checked && !one.disabled);
  if (!field) { box.querySelector("input[type=range]").dataset.clicked = ""; return; } // its middle is another value
  (field.closest("label") ?? box.querySelector(`label[for="${field.id}"]`) ?? field).dataset.clicked = ""; })()"""
VIEW = "document.querySelector('[data-view]')"
CHANGED = f"{VIEW}.innerText && {VIEW}.innerHTML !== before"
SIZES = """[...document.querySelectorAll("main svg")]
  .filter(one => one.checkVisibility({ contentVisibilityAuto: true }))
  .map(one => one.getBoundingClientRect()).map(({ width, height }) => [width, height].sort((a, b) => a - b))"""


@pytest.fixture(scope="module")
def fox(request):
    """The Firefox of this machine; with --webkit, its WebKit."""
    if request.config.getoption("--webkit"):
        running = webkit.WebKit(webkit.executable() or pytest.skip(webkit.HELP))
    else:
        running = firefox.Firefox(firefox.executable() or pytest.skip(firefox.HELP))
    running.resize(1400)
    yield running
    running.close()


def sound(fox, host: str) -> None:
    """No error on the console, nothing refused, nothing missing, no other host asked."""
    assert fox.troubles() == []
    assert [url for url in fox.requests if not url.startswith((host, "data:", "blob:", "about:"))] == []


def drawn(fox) -> None:
    """What is drawn has a size: some drawing is large, and none is nothing."""
    sizes = fox.until(SIZES)
    assert max(longest for _, longest in sizes) > 100
    assert min(shortest for shortest, _ in sizes) > 0


def test_the_pages_load_and_answer(fox, site_url):
    """Home, gallery, model pages, lists and the page for what is missing, each with one thing done."""
    fox.goto(site_url + "/")
    drawn(fox)
    first = fox.evaluate("document.querySelector('.drawn svg').getAttribute('aria-label')")
    fox.click("[data-pick]:nth-of-type(2)")
    assert fox.until(f"document.querySelector('.drawn svg').getAttribute('aria-label') !== {first!r}")
    sound(fox, site_url)
    fox.goto(site_url + "/models/")
    drawn(fox)
    fox.click("label:has(input[value=mla])")
    shown = fox.evaluate("document.querySelectorAll('.card:not([hidden])').length")
    assert fox.evaluate("document.querySelector('label:has(input[value=mla]) .count').textContent") == str(shown)
    undrawn = fox.evaluate(UNDRAWN)
    sound(fox, site_url)
    for path in (undrawn, *(site_url + path for path in ("/verify/", "/learn/", "/404.html"))):
        fox.goto(path)
        before = fox.evaluate("getComputedStyle(document.body).backgroundColor")
        fox.click(".theme")
        assert fox.evaluate("getComputedStyle(document.body).backgroundColor") != before
        sound(fox, site_url)


def test_a_model_page_draws_and_its_search_finds(fox, site_url):
    """The drawing has a size at every width, and the search lists by idea."""
    fox.goto(site_url + MODEL)
    for width in (390, 900, 1400):
        fox.resize(width)
        drawn(fox)
        assert fox.evaluate("document.documentElement.scrollWidth <= innerWidth")
    fox.click(".search input")
    fox.type("sinks")
    assert fox.until("document.querySelectorAll('#found [role=option]').length") > 3
    sound(fox, site_url)


STILL = """(() => {
  const one = document.querySelector("[data-clicked]"), before = window.lastTop;
  one.scrollIntoView({ block: "center", behavior: "instant" });
  window.lastTop = Math.round(one.getBoundingClientRect().top);
  return before === window.lastTop && innerHeight > before && before > 0;
})()"""


@pytest.mark.parametrize("name", explainers.names())
def test_an_explainer_plays(fox, site_url, name):
    """On its page and in its single file: the widget takes over, a choice changes what is shown."""
    for path in (f"/learn/{name}/", f"/embed/{name}/"):
        fox.goto(site_url + path)
        fox.until("document.querySelector('[data-widget]')?.scrollIntoView() === undefined")  # some wait until then
        assert fox.until("document.querySelector('[data-widget][data-ready]') !== null")
        drawn(fox)
        fox.evaluate(OTHER)
        fox.until(STILL)  # beats above it come alive while it is scrolled to
        fox.click("[data-clicked]")
        assert fox.until(CHANGED)
        sound(fox, site_url)


def test_the_workbench_draws_what_is_asked_for(fox, live_url):
    """The live app connects, draws its first model with its plot, and then the one that is typed."""
    fox.goto(live_url + "/app?model=openai/gpt-oss-20b")
    title = "document.querySelector('html[data-ready] #result h2')?.textContent"
    assert fox.until(f"{title} === 'GPT-OSS 20B'", 60)
    drawn(fox)
    fox.evaluate("document.querySelector('#model').value = ''")
    fox.click("#model")
    fox.type("Qwen/Qwen3-32B")
    fox.click("#open button")
    assert fox.until(f"{title} === 'Qwen3 32B'", 60)
    assert fox.evaluate("location.search") == "?model=Qwen/Qwen3-32B"
    sound(fox, live_url)
    fox.goto("about:blank")  # nobody is left behind on the server


# A browser draws no frame that is far off the screen: all of them stand on one.
SMALL = "Object.assign(document.body.style, { transform: 'scale(0.01)', transformOrigin: '0 0' }) && null"
EAGER = """customElements.whenDefined('cutaway-widget').then(() => {
  for (const one of document.querySelectorAll('cutaway-widget')) one.frame.loading = 'eager'; })"""


def test_embeds_are_as_tall_as_their_content(fox, site_url, verified):
    """Every explainer, a drawing and a cache curve in a stranger's page: nothing is cut off at eight widths."""
    if not isinstance(fox, firefox.Firefox):
        pytest.skip("WebKit's driver does not look into frames from here.")
    host = site_url.removesuffix("/some/prefix")
    embeds = all_embeds()
    body = "".join(element(one, f"{site_url}/embed.js") for one in embeds)
    problems = {}
    with blog({"/": post(body)}, f"default-src 'none'; script-src {host}; frame-src {host}") as url:
        fox.goto(url + "/")
        fox.evaluate(SMALL)
        fox.evaluate(EAGER)
        for width in WIDTHS:
            fox.resize(width + 2 * GUTTER)
            problems |= {(width, name): text for name, text in settled(fox, len(embeds)).items()}
        assert problems == {}
        checked = len(WIDTHS) * len(embeds)
        verified("embeds whose height fits their content in Firefox", checked, len(problems), f"Firefox {fox.version}")
    fox.resize(1400)


def settled(fox, count: int, seconds: float = 30) -> dict[str, str]:
    """What is still cut off once the frames have had time; {} when all is well, twice in a row."""
    end, before = time.monotonic() + seconds, None
    while True:
        now = inside(fox)
        found = wrong(now, count)
        if (not found and now == before) or time.monotonic() > end:
            return found
        before = now
        time.sleep(0.1)


def inside(fox) -> dict[str, dict]:
    """What each frame has and what it wants; {} while one is not there yet."""
    try:
        return {url.split("/embed/")[1]: fox.evaluate(f"({INSIDE})()", at) for url, at in fox.frames().items()}
    except (RuntimeError, IndexError):  # it is loading another page
        return {}
