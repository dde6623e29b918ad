"""What the page tests of all explainers do to a widget: open it at a state, ask it, measure it, look at it.

The fixture `learn` of conftest.py gives the first step: `learn("heads")` is a function that opens the page at a query.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import chain, cycle

from playwright.sync_api import Browser, Error, Locator, Page

from cutaway import explainers
from cutaway.explainers import permalink
from tests import accessible
from tests.guarded import assert_clean, guarded

READY = "[data-widget][data-ready]"
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 20)))"
WIDE = {"viewport": {"width": 1400, "height": 900}, "color_scheme": "light"}
Go = Callable[..., Page]  # go("?tp=8") -> the page, its widget ready


def opener(page: Page, url: str, name: str) -> Go:
    """A function that opens the page of one explainer at a state and waits for its widget."""

    def go(query: str = "") -> Page:
        page.goto(f"{url}/learn/{name}/{query}")
        page.locator("[data-widget]").scroll_into_view_if_needed()  # below the beats it is mounted when it is near
        page.wait_for_selector(READY)
        page.evaluate(SETTLED)  # below the fold it is drawn a frame later
        return page

    go.page = page  # to set its width and theme before anything is loaded
    return go


AWAKE = """async () => {
  dispatchEvent(new Event("wheel")); // a page holds on to what its address names until its reader does something
  const asleep = ".beat:not([data-live]), [data-widget]:not([data-ready])";
  for (const one of document.querySelectorAll("section.beat, [data-widget]")) {
    const seen = () => one.scrollIntoView({ block: "center", behavior: "instant" });
    seen();
    for (const from = performance.now(); one.matches(asleep); seen()) {
      if (performance.now() - from > 30_000) throw new Error(`${one.className} ${one.id} does not come to life`);
      await new Promise(requestAnimationFrame);
    }
  } }"""


def tell(page: Page, url: str, name: str, query: str = "") -> Page:
    """The page of one explainer with every beat and the lab live."""
    page.goto("about:blank")  # where only the hash differs nothing would be loaded
    page.goto(f"{url}/learn/{name}/{query}")
    page.evaluate(AWAKE)
    page.wait_for_selector(READY, state="attached")
    return page


OVER = """async (start) => {
  document.querySelector("[data-again]").click();
  for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
  const { model } = document.querySelector("[data-widget]").cutaway;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  return !location.search && !location.hash && Object.keys(start).every((key) => same(model.get(key), start[key]))
    && [...document.querySelectorAll("[data-bet]")].every((s) => (s.dataset.state || "open") === "open");
}"""


class Live:
    """One page for tests one after the other: started over for each, opened anew for another explainer.

    A page that does not come back to its start, or that a test left broken, is opened anew as well.
    """

    def __init__(self, browser: Browser, opened: Callable[[Page, str], object]) -> None:
        self.browser, self.opened, self.name, self.held = browser, opened, "", contextlib.ExitStack()

    def __call__(self, name: str) -> Page:
        if name != self.name or not self.over():
            self.close()
            self.page = self.held.enter_context(guarded(self.browser, **WIDE))
            self.opened(self.page, name)
            self.name = name
        return self.page

    def over(self) -> bool:
        """Whether "start over" brought the page back to its start."""
        try:
            self.page.set_viewport_size(WIDE["viewport"])
            as_new = {"media": "screen", "color_scheme": "light", "reduced_motion": "no-preference"}
            self.page.emulate_media(**as_new, forced_colors="none")
            return self.page.evaluate(OVER, explainers.reference(self.name).STATE)
        except Error:
            return False

    def assert_clean(self) -> None:
        """Fails the test after which the page's scripts have failed, and not the last one alone."""
        if self.name:
            assert_clean(self.page)

    def close(self) -> None:
        self.name = ""
        self.held.close()


RULES = {
    "all": accessible.ALL,
    "all but contrast": {"rules": {"color-contrast": {"enabled": False}}},
    "contrast": accessible.CONTRAST,  # themes differ in it alone
}


def violations(page: Page, rules: str, context: str | None = None) -> list[str]:
    """What axe finds: "rule: element"."""
    return accessible.look(page, context, RULES[rules]).wrong


def lab(page: Page) -> Locator:
    """The widget, not the beats above it, which show parts of the same."""
    return page.locator("[data-widget]")


PUT = """(state) => { const { model } = document.querySelector("[data-widget]").cutaway;
  for (const [key, value] of Object.entries(state)) model.set(key, value);
  model.save_changes(); }"""


def put(page: Page, state: dict[str, object]) -> None:
    """Sets the widget's state as its controls would, all keys at once."""
    page.evaluate(PUT, state)


def state(page: Page, key: str) -> object:
    """One value of the widget's state."""
    return page.evaluate("(key) => document.querySelector('[data-widget]').cutaway.model.get(key)", key)


def beside(page: Page, field: Locator) -> str:
    """The sentence beside a control; "" while all is well."""
    return page.locator(".cw-control", has=field).locator(".cw-error").inner_text()


def assert_narrow_and_accessible(go: Go, name: str, *queries: str) -> None:
    """In the states of these links, at 390 pixels, nothing is cut off and axe finds nothing in the lab.

    The page is opened once, by the first; contrast is looked at in the light of the first and in the dark of others.
    """
    turns = cycle((("dark", "contrast"), ("light", "all but contrast")))
    go.page.set_viewport_size({"width": 390, "height": 800})
    page, start = go(queries[0]), explainers.reference(name).STATE
    for query, (scheme, rules) in zip(queries, chain([("light", "all")], turns), strict=False):
        state, said = permalink.read_address(start, query, explainers.checker(name), explainers.settler(name))
        assert said == []
        page.emulate_media(color_scheme=scheme)
        put(page, state)
        page.evaluate(SETTLED)
        assert page.evaluate("document.documentElement.scrollWidth") == 390, query
        assert violations(page, rules, "[data-widget]") == [], query


MOVES = """async ([key, values]) => {
  const widget = document.querySelector("[data-widget]");
  const { model } = widget.cutaway;
  const seen = new MutationObserver(() => {});
  seen.observe(widget, { subtree: true, childList: true, attributes: true, characterData: true });
  const work = [];
  for (let i = 0; i < 24; i += 1) {
    seen.takeRecords();
    model.set(key, values[i % values.length]);
    model.save_changes();
    await Promise.resolve();
    const made = seen.takeRecords();
    const added = made.flatMap(({ addedNodes }) => [...addedNodes]);
    const within = (node) => 1 + (node.querySelectorAll?.("*").length ?? 0);
    work.push(added.reduce((sum, node) => sum + within(node), made.length));
    await new Promise(requestAnimationFrame);
  }
  return [Math.max(...work), widget.querySelectorAll("*").length];
}"""


def assert_a_move_draws_little(page: Page, key: str, values: list) -> None:
    """A changed value: fewer changes of nodes than elements stand there; `make bench` has the times."""
    changes, elements = page.evaluate(MOVES, [key, values])
    print(f"{key}: at most {changes} changes, {elements} elements")
    assert 0 < changes < elements


def posed(go: Go, width: int, scheme: str, query: str = "") -> Page:
    """The page at a width and in a theme, still, with its fonts: ready for a picture."""
    go.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    go.page.set_viewport_size({"width": width, "height": 900})
    page = go(query)
    page.evaluate("document.fonts.ready")
    return page
