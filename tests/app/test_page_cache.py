"""The pages that the live server keeps, and the threads that make them."""

from __future__ import annotations

import threading

import pytest

from cutaway.app.serve.page_cache import COMPRESSIBLE, Full, PageCache, PageMaker, Sent, made
from cutaway.app.site.pages import Page

TEXT = "a long page " * 200


def sent(size: int) -> Sent:
    return Sent(b"x" * size, False, "")


def test_text_is_kept_packed_and_a_picture_as_it_is():
    """Both come out as they went in; the tag is of what they say, not of how it is packed."""
    text, picture = made(Page("/x/", TEXT)), made(Page("/x.png", b"\x89PNG", "image/png"))
    assert (text.packed, text.plain, len(text.body) < 200) == (True, TEXT.encode(), True)
    assert (picture.packed, picture.plain, picture.body) == (False, b"\x89PNG", b"\x89PNG")
    assert text.etag == made(Page("/other/", TEXT.encode())).etag != picture.etag
    assert "text/html".startswith(COMPRESSIBLE) and not "font/woff2".startswith(COMPRESSIBLE)


def test_so_many_bytes_are_kept_and_no_more():
    """What was asked for longest ago goes first; a page that alone is too much is not kept."""
    kept = PageCache(most=100)
    for name in "abc":
        kept.put(name, sent(40))
        kept.get("a")
    assert [name for name in "abc" if kept.get(name)] == ["a", "c"]
    assert kept.bytes == 80
    kept.put("a", sent(10))
    assert kept.bytes == 50
    kept.put("d", sent(101))
    assert (kept.bytes, kept.get("d")) == (50, None)


def test_an_emptied_cache_has_room_for_as_much_as_a_new_one():
    """Nothing is left of what it kept, and a page that takes all of its bytes fits."""
    kept = PageCache(most=100)
    kept.put("a", sent(40))
    kept.clear()
    assert (kept.bytes, kept.get("a")) == (0, None)
    kept.put("b", sent(100))
    assert kept.get("b") == sent(100)


class Making:
    """A page maker whose pages take until they may be made; `order` has those that were begun."""

    def __init__(self, *held: str, **more: int) -> None:
        self.go, self.order, self.held = threading.Event(), [], held
        self.maker = PageMaker(self.make, **more)

    def make(self, path: str) -> Sent:
        self.order.append(path)
        if path in self.held:
            assert self.go.wait(20)
        return Sent(path.encode(), False, "")


def test_a_crawler_holds_up_nobody():
    """While a crawler's page takes long and 40 more of its pages wait, another's page is made at once."""
    making = Making("slow")
    slow = [making.maker.ask("slow", "crawler"), *(making.maker.ask(f"c{n}", "crawler") for n in range(40))]
    assert making.maker.ask("quick", "reader").result(20).body == b"quick"
    assert making.order == ["slow", "quick"]
    making.go.set()
    assert [one.result(20).body.decode() for one in slow[1:]] == [f"c{n}" for n in range(40)]


def test_a_page_is_made_once_for_all_who_ask():
    """Who asks while it is being made gets the same."""
    making = Making("slow")
    asked = [making.maker.ask("slow", "crawler") for _ in range(3)]
    making.go.set()
    assert {one.result(20).body for one in asked} == {b"slow"}
    assert making.order == ["slow"]


def test_who_leaves_is_no_longer_waited_for():
    """A page that nobody waits for is not begun."""
    making = Making("slow")
    first, second, third = (making.maker.ask(path, "crawler") for path in ("slow", "left", "wanted"))
    making.maker.cancel(second)
    making.go.set()
    assert (third.result(20).body, first.result(20).body, second.cancelled()) == (b"wanted", b"slow", True)
    assert making.order == ["slow", "wanted"]


def test_too_many_pages_at_once_are_refused():
    """Of one client; another's is still made."""
    making = Making("slow")
    asked = [making.maker.ask("slow", "crawler") for _ in range(300)]
    with pytest.raises(Full):
        asked[-1].result(0)
    assert making.maker.ask("quick", "reader").result(20).body == b"quick"
    making.go.set()


def test_a_page_that_cannot_be_made_says_why_to_who_asked():
    """The next page is made."""

    def make(path: str) -> Sent:
        raise ValueError(path)

    maker = PageMaker(make)
    for path in ("one", "two"):
        with pytest.raises(ValueError, match=path):
            maker.ask(path, "reader").result(20)
