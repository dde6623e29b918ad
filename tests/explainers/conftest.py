"""What the explainer tests share: the learn pages served as a static host would, and the live app."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

from cutaway import explainers
from tests import bundled
from tests.explainers.beats_page import TOLD
from tests.explainers.reader import SETTLED, Live, opener, tell
from tests.once import once
from tests.served import served
from tests.units import ONLY

PREFIX = "/under/a/prefix"


@pytest.fixture(scope="session")
def learn_dir(tmp_path_factory) -> Path:
    """The pages of learn.py and embed.py and the files under static/, written as build/site.py writes them."""
    from cutaway.app.embed import beats as embed_beats
    from cutaway.app.embed import page as embed
    from cutaway.app.learn import page as learn
    from cutaway.app.site import Site, assets

    def build(out: Path) -> None:
        site = Site()
        for pages in (learn.pages(site), embed.of_explainers(site), embed_beats.pages(site), assets.pages(site)):
            for page in pages:
                if ONLY and f"/{ONLY}/" not in page.path and "/assets/" not in page.path:
                    continue
                path = out / (page.path.lstrip("/") + ("index.html" if page.path.endswith("/") else ""))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(page.content())

    return once(tmp_path_factory, "learn", build)


@pytest.fixture(scope="session")
def learn_url(learn_dir) -> str:
    """Where they are served, under a prefix."""
    with served(learn_dir, PREFIX) as url:
        yield url


@pytest.fixture
def learn(page, learn_url):
    """learn(name): a function that opens the page of one explainer at a state; see reader.py."""
    return lambda name: opener(page, learn_url, name)


@pytest.fixture
def told(page, learn_url):
    """told(name, query): the page with every beat and the lab live, opened for this test alone."""
    return lambda name, query="": tell(page, learn_url, name, query)


@pytest.fixture(scope="module", params=TOLD)
def name(request):
    """Each page told in beats in turn: the tests of one page stand together, and share what `live` opened."""
    return request.param


@pytest.fixture(scope="session")
def _live(browser, learn_url):
    with contextlib.closing(Live(browser, lambda page, name: tell(page, learn_url, name))) as pages:
        yield pages


@pytest.fixture
def live(_live):
    """live(name): the same, from its start, opened once for all tests that go over one explainer (tests/units.py)."""
    yield _live
    _live.assert_clean()


@pytest.fixture
def shown(live):
    """shown(name): the same, its lab in sight."""

    def lab(name: str):
        page = live(name)
        page.locator("[data-widget]").scroll_into_view_if_needed()
        page.evaluate(SETTLED)
        return page

    return lab


LOAD = """async ([text, extra]) => {
  const url = URL.createObjectURL(new Blob([text + extra], { type: "text/javascript" }));
  window.loaded = await import(url);
}"""


@pytest.fixture(scope="session")
def blank(browser):
    """A page with nothing on it, for running a module's functions: blank(module text) -> page, the same for one text.

    The last four stay open: tests of one explainer follow one another, and load two or three texts.
    """
    pages: dict[tuple[str, str], Page] = {}

    def load(text: str, extra: str = ""):
        if (text, extra) not in pages:
            page = pages[text, extra] = browser.new_page()
            page.evaluate(LOAD, [text, extra])
        while len(pages) > 4:
            pages.pop(next(iter(pages))).close()
        return pages[text, extra]

    yield load
    for page in pages.values():
        page.close()


ONE_TEXT = """(text) => { const [name, cases, data] = JSON.parse(text);
  return JSON.stringify(cases.map((one) => loaded[name](one, data)), (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${key} is ${value}`);
    return ArrayBuffer.isView(value) ? [...value] : value;
  }); }"""


@pytest.fixture(scope="session")
def called():
    """called(page, name, cases, data): what the loaded module's function returns for each case, carried as one text.

    Ten times faster than Playwright's own way of carrying values, there and back; a number that JSON cannot say is an
    error.
    """
    return lambda page, name, cases, data: json.loads(page.evaluate(ONE_TEXT, json.dumps([name, cases, data])))


@pytest.fixture
def of_beats(blank):
    """of_beats(name, "goals", key, states): what a function of beats.js returns for each state."""
    run = """(text) => { const [which, key, states, data] = JSON.parse(text);
      return states.map((state) => loaded.beats[which][key](state, data)); }"""

    def results(name: str, which: str, key: str, states: list[dict]) -> list:
        return blank(bundled.explainer(name)).evaluate(run, json.dumps([which, key, states, explainers.data(name)]))

    return results


@pytest.fixture
def plain():
    """A value as JSON would carry it."""
    return lambda value: json.loads(json.dumps(value, allow_nan=False))


WHOLE_PIXELS = """async () => {
  await document.fonts.ready;
  const card = document.querySelector(".learn-card");
  const { top, height } = card.getBoundingClientRect();
  const from = top + scrollY;
  card.style.height = `${Math.ceil(height)}px`;
  card.style.marginTop = `${Math.ceil(from) - from + parseFloat(getComputedStyle(card).marginTop)}px`;
}"""


@pytest.fixture
def card():
    """card(page): the widget's card on whole pixels, so that a header a third of a pixel taller changes no picture."""

    def found(page):
        page.evaluate(WHOLE_PIXELS)
        return page.locator(".learn-card")

    return found
