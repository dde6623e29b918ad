"""The page that browser tests share: empty for each, silent towards the world, not used again where it was spoilt."""

from __future__ import annotations

import contextlib

import pytest

from tests.guarded import Kept


@pytest.fixture
def kept(browser):
    with contextlib.closing(Kept(browser)) as kept:
        yield kept


TRACES = """() => [document.body.textContent, innerWidth, matchMedia("(prefers-color-scheme: dark)").matches,
  matchMedia("print").matches, matchMedia("(forced-colors: active)").matches]"""


def test_a_kept_page_is_empty_and_as_new(kept, page, live_files):
    """Storage, cookies, size, theme, medium and routes of one test are gone in the next, on the same page."""
    one = kept()
    new = one.evaluate(TRACES)
    one.goto(live_files)
    one.evaluate("() => { localStorage.a = sessionStorage.b = 1; document.cookie = 'c=1'; }")
    one.set_viewport_size({"width": 390, "height": 500})
    one.emulate_media(media="print", color_scheme="dark", forced_colors="active")
    one.route("**/*", lambda route: route.abort())
    assert one.evaluate(TRACES) != new
    kept.over()
    assert kept() is one
    assert one.evaluate(TRACES) == new
    one.goto(live_files)
    assert one.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]


@pytest.fixture
def live_files(tmp_path):
    """A page on loopback: its address."""
    from tests.site.strangers import blog

    with blog({"/": "<!doctype html><title>A page</title><p>Words</p>"}, "default-src 'none'") as url:
        yield url


def test_a_spoilt_page_is_not_used_again(kept):
    """One that says so, one that was closed, one that has another beside it."""
    for spoil in (lambda p: setattr(p, "spent", True), lambda p: p.close(), lambda p: p.context.new_page()):
        one = kept()
        spoil(one)
        kept.over()
        assert kept() is not one


def test_a_foreign_request_gets_nowhere_and_is_told(kept):
    """No host but this machine is found, and the test that asked for one fails; so does a bad script."""
    for address in ("http://example.org/", "http://93.184.216.34/"):
        one = kept()
        assert one.evaluate("(url) => fetch(url, { mode: 'no-cors' }).catch(() => 'refused')", address) == "refused"
        with pytest.raises(AssertionError, match="requests left the host"):
            kept.over()
        kept.over()
    with one.expect_event("pageerror"):
        one.evaluate("setTimeout(() => { throw new Error('bad'); })")
    with pytest.raises(AssertionError, match="scripts failed"):
        kept.over()
