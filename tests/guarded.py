"""A page in a browser whose foreign requests are refused, and whose script errors are not lost."""

from __future__ import annotations

import contextlib

LOCAL = ("http://127.0.0.1", "http://localhost", "ws://127.0.0.1", "data:", "blob:", "file:")


@contextlib.contextmanager
def guarded(browser, **options):
    """A page of its own context; foreign hosts are refused, and they and script errors fail whoever leaves it."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.foreign, page.errors = [], []

    def gate(route):
        if route.request.url.startswith(LOCAL):
            return route.fallback()
        page.foreign.append(route.request.url)
        return route.abort()

    context.route("**/*", gate)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    try:
        yield page
    finally:
        context.close()
    assert_clean(page)


def assert_clean(page) -> None:
    """Nothing that a guarded page loaded left the host, and no script of it failed."""
    assert page.foreign == [], "requests left the host"
    assert page.errors == [], "scripts failed"
