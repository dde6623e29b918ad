"""A page in a browser whose foreign requests are refused, and whose script errors are not lost; kept between tests."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from urllib.parse import urlsplit

LOCAL = ("http://127.0.0.1", "http://localhost", "ws://127.0.0.1", "data:", "blob:", "file:")
WIDE = {"width": 1400, "height": 900}


UNPAINTED = """(() => {
  window.unpainted = new CSSStyleSheet();
  unpainted.replaceSync("html { opacity: 0 !important; }");
  document.adoptedStyleSheets.push(unpainted);
})()"""
PAINTED = "() => window.unpainted?.replaceSync('')"


def unpainted(context):
    """A context whose pages are laid out as ever, but see-through: no pixel is worked out that nobody looks at.

    A fifth of what a browser did went into them. Screenshots and axe look: they call `painted` before.
    """
    context.add_init_script(UNPAINTED)
    return context


def painted(page) -> None:
    """Let a page be seen, until it leads to another."""
    page.evaluate(PAINTED)


@contextlib.contextmanager
def guarded(browser, **options):
    """A page of its own context; that it asked a foreign host or that a script failed fails whoever leaves it.

    The browser finds no other host (tests/browsers.py), so it is enough to listen: a gate would cost each request.
    """
    context = unpainted(browser.new_context(**options))
    page = context.new_page()
    page.foreign, page.errors, page.hosts, page.spent = [], [], set(), False

    def noted(request):
        page.hosts.add(urlsplit(request.url).netloc)
        if not request.url.startswith(LOCAL):
            page.foreign.append(request.url)

    context.on("request", noted)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    try:
        yield page
    finally:
        context.close()
    assert_clean(page)


def assert_clean(page) -> None:
    """Nothing that a guarded page loaded left the host, and no script of it failed."""
    assert page.foreign == [], "requests left the host"
    assert page.errors == [], f"scripts failed: {page.errors}"


class Kept:
    """One guarded page for tests one after the other, half the price of a new one: each finds it empty and as new.

    A page that a test closed, opened another beside, took to two hosts, or calls `spent`, is not used again.
    """

    def __init__(self, browser) -> None:
        self.browser, self.held, self.page = browser, contextlib.ExitStack(), None

    def __call__(self):
        if self.page is None:
            self.page = self.held.enter_context(guarded(self.browser, viewport=WIDE, color_scheme="light"))
        return self.page

    def over(self) -> None:
        """After a test: what it left is taken away, and what it did wrong is said."""
        page, whole = self.page, False
        try:
            whole = emptied(page)
            assert_clean(page)
        finally:
            page.foreign.clear()
            page.errors.clear()
            page.hosts.clear()
            if not whole:
                self.close()

    def close(self) -> None:
        self.page = None
        self.held.close()


def emptied(page) -> bool:
    """Whether a page could be brought back to what a new one is."""
    from playwright.sync_api import Error

    if page.spent or page.is_closed() or len(page.context.pages) > 1 or len(page.hosts - {""}) > 1:
        return False
    try:
        if page.url != "about:blank":
            page.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
            page.mouse.move(0, 0)
        page.goto("about:blank")
        page.unroute_all()
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.set_default_timeout(30_000)
        page.set_viewport_size(WIDE)
        page.emulate_media(
            media="null", color_scheme="light", reduced_motion="null", forced_colors="null", contrast="null"
        )
    except Error:
        return False
    return True


def until(page, wanted: Callable[[], bool]) -> None:
    """Wait for something to become true (the page's policy forbids the eval behind wait_for_function)."""
    for _ in range(400):
        if wanted():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not become true within 20 s")
